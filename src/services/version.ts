import scriptHash from 'virtual:helper.sha256';
import {protocol} from '../helper/protocol.js';

export interface ClientVersion {
  readonly version: string;
  /** The commit that it was built from, where that is known. */
  readonly commit?: string;
  /** The version of the language between client and helper. */
  readonly protocol: number;
  /** Hash of the helper's script that this client carries. */
  readonly helper: string;
  readonly node: string;
  readonly platform: string;
}

export function clientVersion(version: string): ClientVersion {
  // The build writes the commit in place of this name.
  const commit = process.env.KUBECTL_WIN_COMMIT;
  return {
    version,
    ...(commit && {commit}),
    protocol,
    helper: scriptHash,
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
  };
}
