import type {NodeSubject} from '../../model/check.js';

export interface OsVersion {
  readonly build: number;
  /** The update level, UBR; 17763.6532 has 6532. */
  readonly revision: number | undefined;
  readonly section: 'os' | 'cluster';
}

/** The Windows of a node, by what it says itself, else by what kubelet told the API. */
export function osVersion({node, object}: NodeSubject): OsVersion | undefined {
  if (node.os) return {build: node.os.build, revision: node.os.revision, section: 'os'};
  const told = /^10\.0\.(\d+)(?:\.(\d+))?/.exec(object?.status?.nodeInfo?.kernelVersion ?? '');
  if (!told) return undefined;
  return {
    build: Number(told[1]),
    revision: told[2] === undefined ? undefined : Number(told[2]),
    section: 'cluster',
  };
}

export function osText({build, revision}: OsVersion): string {
  return revision === undefined ? String(build) : `${build}.${revision}`;
}
