import type {NodeSubject} from '../../model/check.js';

export interface OsVersion {
  readonly build: number;
  /** The update level, UBR; 17763.6532 has 6532. */
  readonly revision: number | undefined;
  readonly section: 'os' | 'cluster';
}

/** The Windows version of a node, from the node itself or from the kubelet's report in the API. */
export function osVersion({node, object}: NodeSubject): OsVersion | undefined {
  if (node.os) return {build: node.os.build, revision: node.os.revision, section: 'os'};
  const kernel = /^10\.0\.(\d+)(?:\.(\d+))?/.exec(object?.status?.nodeInfo?.kernelVersion ?? '');
  if (!kernel) return undefined;
  return {
    build: Number(kernel[1]),
    revision: kernel[2] === undefined ? undefined : Number(kernel[2]),
    section: 'cluster',
  };
}

export function osText({build, revision}: OsVersion): string {
  return revision === undefined ? String(build) : `${build}.${revision}`;
}
