import {shellText} from '../lib/quote.js';
import type {NodeSubject} from './check.js';

/**
 * What tunnels should use, for a plugin without a per-node adapter setting. Undefined: only report the current
 * settings.
 */
export type WantedUplink =
  | {readonly by: 'name'; readonly adapter: string}
  | {readonly by: 'cidr'; readonly cidr: string}
  | undefined;

/** A setting of a plugin that decides what its tunnels use. */
export interface TunnelValue {
  readonly name: string;
  readonly where: string;
  /** Undefined: not set. */
  readonly now: string | undefined;
}

/** Values of `kubectl patch --type`. */
export type KubectlPatchType = 'merge' | 'strategic' | 'json';

/** A change to one API object, as a request and as the equivalent command. */
export interface ObjectChange {
  readonly object: string;
  readonly path: string;
  readonly type: KubectlPatchType;
  readonly patch: object | readonly object[];
  /** The version it applies to: any other version is a conflict. */
  readonly resourceVersion: string | undefined;
  readonly command: string;
  /** The text before and after the change. */
  readonly before: string;
  readonly after: string;
}

/** The equivalent settings of a plugin that reads no annotation. */
export interface Translation {
  readonly title: string;
  readonly settings: readonly TunnelValue[];
  /** Which nodes the settings apply to. */
  readonly reach: string;
  readonly change?: ObjectChange;
  /** Further or alternative manual actions. */
  readonly notes: readonly string[];
  /** Why `--apply` does not make the change; undefined if the change has no effect until an agent restarts. */
  readonly unsafe?: string;
}

/** How a plugin is configured with the adapter for its tunnels. */
export type TunnelSetting =
  /** By an annotation of each node, which `kubectl win annotate-tunnel` writes. */
  | {readonly by: 'annotation'}
  /** By the plugin's own settings. */
  | {
      readonly by: 'settings';
      /** Objects that `annotate-tunnel --apply` may change; the RBAC role allows to patch only these names. */
      readonly objects: readonly {readonly group: string; readonly resource: string; readonly name: string}[];
      translate(subject: NodeSubject, wanted: WantedUplink): Translation;
    };

/** Whether the plugin of a node reads an adapter from the node's annotation. */
export function readsAnnotation({plugin}: NodeSubject): boolean {
  return plugin.plugin?.tunnelSetting.by === 'annotation';
}

/**
 * The settings a node's plugin uses instead of the annotation; undefined: the plugin is unknown, or reads the
 * annotation.
 */
export function translate(subject: NodeSubject, wanted: WantedUplink): Translation | undefined {
  const setting = subject.plugin.plugin?.tunnelSetting;
  return setting?.by === 'settings' ? setting.translate(subject, wanted) : undefined;
}

interface Named {
  readonly kind: string;
  readonly metadata: {readonly name: string; readonly namespace?: string | undefined};
}

export function objectTitle({kind, metadata}: Named): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

export function patchCommand({kind, metadata}: Named, type: KubectlPatchType, patch: object): string {
  const where = metadata.namespace === undefined ? '' : ` -n ${shellText(metadata.namespace)}`;
  const name = shellText(metadata.name);
  return `kubectl${where} patch ${kind.toLowerCase()} ${name} --type ${type} -p ${shellText(JSON.stringify(patch))}`;
}

/** Why `--apply` does not change a DaemonSet: Kubernetes then restarts its pods, node by node. */
export function rollsOut(updateStrategy: string | undefined): string | undefined {
  return updateStrategy === 'OnDelete'
    ? undefined
    : 'the DaemonSet immediately restarts its pods, node by node, and they recreate their networks';
}
