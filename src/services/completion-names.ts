import {allChecks} from '../diagnose/engine.js';
import {plugins} from '../plugins/all.js';

/** What a person may type, and what it is. */
export interface KnownName {
  readonly name: string;
  readonly title: string;
}

export const checkNames = (): KnownName[] => allChecks.map(({id, title}) => ({name: id, title}));

export const pluginNames = (): KnownName[] => plugins.map(({name, title}) => ({name, title}));

/** Plugins of which it is known what they need on Windows nodes. */
export const installableNames = (): KnownName[] =>
  plugins.filter(({preflight}) => preflight !== undefined).map(({name, title}) => ({name, title}));
