import {remembered} from '../lib/remembered.js';
import type {NodeModel} from './node.js';

/** A Windows path in normal form: `C:/k/cni\\config\` and `/k/cni/config` are `c:\k\cni\config`. */
export const normalPath = remembered((path: string): string => {
  const bare = path
    .trim()
    .replace(/[\\/]+/g, '\\')
    .replace(/\\$/, '')
    .toLowerCase();
  return bare.startsWith('\\') ? `c:${bare}` : bare;
});

export function folderOf(path: string): string {
  const normal = normalPath(path);
  return normal.slice(0, Math.max(0, normal.lastIndexOf('\\')));
}

export function nameOf(path: string): string {
  const normal = normalPath(path);
  return normal.slice(normal.lastIndexOf('\\') + 1);
}

/** One of these folders that could not be listed: its content is unknown. */
export function unlistedFolder(node: NodeModel, folders: readonly string[]) {
  return node.files?.find(({path, error}) => error !== undefined && folders.includes(normalPath(path)));
}

/** The folders of CNI configurations and plugins in containerd's configuration. */
export function runtimeFolders(node: NodeModel): {conf: string | undefined; bin: string[]} {
  const {containerd} = node;
  if (containerd?.confDir) return {conf: normalPath(containerd.confDir), bin: containerd.binDirs.map(normalPath)};
  const toml = node.files?.find(
    ({path, content}) => /\.toml$/i.test(path) && /^[ \t]*conf_dir[ \t]*=/m.test(content ?? ''),
  );
  const value = (key: string) => new RegExp(`^[ \\t]*${key}[ \\t]*=(.+)$`, 'm').exec(toml?.content ?? '')?.[1];
  const strings = (text: string | undefined) =>
    [...(text ?? '').matchAll(/'([^']*)'|"([^"]*)"/g)].map(match => normalPath(match[1] ?? match[2] ?? ''));
  return {
    conf: strings(value('conf_dir'))[0] || undefined,
    bin: [...strings(value('bin_dir')), ...strings(value('bin_dirs'))],
  };
}
