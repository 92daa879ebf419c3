import type {AcrossNodes} from '../../model/across-nodes.js';

/** For a plugin without settings that Windows and Linux nodes have to share. */
export const nothingAcrossNodes: AcrossNodes = {
  tunnelPorts: () => [],
  vnis: undefined,
  packetSize: () => undefined,
  apiServerOverride: () => undefined,
};
