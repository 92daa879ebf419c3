import type {Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, type Verdict} from '../../model/verdict.js';
import {ofAntrea} from './settings.js';

export function tunnelPorts({cluster}: Fleet): Verdict[] {
  const conf = (name: string) => ofAntrea(cluster.all('ConfigMap'), name)?.data['antrea-agent.conf'];
  const [linux, windows] = [conf('antrea-config'), conf('antrea-windows-config')];
  if (linux === undefined || windows === undefined) return [];
  // The defaults are geneve, and the port of the protocol if tunnelPort is 0 or not set.
  const value = (text: string, key: string) =>
    (new RegExp(`^[ \\t]*${key}:[ \\t]*["']?([\\w-]*)`, 'm').exec(text)?.[1] ?? '').replace(/^(0|geneve)$/, '');
  return ['tunnelType', 'tunnelPort']
    .filter(key => value(linux, key) !== value(windows, key))
    .map(key =>
      fail(
        `${key} is ${value(windows, key) || 'the default'} for Windows nodes and ${value(linux, key) || 'the default'} for Linux nodes, so they cannot set up tunnels to each other.`,
      )
        .because(
          {section: 'cluster', object: 'ConfigMap antrea-windows-config', field: key, seen: value(windows, key)},
          {section: 'cluster', object: 'ConfigMap antrea-config', field: key, seen: value(linux, key)},
        )
        .fixedBy(
          manual(
            'kubectl -n kube-system edit configmap antrea-windows-config',
            `Set ${key} as in ConfigMap antrea-config, then: kubectl -n kube-system rollout restart daemonset antrea-agent-windows`,
          ),
        ),
    );
}
