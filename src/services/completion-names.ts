import {allChecks} from '../diagnose/engine.js';
import {plugins} from '../plugins/all.js';

/** A name that the user may type, and its description. */
export interface KnownName {
  readonly name: string;
  readonly title: string;
}

export const checkNames = (): KnownName[] => allChecks.map(({id, title}) => ({name: id, title}));

export const pluginNames = (): KnownName[] => plugins.map(({name, title}) => ({name, title}));

/** Plugins whose prerequisites on Windows nodes are known. */
export const installableNames = (): KnownName[] =>
  plugins.filter(({preflight}) => preflight !== undefined).map(({name, title}) => ({name, title}));
