// The SBOM, as CycloneDX (https://cyclonedx.org/docs/1.6/json/): the packages in the bundle, and Node.
import {createHash} from 'node:crypto';

export function sbom({name, version, license}, lock, folders, {commit, time, nodes}) {
  const root = `pkg:npm/${name}@${version}`;
  const components = [
    ...folders.map(folder => npmComponent(folder, lock.packages[folder])),
    ...nodes.map(nodeComponent),
  ];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(`${commit}\n${JSON.stringify(components)}`)}`,
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {type: 'application', 'bom-ref': root, name, version, purl: root, licenses: licenceOf(license)},
      properties: [{name: 'commit', value: commit}],
    },
    components,
    dependencies: [{ref: root, dependsOn: components.map(component => component['bom-ref'])}],
  };
}

function npmComponent(folder, {version, license, integrity}) {
  const name = folder.replace(/^.*node_modules\//, '');
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [algorithm, hash] = integrity?.split(/-(.*)/s) ?? [];
  return {
    type: 'library',
    'bom-ref': `${purl}#${folder}`,
    ...{name, version, purl, licenses: licenceOf(license)},
    ...(algorithm === 'sha512' && {
      hashes: [{alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex')}],
    }),
  };
}

function nodeComponent({name, version, sha256}) {
  const purl = `pkg:npm/${name}@${version}`;
  return {
    type: 'platform',
    'bom-ref': purl,
    ...{name, version, purl, licenses: licenceOf('MIT')},
    hashes: [{alg: 'SHA-256', content: sha256}],
  };
}

const licenceOf = license =>
  license === undefined ? [] : [/^[\w.+-]+$/.test(license) ? {license: {id: license}} : {expression: license}];

/** A UUID derived from the content, so that the same build has the same UUID. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
