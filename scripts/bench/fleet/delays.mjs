import {createHash} from 'node:crypto';

/** Average delays of nodes. Each node has its own delay, between half and one and a half times the average. */
const usual = {startMs: 2000, collectMs: 1500};

/**
 * The same for a node in every run, so that all programs wait for the same nodes.
 * @param {string} node
 */
export function delaysOf(node) {
  const bytes = createHash('sha256').update(node).digest();
  const spread = /** @param {number} at */ at => 0.5 + bytes.readUInt16BE(at) / 65_535;
  return {startMs: Math.round(usual.startMs * spread(0)), collectMs: Math.round(usual.collectMs * spread(2))};
}
