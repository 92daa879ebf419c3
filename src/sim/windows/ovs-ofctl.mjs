// Stand-in for ovs-ofctl.exe: `dump-flows BRIDGE` from the state, one line per flow.
import {readFileSync} from 'node:fs';
import {derived} from './derived.mjs';

const {sections} = JSON.parse(readFileSync(process.env.KUBECTL_WIN_STATE ?? '', 'utf8'));
const [command, bridge] = process.argv.slice(2).filter(word => !word.startsWith('--'));
const row = derived(sections, 'ovsFlows').find(({Bridge}) => Bridge === bridge);

if (command === 'dump-flows' && row?.Error === undefined && row !== undefined) {
  for (const {Table, Flows} of row.Tables)
    for (let number = 0; number < Flows; number++)
      process.stdout.write(
        ` cookie=0x1, duration=7.519s, table=${Table}, n_packets=0, n_bytes=0, priority=${200 - number} actions=drop\n`,
      );
} else {
  process.stderr.write(`ovs-ofctl: ${bridge} is not a bridge or a socket\n`);
  process.exitCode = 1;
}
