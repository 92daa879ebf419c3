import type {JsonObject} from '../json.js';
import {type NodeState, rows} from './state.js';

/** Adds what containerd and HNS report and no simulated change affects. */
export function withDerived(state: NodeState): NodeState {
  return {
    errors: state.errors,
    sections: {
      environment: [],
      ...state.sections,
      hnsPortPools: [{PortPoolAllocations: []}],
      containerd: containerd(state),
    },
  };
}

function containerd(state: NodeState): JsonObject {
  const file = rows(state, 'files').find(({Path}) => /\\config\.toml$/.test(String(Path)));
  const value = (key: string) => new RegExp(`^ *${key} = '(.*)'$`, 'm').exec(String(file?.Content))?.[1];
  return {Config: '', ConfDir: value('conf_dir') ?? null, BinDirs: [value('bin_dir')].filter(Boolean)};
}
