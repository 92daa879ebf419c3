import {describe, expect, it} from 'vitest';
import {type Raw, type Scenario, scenario} from '../support.js';

/** A node with a fault that `kubectl win cleanup` repairs, where something may keep the repair from arriving. */
const faulty = (change: (node: Raw) => void = () => undefined) =>
  scenario('02-antrea-after-reboot').object('Node', 'win-blue', change);

/** What the remedy of the fault says first. */
function remedyOf(changed: Scenario): string | undefined {
  const [finding] = changed.verdicts('ovs/services').filter(({outcome}) => outcome === 'fail');
  const remedy = finding?.remedy;
  return remedy?.kind === 'command' ? remedy.command : remedy?.steps[0];
}

const command = /^kubectl win cleanup/;
const ready = (node: Raw, change: object) =>
  Object.assign(
    node.status.conditions.find(({type}: Raw) => type === 'Ready'),
    change,
  );

describe('the repair of a node', () => {
  it('is the command while the node can be reached', () => {
    expect(remedyOf(faulty())).toMatch(command);
    expect(remedyOf(faulty(node => ready(node, {status: 'False'})))).toMatch(command);
  });

  it('is at its console once the API server does not hear from it, and says since when', () => {
    const lost = (lastTransitionTime: string | undefined) =>
      faulty(node => ready(node, {status: 'Unknown', lastTransitionTime}));
    expect(remedyOf(lost('2026-03-03T09:58:00Z'))).toContain(
      'it has not reported to the API server since 2026-03-03T09:58:00Z. Use the console',
    );
    expect(remedyOf(lost(undefined))).toContain('it has not reported to the API server. Use the console');
  });

  it('is at its console where the node is tainted as unreachable, and not for another taint', () => {
    const tainted = (...keys: string[]) =>
      faulty(node => {
        node.spec.taints = keys.map(key => ({key, effect: 'NoExecute'}));
      });
    expect(remedyOf(tainted('os', 'node.kubernetes.io/unreachable'))).toContain('Use the console');
    expect(remedyOf(tainted('node.kubernetes.io/not-ready'))).toMatch(command);
  });

  it('is at its console where no adapter holds its address', () => {
    const addresses = (...all: string[]) =>
      faulty(({status}) => {
        status.addresses = all.map(address => ({type: 'InternalIP', address}));
      });
    expect(remedyOf(addresses('10.9.9.9', '10.9.9.10'))).toContain(
      'no adapter has its address 10.9.9.9 or 10.9.9.10. Use the console',
    );
    expect(remedyOf(addresses())).toMatch(command);
    expect(remedyOf(addresses('10.9.9.9').without('netIPAddresses'))).toMatch(command);
  });
});
