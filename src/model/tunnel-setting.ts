import {shellText} from '../lib/quote.js';
import type {NodeSubject} from './check.js';

/** What tunnels should use, for a plugin that knows no adapter per node. Undefined: it is only asked what there is. */
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

/** As `kubectl patch --type` takes it. */
export type KubectlPatchType = 'merge' | 'strategic' | 'json';

/** A change of one object of the API, as a request and as the command that does the same. */
export interface ObjectChange {
  readonly object: string;
  readonly path: string;
  readonly type: KubectlPatchType;
  readonly patch: object | readonly object[];
  /** The version that it is a change of: another one is a conflict. */
  readonly resourceVersion: string | undefined;
  readonly command: string;
  /** The text that changes, as it is and as it will be. */
  readonly before: string;
  readonly after: string;
}

/** What a plugin has that reads no annotation. */
export interface Translation {
  readonly title: string;
  readonly settings: readonly TunnelValue[];
  /** Which nodes the settings apply to. */
  readonly reach: string;
  readonly change?: ObjectChange;
  /** What is left to do, or to do instead. */
  readonly notes: readonly string[];
  /** Why `--apply` leaves it to a person; undefined where the change does nothing until an agent starts again. */
  readonly unsafe?: string;
}

/** How a plugin is configured with the adapter for its tunnels. */
export type TunnelSetting =
  /** By an annotation of each node, which `kubectl win annotate-tunnel` writes. */
  | {readonly by: 'annotation'}
  /** By settings of its own. */
  | {
      readonly by: 'settings';
      /** Objects that `annotate-tunnel --apply` may change, and that a role may patch by their names alone. */
      readonly objects: readonly {readonly group: string; readonly resource: string; readonly name: string}[];
      translate(subject: NodeSubject, wanted: WantedUplink): Translation;
    };

/** Whether the plugin of a node reads an adapter from the node's annotation. */
export function readsAnnotation({plugin}: NodeSubject): boolean {
  return plugin.plugin?.tunnelSetting.by === 'annotation';
}

/** What a node's plugin has instead of the annotation; undefined: its plugin is not known, or reads the annotation. */
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

/** The kubectl command of a patch. */
export function patchCommand({kind, metadata}: Named, type: KubectlPatchType, patch: object): string {
  const where = metadata.namespace === undefined ? '' : ` -n ${shellText(metadata.namespace)}`;
  const name = shellText(metadata.name);
  return `kubectl${where} patch ${kind.toLowerCase()} ${name} --type ${type} -p ${shellText(JSON.stringify(patch))}`;
}

/** Why a change of a DaemonSet is not made here: its pods start again by themselves, on node after node. */
export function rollsOut(updateStrategy: string | undefined): string | undefined {
  return updateStrategy === 'OnDelete'
    ? undefined
    : 'the pods of the DaemonSet start again at once, on one node after the other, and recreate their networks';
}
