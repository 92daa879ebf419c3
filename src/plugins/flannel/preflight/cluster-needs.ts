import {versionVerdict} from '../../../checks/prerequisites/kubernetes.js';
import {clusterPrerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {parseJson, textProperty} from '../../../lib/json-properties.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, skipped, unknown} from '../../../model/verdict.js';
import {isWindows} from '../../../snapshot/cluster.js';
import {apiServerOverride} from '../api-server-override.js';
import {clusterNetConfs} from '../net-conf.js';
import {configMapPatch, isObject, netConfMissing} from './net-conf-needs.js';

export const installOnLinux = [
  'kubectl apply -f https://github.com/flannel-io/flannel/releases/latest/download/kube-flannel.yml',
] as const;

export const flannelVersion = (target: Installation) =>
  clusterPrerequisite(target, 'version', {
    title: 'Flannel 0.10.0 or later',
    run({cluster, subjects}) {
      if (!cluster.all('DaemonSet').some(({metadata}) => /flannel/i.test(metadata.name)))
        return skipped('The cluster has no Flannel DaemonSet.');
      return versionVerdict(target, subjects[0]?.plugin.version, {least: '0.10.0'}, installOnLinux);
    },
    explain: {
      meaning: 'Flannel supports Windows since version 0.10.0. The cluster has an older version.',
      why: 'Flannel was not upgraded.',
      see: ['kubectl get daemonsets -A -o wide'],
      fix: [...installOnLinux],
    },
  });

/** Names of the HNS network that flanneld creates. */
const overlayName = /^(vxlan\d+|flannel\.\d+)$/;

export const networkName = (target: Installation, type: 'vxlan' | 'host-gw') =>
  clusterPrerequisite(target, 'network-name', {
    title: type === 'vxlan' ? 'Network name vxlan0 (or flannel.4096)' : 'Network name cbr0',
    run(fleet) {
      const missing = netConfMissing(fleet);
      if (missing) return missing;
      const confs = cniConfs(fleet.cluster);
      if (confs.length === 0) return unknown('No Flannel cni-conf.json was read.');
      const own = clusterNetConfs(fleet.cluster).flatMap(({name}) => name ?? []);
      const fits = (name: string) =>
        own.includes(name) || (type === 'vxlan' ? overlayName.test(name) : name === 'cbr0');
      // If Windows nodes have their own configuration, the name for Linux nodes does not matter.
      const windows = confs.filter(({forWindows}) => forWindows);
      const wrong = (windows.length > 0 ? windows : confs).filter(({name}) => name === undefined || !fits(name));
      const wanted = own[0] ?? (type === 'vxlan' ? 'vxlan0' : 'cbr0');
      return wrong.map(({namespace, configMap, key, json, name}) =>
        fail(
          `${key} of ConfigMap ${namespace}/${configMap} ${name === undefined ? 'has no network name' : `is for network ${name}`}, but the HNS network will be named ${wanted}: no pod can be attached.`,
        )
          .because({
            section: 'cluster',
            object: `ConfigMap ${namespace}/${configMap}`,
            field: `${key} name`,
            seen: name ?? null,
            expected: wanted,
          })
          .fixedBy(manual(configMapPatch(namespace, configMap, key, JSON.stringify({...json, name: wanted})))),
      );
    },
    explain: {
      meaning:
        'The plugin attaches pods to the HNS network with the name of the CNI configuration. It must be the name of the network on Windows nodes: vxlan0 or flannel.4096 for the overlay, cbr0 for host-gw.',
      why: 'The manifest contains cbr0, which has no effect on Linux.',
      see: ["kubectl -n kube-flannel get configmap kube-flannel-cfg -o jsonpath='{.data.cni-conf\\.json}'"],
      fix: ['Set "name" in cni-conf.json, and restart flanneld.'],
    },
  });

function cniConfs(cluster: Parameters<typeof clusterNetConfs>[0]) {
  return (cluster?.all('ConfigMap') ?? [])
    .filter(({metadata}) => /flannel/i.test(metadata.name))
    .flatMap(({metadata, data}) =>
      Object.keys(data)
        .filter(key => /^cni-conf.*\.json$/.test(key))
        .map(key => {
          const json = parseJson(data[key]);
          return {
            namespace: metadata.namespace ?? 'kube-flannel',
            configMap: metadata.name,
            key,
            json: isObject(json) ? json : {},
            name: textProperty(json, 'name'),
            forWindows: /windows/i.test(metadata.name),
          };
        }),
    );
}

export const serviceHost = (target: Installation) =>
  clusterPrerequisite(target, 'api-server-override', {
    title: 'The Windows DaemonSet, if any, uses the real API server',
    run: apiServerOverride,
    explain: {
      meaning:
        'By default, flanneld in a pod uses the Service of the API server, which does not work on a Windows node before flanneld and kube-proxy have started.',
      why: 'The Windows manifest does not set KUBERNETES_SERVICE_HOST.',
      see: ['kubectl -n kube-flannel get daemonset kube-flannel-ds-windows-amd64 -o yaml'],
      fix: [
        'In the DaemonSet, set KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT to the address of the API server.',
      ],
      sources: ['https://github.com/flannel-io/flannel/issues/1772'],
    },
  });

/** A kernel setting of Linux nodes, which this tool cannot read. */
export const bridgeNetfilter = (target: Installation) =>
  clusterPrerequisite(target, 'bridge-nf', {
    title: 'Linux nodes pass bridged IPv4 traffic to iptables',
    advised: true,
    run({cluster}) {
      if (cluster.all('Node').length > 0 && cluster.all('Node').every(isWindows))
        return skipped('The cluster has no Linux nodes.');
      return unknown('Kernel settings of Linux nodes are not read.').fixedBy(
        manual('sudo sysctl net.bridge.bridge-nf-call-iptables=1 (on every Linux node)'),
      );
    },
    explain: {
      meaning:
        'Flannel on Linux connects pods with a bridge. The rules of kube-proxy apply to that traffic only if the kernel passes it to iptables. This tool does not inspect Linux nodes.',
      why: 'The setting is off unless br_netfilter is loaded and the setting is enabled.',
      see: ['sysctl net.bridge.bridge-nf-call-iptables'],
      fix: [
        'sudo modprobe br_netfilter',
        'sudo sysctl net.bridge.bridge-nf-call-iptables=1, and in /etc/sysctl.d to keep it',
      ],
    },
  });
