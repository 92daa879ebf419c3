import type {Scenario} from '../../../src/sim/scenario.js';
import {parseScenario} from '../../../src/sim/scenarios.js';

/** Mostly healthy Antrea nodes with a few pods each; one of fifty has been rebooted. */
export function fleetScenario(count: number): Scenario {
  const rebooted = Math.max(1, Math.floor(count / 50));
  return parseScenario(
    'fleet',
    `description: a fleet of ${count} Windows nodes
kubernetes: v1.34.2
podNetwork: 10.0.0.0/8
serviceNetwork: 172.30.0.0/16
plugins: { antrea: { version: v2.2.0 } }
nodes:
  - { name: ctl-1, os: linux, controlPlane: true, address: 192.168.0.11/16, podCIDR: 10.0.0.0/24 }
  - { name: "win-{i}", replicas: ${count - rebooted}, address: 192.168.16.1/16, podCIDR: 10.1.0.0/24 }
  - { name: "off-{i}", replicas: ${rebooted}, address: 192.168.8.1/16, podCIDR: 10.100.0.0/24, events: [reboot] }
workloads:
  - { name: storefront, namespace: shop }
  - { name: invoicer, namespace: shop }
  - { name: mailer, namespace: shop }
`,
  );
}
