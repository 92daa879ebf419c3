import scriptHash from 'virtual:helper.sha256';
import type {V1ObjectMeta} from '@kubernetes/client-node';
import packageJson from '../../package.json' with {type: 'json'};
import {printable} from '../lib/untrusted.js';
import {protocol} from './protocol.js';

/** On all objects that contain or run the script. */
const scriptLabel = 'kubectl-win/script';
const protocolLabel = 'kubectl-win/protocol';
const versionLabel = 'app.kubernetes.io/version';

/** Short enough for a label and a name, long enough to distinguish scripts. */
export const shortHash = scriptHash.slice(0, 12);

/** Labels for this client's script. */
export const ownLabels = {
  [scriptLabel]: shortHash,
  [protocolLabel]: String(protocol),
  [versionLabel]: packageJson.version,
};

/** The version of an installed helper, which may be older or newer than this client. */
export interface InstalledVersion {
  readonly script: string;
  /** Undefined for helpers installed before this label existed. */
  readonly protocol?: number;
  readonly version?: string;
  readonly upToDate: boolean;
}

export function installedVersion(metadata: V1ObjectMeta | undefined): InstalledVersion {
  const labels = metadata?.labels ?? {};
  const {[scriptLabel]: script = 'unknown', [protocolLabel]: spoken, [versionLabel]: version} = labels;
  return {
    script: printable(script, 40),
    ...(spoken && {protocol: Number(spoken)}),
    ...(version && {version: printable(version, 40)}),
    upToDate: script === shortHash && (spoken === undefined || spoken === String(protocol)),
  };
}

/** Upgrade the older side. */
export const skewRemedy =
  'Run "kubectl win helper install" to update it, or use the version of kubectl win that installed it.';

/** How an installed helper differs from this client, as a sentence. */
export function skewText({script, protocol: spoken, version}: InstalledVersion): string {
  const from = version === undefined ? '' : ` of kubectl win ${version}`;
  const language = spoken === undefined ? '' : `, protocol ${spoken}`;
  return `The installed helper${from} (script ${script}${language}) does not match this client (kubectl win ${packageJson.version}, script ${shortHash}, protocol ${protocol}).`;
}
