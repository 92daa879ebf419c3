import {serviceRanges} from '../../../checks/cluster-network.js';
import {apiServer, isService} from '../../../checks/cni/api-server-override.js';
import {versionVerdict} from '../../../checks/prerequisites/kubernetes.js';
import {clusterPrerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {listProperty, property, textProperty} from '../../../lib/json-properties.js';
import {shellText} from '../../../lib/quote.js';
import type {Fleet} from '../../../model/check.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, skipped} from '../../../model/verdict.js';
import {installation, specOf} from '../resources.js';
import {felixVni} from '../tunnel-facts.js';
import {tunnelPorts} from '../tunnel-ports.js';

export const operatorGuide = 'https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/operator';

export const installOnLinux = [
  'kubectl create -f https://raw.githubusercontent.com/projectcalico/calico/v3.29.1/manifests/tigera-operator.yaml',
  'kubectl create -f https://raw.githubusercontent.com/projectcalico/calico/v3.29.1/manifests/custom-resources.yaml (with encapsulation: VXLAN in its ipPools)',
] as const;

export const notInstalled = 'Calico is not installed in the cluster.';

export function isAbsent({subjects}: Fleet): boolean {
  return subjects.every(({plugin}) => plugin.evidence.length === 0);
}

export const calicoVersion = (target: Installation) =>
  clusterPrerequisite(target, 'version', {
    title: 'Calico 3.27 or later with the operator, 3.12 or later without',
    run(fleet) {
      if (isAbsent(fleet)) return skipped(notInstalled);
      const least = installation(fleet.cluster) ? '3.27.0' : '3.12.0';
      return versionVerdict(target, fleet.subjects[0]?.plugin.version, {least}, [
        'kubectl apply --server-side --force-conflicts -f https://raw.githubusercontent.com/projectcalico/calico/v3.29.1/manifests/tigera-operator.yaml',
      ]);
    },
    explain: {
      meaning: 'Windows nodes require Calico 3.12 or later, or 3.27 or later if the operator installs it.',
      why: 'Calico was not upgraded.',
      see: ['kubectl get daemonsets -A -o wide', 'kubectl get clusterinformations default -o yaml'],
      fix: ['Upgrade the operator or the manifest to a current release.'],
    },
  });

export const bgpOff = (target: Installation) =>
  clusterPrerequisite(target, 'bgp-off', {
    title: 'BGP is disabled',
    run({cluster}) {
      const own = installation(cluster);
      if (!own) return skipped('Calico was not installed by the operator; only the operator has this setting.');
      const bgp = textProperty(property(specOf(own), 'calicoNetwork'), 'bgp');
      if (bgp === 'Disabled') return undefined;
      return fail(
        `BGP is ${bgp ?? 'not set (default Enabled)'} in the Installation; with VXLAN on Windows it must be Disabled.`,
      )
        .because({
          section: 'cluster',
          object: 'Installation default',
          field: 'spec.calicoNetwork.bgp',
          seen: bgp ?? null,
          expected: 'Disabled',
        })
        .fixedBy(
          manual(`kubectl patch installation default --type=merge -p '{"spec":{"calicoNetwork":{"bgp":"Disabled"}}}'`),
        );
    },
    explain: {
      meaning: 'Windows nodes support either an overlay or BGP, not both. With VXLAN, BGP must be disabled.',
      why: 'The operator enables it by default.',
      see: ["kubectl get installation default -o jsonpath='{.spec.calicoNetwork.bgp}'"],
      fix: [`kubectl patch installation default --type=merge -p '{"spec":{"calicoNetwork":{"bgp":"Disabled"}}}'`],
      sources: [operatorGuide],
    },
  });

export const vxlanVni = (target: Installation) =>
  clusterPrerequisite(target, 'vni', {
    title: 'VNI is 4096 or higher',
    run({cluster}) {
      const seen = felixVni({cluster, object: undefined});
      if (seen >= 4096 && seen <= 65_535) return undefined;
      return fail(`The VNI of Calico is ${seen}, but Windows supports 4096 to 65535.`)
        .because({
          section: 'cluster',
          object: 'FelixConfiguration default',
          field: 'spec.vxlanVNI',
          seen,
          expected: 4096,
        })
        .fixedBy(manual(`kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanVNI":4096}}'`));
    },
    explain: {
      meaning:
        'Every overlay packet carries the number of the network, the VNI. HNS rejects a VNI below 4096 and truncates one above 65535.',
      why: 'It was changed from the default 4096.',
      see: ["kubectl get felixconfigurations default -o jsonpath='{.spec.vxlanVNI}'"],
      fix: [`kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanVNI":4096}}'`],
    },
  });

export const vxlanPort = (target: Installation) =>
  clusterPrerequisite(target, 'port', {
    title: 'UDP port is 4789',
    run: tunnelPorts,
    explain: {
      meaning: 'UDP 4789 is the only port that Windows supports for VXLAN.',
      why: 'It was changed from the default 4789.',
      see: ["kubectl get felixconfigurations default -o jsonpath='{.spec.vxlanPort}'"],
      fix: [`kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanPort":4789}}'`],
    },
  });

export const servicesEndpoint = (target: Installation) =>
  clusterPrerequisite(target, 'services-endpoint', {
    title: 'ConfigMap kubernetes-services-endpoint has the real API server address',
    run({cluster}) {
      const namespace = installation(cluster) ? 'tigera-operator' : 'kube-system';
      const [host = 'ADDRESS', number = '6443'] = apiServer(cluster)?.split(':') ?? [];
      const literals = `--from-literal=KUBERNETES_SERVICE_HOST=${shellText(host)} --from-literal=KUBERNETES_SERVICE_PORT=${shellText(number)}`;
      // The manifest for installations without the operator uses another ConfigMap.
      const found = cluster
        .all('ConfigMap')
        .filter(({metadata}) => /^(kubernetes-services-endpoint|calico-windows-config)$/.test(metadata.name));
      const own = found.find(({metadata}) => metadata.namespace === namespace) ?? found[0];
      const seen = own?.data.KUBERNETES_SERVICE_HOST;
      if (seen && !isService(cluster, seen)) return undefined;
      return fail(
        own
          ? `ConfigMap ${own.metadata.namespace}/${own.metadata.name} ${seen ? `has ${seen}, the ClusterIP of the API server` : 'has no host'}: Windows nodes cannot use it.`
          : `ConfigMap ${namespace}/kubernetes-services-endpoint is missing: Calico on Windows has no API server address.`,
      )
        .because({
          section: 'cluster',
          object: `ConfigMap ${own?.metadata.namespace ?? namespace}/${own?.metadata.name ?? 'kubernetes-services-endpoint'}`,
          field: 'KUBERNETES_SERVICE_HOST',
          seen: seen ?? null,
          expected: host,
        })
        .fixedBy(
          manual(
            `kubectl -n ${namespace} create configmap kubernetes-services-endpoint ${literals} --dry-run=client -o yaml | kubectl apply -f -`,
          ),
        );
    },
    explain: {
      meaning:
        'Calico writes a kubeconfig for its services on each Windows node. It reads the API server address from this ConfigMap, because the kubernetes Service does not work on the node yet.',
      why: 'It must be created manually before Calico is enabled for Windows.',
      see: [
        'kubectl -n tigera-operator get configmap kubernetes-services-endpoint -o yaml',
        'kubectl get endpointslices -n default -l kubernetes.io/service-name=kubernetes',
      ],
      fix: [
        'kubectl -n tigera-operator create configmap kubernetes-services-endpoint --from-literal=KUBERNETES_SERVICE_HOST=ADDRESS --from-literal=KUBERNETES_SERVICE_PORT=6443',
      ],
      sources: [operatorGuide],
    },
  });

export const serviceCidrs = (target: Installation) =>
  clusterPrerequisite(target, 'service-cidrs', {
    title: 'Installation has serviceCIDRs and windowsDataplane HNS',
    run({cluster}) {
      const own = installation(cluster);
      if (!own) return skipped('Calico was not installed by the operator; only the operator has this setting.');
      const ranges = listProperty(specOf(own), 'serviceCIDRs');
      const dataplane = textProperty(property(specOf(own), 'calicoNetwork'), 'windowsDataplane');
      if (ranges.length > 0 && dataplane === 'HNS') return undefined;
      const wanted = ranges.length > 0 ? ranges : serviceRanges(cluster);
      const patch = {
        spec: {
          serviceCIDRs: wanted.length > 0 ? wanted : ['SERVICE-CIDR'],
          calicoNetwork: {windowsDataplane: 'HNS'},
        },
      };
      return fail(
        ranges.length === 0
          ? 'serviceCIDRs is not set in the Installation; Calico on Windows requires it.'
          : `windowsDataplane is ${dataplane ?? 'not set'} in the Installation: the operator does not install Calico on Windows nodes.`,
      )
        .because({
          section: 'cluster',
          object: 'Installation default',
          field: ranges.length === 0 ? 'spec.serviceCIDRs' : 'spec.calicoNetwork.windowsDataplane',
          seen: ranges.length === 0 ? [] : (dataplane ?? null),
          expected: ranges.length === 0 ? wanted : 'HNS',
        })
        .fixedBy(manual(`kubectl patch installation default --type merge -p ${shellText(JSON.stringify(patch))}`));
    },
    explain: {
      meaning:
        'The operator installs Calico on Windows nodes only if windowsDataplane is HNS. It also requires the Service CIDRs.',
      why: 'Both are usually not set in clusters without Windows nodes.',
      see: ['kubectl get installation default -o yaml'],
      fix: [
        `kubectl patch installation default --type merge -p '{"spec":{"serviceCIDRs":["10.96.0.0/12"],"calicoNetwork":{"windowsDataplane":"HNS"}}}'`,
      ],
      sources: [operatorGuide],
    },
  });
