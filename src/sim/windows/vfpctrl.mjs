// Stand-in for vfpctrl.exe: prints the ports of the state in its format.
import {readFileSync} from 'node:fs';
import {derived, failureOf} from './derived.mjs';

const {sections, errors} = JSON.parse(readFileSync(process.env.KUBECTL_WIN_STATE ?? '', 'utf8'));
const failure = failureOf(errors, 'vfpPorts');
const all = derived(sections, 'vfpPorts');
const words = process.argv.slice(2);
const flag = value => String(value).toUpperCase();

const listed = all.map(port =>
  [
    `  Port name             : ${port.Name}`,
    `  Port Friendly name    : ${port.FriendlyName}`,
    `  Switch name           : ${port.SwitchName}`,
    '  PortId in switch      : 3',
    `  MAC address           : ${port.MacAddress}`,
    '  Port is Initialized.',
    '  NIC is Connected.',
  ].join('\n'),
);
// VFP can list a port and report no state for it.
const asked = all.find(({Name, Silent}) => Name === words[words.indexOf('/port') + 1] && !Silent);
const lines = words.includes('/get-port-state')
  ? asked && ['PORT STATE', `    Enabled : ${flag(asked.Enabled)}`, `    Blocked : ${flag(asked.Blocked)}`]
  : ['ITEM LIST', '===============', '', ...listed, '', 'Command list-vmswitch-port succeeded!'];
if (lines && !failure) process.stdout.write(`${lines.join('\n')}\n`);
else process.exitCode = 1;
