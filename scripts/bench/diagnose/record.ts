// Writes the snapshot of a simulated fleet: the cluster on the first line, and a node on each line after it.
import {once} from 'node:events';
import {createWriteStream} from 'node:fs';
import {finished} from 'node:stream/promises';
import {reportedNode} from '../../../src/sim/helper/collect.js';
import {startSimulation} from '../../../src/sim/simulation.js';
import {kept} from '../../../src/snapshot/kept-objects.js';
import {fleetScenario} from '../fleet/scenario.js';

const [nodes = '100', path = '', plugin] = process.argv.slice(2);
const simulation = await startSimulation({scenario: fleetScenario(Number(nodes), plugin)});
const out = createWriteStream(path);
const stored = simulation.store.types.flatMap(type => [...simulation.store.all(type)]);
const objects = stored.map(object => kept(object).object);
out.write(`${JSON.stringify({version: simulation.version, objects})}\n`);
for (const node of simulation.nodes.values()) {
  if (node.os !== 'windows') continue;
  // Waits for the disk, so that the fleet does not accumulate in memory.
  if (!out.write(`${JSON.stringify({name: node.name, dump: reportedNode(node.state)})}\n`)) await once(out, 'drain');
}
out.end();
await finished(out);
await simulation.close();
process.exit();
