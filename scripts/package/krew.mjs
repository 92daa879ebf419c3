// The krew manifest of a release: krew.yaml with the version and the hashes, validated with krew's own rules
// (internal/index/validation of kubernetes-sigs/krew).
import {dump, load} from 'js-yaml';
import {archiveOf, platforms, programOf} from './platforms.mjs';

const supported = {
  windows: ['386', 'amd64', 'arm64'],
  linux: ['386', 'amd64', 'arm', 'arm64', 'ppc64le'],
  darwin: ['386', 'amd64', 'arm64'],
};

/** The manifest of a release, without platforms that have no archive. */
export function releaseManifest(template, version, hashes) {
  const manifest = load(template);
  const base = `${manifest.spec.homepage}/releases/download/v${version}`;
  manifest.spec.version = `v${version}`;
  manifest.spec.platforms = platforms
    .filter(platform => hashes[archiveOf(platform)] !== undefined)
    .map(platform => ({
      selector: {matchLabels: {os: platform.os, arch: platform.arch}},
      uri: `${base}/${archiveOf(platform)}`,
      sha256: hashes[archiveOf(platform)],
      bin: programOf(platform),
    }));
  return dump(manifest, {lineWidth: -1});
}

/** The reasons for which krew would refuse the manifest. */
export function brokenRules(text) {
  const {apiVersion, kind, metadata, spec} = load(text);
  const rules = [
    [apiVersion === 'krew.googlecontainertools.github.com/v1alpha2', 'apiVersion is not krew’s'],
    [kind === 'Plugin', 'kind is not Plugin'],
    [/^[\w-]+$/.test(metadata.name), 'the name may contain only letters, digits, - and _'],
    [/^v\d+\.\d+\.\d+(-[\w.-]+)?$/.test(spec.version), 'the version is not vX.Y.Z'],
    [spec.shortDescription.length > 0 && spec.shortDescription.length <= 50, 'shortDescription is over 50 characters'],
    [!/[\r\n]/.test(spec.shortDescription), 'shortDescription has more than one line'],
    [spec.description.split('\n').every(line => line.length <= 80), 'description has a line over 80 characters'],
    [spec.platforms?.length > 0, 'there are no platforms'],
  ];
  const selectors = spec.platforms.map(({selector}) => JSON.stringify(selector));
  rules.push([new Set(selectors).size === selectors.length, 'two platforms have the same selector']);
  for (const platform of spec.platforms) rules.push(...platformRules(platform));
  return rules.filter(([met]) => !met).map(([, text]) => text);
}

function platformRules({selector, uri, sha256, bin, files}) {
  const {os, arch, ...others} = selector.matchLabels;
  const name = `${os}/${arch}`;
  return [
    [Object.keys(others).length === 0, `${name}: the selector may contain only os and arch`],
    [supported[os]?.includes(arch), `${name}: krew does not support this platform`],
    [/^https:\/\/.*\.(zip|tar\.gz)$/.test(uri), `${name}: the archive is not an https .zip or .tar.gz`],
    [/^[0-9a-f]{64}$/.test(sha256), `${name}: sha256 is not 64 lower-case hexadecimal digits`],
    [typeof bin === 'string' && bin !== '' && (os !== 'windows' || bin.endsWith('.exe')), `${name}: bin is invalid`],
    [files === undefined || files.length > 0, `${name}: files is empty`],
  ];
}
