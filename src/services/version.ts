import scriptHash from 'virtual:helper.sha256';
import {protocol} from '../helper/protocol.js';

export interface ClientVersion {
  readonly version: string;
  /** The commit it was built from, if known. */
  readonly commit?: string;
  /** The version of the protocol between client and helper. */
  readonly protocol: number;
  /** Hash of the helper script in this client. */
  readonly helper: string;
  readonly node: string;
  readonly platform: string;
}

export function clientVersion(version: string): ClientVersion {
  // The build replaces this expression with the commit.
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
