import scriptHash from 'virtual:helper.sha256';
import type {V1ObjectMeta} from '@kubernetes/client-node';
import packageJson from '../../package.json' with {type: 'json'};
import {printable} from '../lib/untrusted.js';
import {protocol} from './protocol.js';

/** On all that carries the script, or runs it. */
const scriptLabel = 'kubectl-win/script';
const protocolLabel = 'kubectl-win/protocol';
const versionLabel = 'app.kubernetes.io/version';

/** Short enough for a label and a name, long enough to tell scripts apart. */
export const shortHash = scriptHash.slice(0, 12);

/** What this client carries, for labels. */
export const ownLabels = {
  [scriptLabel]: shortHash,
  [protocolLabel]: String(protocol),
  [versionLabel]: packageJson.version,
};

/** Which helper someone installed: kubectl win may have been older or newer then than it is here. */
export interface InstalledVersion {
  readonly script: string;
  /** Absent where it was installed before helpers said so. */
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

/** What to do about it. The older side is upgraded. */
export const skewRemedy =
  'Run "kubectl win helper install" to bring it up to date, or use the kubectl win that installed it.';

/** How an installed helper differs from this client, as a sentence. */
export function skewText({script, protocol: spoken, version}: InstalledVersion): string {
  const from = version === undefined ? '' : ` of kubectl win ${version}`;
  const language = spoken === undefined ? '' : `, protocol ${spoken}`;
  return `The installed helper${from} is not that of this client: script ${script}${language}; this is ${packageJson.version}, script ${shortHash}, protocol ${protocol}.`;
}
