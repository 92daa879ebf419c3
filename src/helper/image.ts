import type {V1Node} from '@kubernetes/client-node';
import {nameOfNode} from '../kube/select-nodes.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {imageReference} from '../lib/image-reference.js';
import {alphabetically} from '../lib/natural-order.js';
import {printable} from '../lib/untrusted.js';

/**
 * Every user who may run pods on a node can put images there, and name them. So only repositories of known publishers count,
 * registry included, and of them only an image with a digest: it is what that registry gave, and stays the same.
 */
const preferred = (pluginImages: readonly string[]): readonly (readonly string[])[] => [
  ['mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image'],
  pluginImages,
  ['docker.io/sigwindowstools/kube-proxy'],
  ['mcr.microsoft.com/oss/kubernetes/pause', 'registry.k8s.io/pause'],
];

/**
 * The image for a helper on a node. `auto` takes one that the node has already, so that nothing must be pulled;
 * `pluginImages` are the repositories of network plugins that HostProcess pods run from.
 */
export function chooseImage(
  node: V1Node,
  wanted: string | undefined,
  pluginImages: readonly string[] = [],
): string | undefined {
  if (wanted !== 'auto') return wanted;
  const images = (node.status?.images ?? [])
    .flatMap(({names, sizeBytes}) => (names ?? []).map(name => ({name, sizeBytes: sizeBytes ?? 0})))
    .map(({name, sizeBytes}) => ({name, sizeBytes, ...imageReference(name)}))
    .filter(({digest}) => digest !== undefined)
    .sort((a, b) => a.sizeBytes - b.sizeBytes || alphabetically(a.name, b.name));
  for (const repositories of preferred(pluginImages)) {
    const image = images.find(({repository}) => repository !== undefined && repositories.includes(repository));
    if (image) return image.name;
  }
  throw new WinError(`The node ${printable(nameOfNode(node))} has no image that a helper may run from.`, {
    exit: ExitCode.uninspected,
    next: [
      'Name an image that you trust and that the node has or can pull: --helper-image=<repository>@sha256:<digest>.',
      '"auto" takes only images of Microsoft, Kubernetes and known network plugins, from their own registries, with a digest.',
    ],
  });
}

/** For what is made once for all nodes: they need not have one image in common. */
export function fixedImage(wanted: string | undefined): string | undefined {
  if (wanted !== 'auto') return wanted;
  throw new WinError('--helper-image=auto chooses an image for each node, and an installed helper has one for all.', {
    next: ['Name the image: --helper-image=<repository>@sha256:<digest>.'],
  });
}
