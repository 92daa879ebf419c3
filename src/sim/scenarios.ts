import {load} from 'js-yaml';
import * as z from 'zod/mini';
import {WinError} from '../lib/errors.js';
import {own} from '../lib/own.js';
import {type Scenario, scenarioSchema} from './scenario.js';
import antreaHealthy from './scenarios/antrea-healthy.yaml';
import antreaOvsInPod from './scenarios/antrea-ovs-in-pod.yaml';
import antreaReboot from './scenarios/antrea-reboot.yaml';
import antreaService from './scenarios/antrea-service.yaml';
import antreaServiceReboot from './scenarios/antrea-service-reboot.yaml';
import azure from './scenarios/azure.yaml';
import azureReboot from './scenarios/azure-reboot.yaml';
import calico from './scenarios/calico.yaml';
import calicoReboot from './scenarios/calico-reboot.yaml';
import flannelHostGw from './scenarios/flannel-hostgw.yaml';
import flannelHostGwReboot from './scenarios/flannel-hostgw-reboot.yaml';
import flannelOverlay from './scenarios/flannel-overlay.yaml';
import flannelReboot from './scenarios/flannel-reboot.yaml';
import flannelService from './scenarios/flannel-service.yaml';
import flannelServiceDamaged from './scenarios/flannel-service-damaged.yaml';
import fleet from './scenarios/fleet.yaml';
import hybridOverlay from './scenarios/hybrid-overlay.yaml';
import hybridOverlayReboot from './scenarios/hybrid-overlay-reboot.yaml';
import kubeOvn from './scenarios/kube-ovn.yaml';
import kubeOvnFleet from './scenarios/kube-ovn-fleet.yaml';
import kubeOvnReboot from './scenarios/kube-ovn-reboot.yaml';
import olderOvn from './scenarios/older-ovn.yaml';
import olderOvnReboot from './scenarios/older-ovn-reboot.yaml';
import winBridge from './scenarios/win-bridge.yaml';
import winBridgeReboot from './scenarios/win-bridge-reboot.yaml';

const texts: Record<string, string> = {
  'antrea-healthy': antreaHealthy,
  'antrea-reboot': antreaReboot,
  'antrea-ovs-in-pod': antreaOvsInPod,
  'antrea-service': antreaService,
  'antrea-service-reboot': antreaServiceReboot,
  'flannel-overlay': flannelOverlay,
  'flannel-reboot': flannelReboot,
  'flannel-service': flannelService,
  'flannel-service-damaged': flannelServiceDamaged,
  'flannel-hostgw': flannelHostGw,
  'flannel-hostgw-reboot': flannelHostGwReboot,
  calico,
  'calico-reboot': calicoReboot,
  azure,
  'azure-reboot': azureReboot,
  'hybrid-overlay': hybridOverlay,
  'hybrid-overlay-reboot': hybridOverlayReboot,
  'older-ovn': olderOvn,
  'older-ovn-reboot': olderOvnReboot,
  'win-bridge': winBridge,
  'win-bridge-reboot': winBridgeReboot,
  'kube-ovn': kubeOvn,
  'kube-ovn-reboot': kubeOvnReboot,
  'kube-ovn-fleet': kubeOvnFleet,
  fleet,
};

export interface ScenarioSummary {
  name: string;
  description: string;
  text: string;
}

/** The built-in scenarios. */
export function listScenarios(): ScenarioSummary[] {
  return Object.entries(texts).map(([name, text]) => ({
    name,
    text,
    description: parseScenario(name, text).description,
  }));
}

export interface LoadOptions {
  /** Number of Windows nodes. Entries with `replicas` share what fixed entries leave. */
  size?: number;
}

export function loadScenario(name: string, options: LoadOptions = {}): Scenario {
  const text = own(texts, name);
  if (text === undefined) {
    throw new WinError(`Unknown scenario ${name}.`, {next: [`Choose one of: ${Object.keys(texts).join(', ')}.`]});
  }
  const scenario = parseScenario(name, text);
  return options.size === undefined ? scenario : resized(scenario, options.size);
}

export function parseScenario(name: string, text: string): Scenario {
  const parsed = scenarioSchema.safeParse(load(text));
  if (!parsed.success) {
    throw new WinError(`Scenario ${name} is not valid: ${z.prettifyError(parsed.error)}`, {cause: parsed.error});
  }
  return {...parsed.data, name};
}

function resized(scenario: Scenario, size: number): Scenario {
  const elastic = scenario.nodes.filter(node => node.os === 'windows' && node.replicas !== undefined);
  const fixed = scenario.nodes.filter(node => node.os === 'windows' && node.replicas === undefined).length;
  const share = size - fixed;
  if (elastic.length === 0 || share < elastic.length) {
    const least = fixed + elastic.length;
    throw new WinError(`Scenario ${scenario.name} cannot have ${size} Windows nodes.`, {
      next: [elastic.length === 0 ? 'Its size is fixed.' : `It needs at least ${least}.`],
    });
  }
  const replicasOf = (index: number) => Math.floor(share / elastic.length) + (index < share % elastic.length ? 1 : 0);
  const nodes = scenario.nodes.map(node => {
    const index = elastic.indexOf(node);
    return index < 0 ? node : {...node, replicas: replicasOf(index)};
  });
  return {...scenario, nodes};
}
