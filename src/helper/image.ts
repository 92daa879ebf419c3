import type {V1Node} from '@kubernetes/client-node';
import {nodeName} from '../kube/nodes.js';
import {ExitCode, WinError} from '../lib/errors.js';

/** In order of preference: made for HostProcess pods, shipped by a plugin as one, and the smallest that every node has. */
const preferred = (pluginImages: readonly RegExp[]): readonly (readonly RegExp[])[] => [
  [/windows-host-process-containers-base-image/],
  [/hostprocess|host-process/],
  [...pluginImages, /kube-proxy/],
  [/(^|\/)pause[:@]/],
];

/**
 * The image for a helper on a node. `auto` takes one that the node has already, so that nothing must be pulled;
 * `pluginImages` are those of network plugins that HostProcess pods run from.
 */
export function chooseImage(
  node: V1Node,
  wanted: string | undefined,
  pluginImages: readonly RegExp[] = [],
): string | undefined {
  if (wanted !== 'auto') return wanted;
  const images = (node.status?.images ?? [])
    .map(({names, sizeBytes}) => ({name: bestName(names ?? []), sizeBytes: sizeBytes ?? 0}))
    .filter((image): image is {name: string; sizeBytes: number} => image.name !== undefined)
    .sort((a, b) => a.sizeBytes - b.sizeBytes || a.name.localeCompare(b.name));
  for (const patterns of preferred(pluginImages)) {
    const image = images.find(({name}) => patterns.some(pattern => pattern.test(name)));
    if (image) return image.name;
  }
  const [smallest] = images;
  if (smallest) return smallest.name;
  throw new WinError(`The node ${nodeName(node)} reports no image that a helper pod could use.`, {
    exit: ExitCode.uninspected,
    next: ['Name an image that the node can pull with --helper-image.'],
  });
}

/** A tag reads better than a digest; `<none>` is no name at all. */
function bestName(names: readonly string[]): string | undefined {
  const usable = names.filter(name => !name.includes('<none>'));
  return usable.find(name => !name.includes('@')) ?? usable[0];
}
