import type {V1Node} from '@kubernetes/client-node';
import {nameOfNode} from '../kube/select-nodes.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {imageReference} from '../lib/image-reference.js';
import {alphabetically} from '../lib/natural-order.js';
import {printable} from '../lib/untrusted.js';

/**
 * Every user who may run pods on a node can put images there under any name. So only repositories of known publishers
 * count, including the registry, and only images with a digest: the content is what that registry delivered.
 */
const preferred = (pluginImages: readonly string[]): readonly (readonly string[])[] => [
  ['mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image'],
  pluginImages,
  ['docker.io/sigwindowstools/kube-proxy'],
  ['mcr.microsoft.com/oss/kubernetes/pause', 'registry.k8s.io/pause'],
];

/**
 * The image for a helper on a node. `auto` uses one that the node already has, so that nothing is pulled. `pluginImages`
 * are the repositories of network plugins that run in HostProcess pods.
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
  throw new WinError(`Node ${printable(nameOfNode(node))} has no image that --helper-image=auto may use.`, {
    exit: ExitCode.uninspected,
    next: [
      'Name an image that you trust and that the node has or can pull: --helper-image=<repository>@sha256:<digest>',
      '"auto" uses only images of Microsoft, Kubernetes and known network plugins, from their own registries, with a digest.',
    ],
  });
}

/** Refuses `auto` for objects shared by all nodes, which may not have an image in common. */
export function fixedImage(wanted: string | undefined): string | undefined {
  if (wanted !== 'auto') return wanted;
  throw new WinError('--helper-image=auto selects an image per node, but an installed helper has one image for all.', {
    next: ['Name the image: --helper-image=<repository>@sha256:<digest>'],
  });
}
