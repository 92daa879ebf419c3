import type {Scenario} from '../../../src/sim/scenario.js';
import {parseScenario} from '../../../src/sim/scenarios.js';

/** Versions that the simulation knows. */
const versions: Readonly<Record<string, string>> = {antrea: 'v2.2.0', azure: 'v1.6.18'};

/** With kube-proxy, every node has an endpoint for each pod behind a Service, so this keeps them few. */
const fewBehindServices = `
  - { name: storefront, namespace: shop, replicas: 20 }
  - { name: invoicer, namespace: shop, service: false }
  - { name: mailer, namespace: shop, service: false }
  - { name: reports, namespace: shop, service: false }`;
const workloads: Readonly<Record<string, string>> = {
  antrea: `
  - { name: storefront, namespace: shop }
  - { name: invoicer, namespace: shop }
  - { name: mailer, namespace: shop }`,
  azure: fewBehindServices,
};

/**
 * Mostly healthy nodes with a few pods each; one of fifty has been rebooted. With Antrea, a node has a route for every
 * other node; with Azure CNI, the data of a node does not grow with the fleet.
 */
export function fleetScenario(count: number, plugin = 'antrea'): Scenario {
  const rebooted = Math.max(1, Math.floor(count / 50));
  return parseScenario(
    'fleet',
    `description: a fleet of ${count} Windows nodes
kubernetes: v1.34.2
podNetwork: 10.0.0.0/8
serviceNetwork: 172.30.0.0/16
plugins: { ${plugin}: { version: ${versions[plugin]} } }
nodes:
  - { name: ctl-1, os: linux, controlPlane: true, address: 192.168.0.11/16, podCIDR: 10.0.0.0/24 }
  - { name: "win-{i}", replicas: ${count - rebooted}, address: 192.168.16.1/16, podCIDR: 10.1.0.0/24 }
  - { name: "off-{i}", replicas: ${rebooted}, address: 192.168.8.1/16, podCIDR: 10.100.0.0/24, events: [reboot] }
workloads:${workloads[plugin]}
`,
  );
}
