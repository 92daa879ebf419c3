import {osVersion} from '../../../checks/platform/os-version.js';
import {clusterPrerequisite, prerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {listProperty} from '../../../lib/json-properties.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, skipped, unknown} from '../../../model/verdict.js';
import {hybridConfig, hybridPort, hybridSubnet, subnetAnnotation} from '../hybrid.js';

const docs =
  'https://docs.openshift.com/container-platform/latest/networking/ovn_kubernetes_network_provider/configuring-hybrid-networking.html';
const server2019 = 17_763;

export const installOnLinux = [
  'Install OVN-Kubernetes with the hybrid overlay: start ovnkube with --enable-hybrid-overlay and --hybrid-overlay-cluster-subnets=CIDR/PREFIX',
  'On OpenShift: set hybridOverlayConfig in manifests/cluster-network-03-config.yml before the cluster is installed.',
] as const;

export const hybridNetwork = (target: Installation) =>
  clusterPrerequisite(target, 'hybrid-overlay', {
    title: 'Hybrid overlay has a range for Windows nodes',
    run({cluster, subjects}) {
      const config = hybridConfig({cluster});
      if (config !== undefined && listProperty(config, 'hybridClusterNetwork').length > 0) return undefined;
      if (subjects.some(({object}) => hybridSubnet(object) !== undefined)) return undefined;
      if (config === undefined && cluster.custom('operator.openshift.io', 'Network').length === 0)
        return unknown('The hybrid overlay is enabled by flags of ovnkube, which were not read.').fixedBy(
          manual(...installOnLinux),
        );
      return fail('The hybrid overlay has no range for Windows nodes (hybridClusterNetwork).')
        .because({
          section: 'cluster',
          object: 'Network cluster',
          field: 'hybridOverlayConfig.hybridClusterNetwork',
          seen: null,
          expected: 'a range that is large enough for one subnet per Windows node',
        })
        .fixedBy(manual(...installOnLinux));
    },
    explain: {
      meaning:
        'Windows nodes are not part of OVN. They get their subnets from a separate range and reach the other nodes over VXLAN. The cluster has no such range.',
      why: 'The hybrid overlay is off by default. On OpenShift it can only be configured when the cluster is installed.',
      see: ['kubectl get networks.operator.openshift.io cluster -o yaml'],
      fix: [...installOnLinux],
      sources: [docs],
    },
  });

export const vxlanPort = (target: Installation) =>
  prerequisite(target, 'vxlan-port', {
    title: 'VXLAN uses UDP 4789 if the node runs Windows Server 2019',
    needs: ['cluster'],
    run(subject) {
      const port = hybridPort(subject) ?? 4789;
      const version = osVersion(subject);
      if (port === 4789) return undefined;
      if (!version) return unknown('The Windows build is unknown.');
      if (version.build !== server2019) return undefined;
      return fail(
        `The overlay uses UDP ${port}, but Windows Server 2019 supports only 4789: the node never becomes Ready.`,
      )
        .because({
          section: 'cluster',
          object: 'Network cluster',
          field: 'hybridOverlayVXLANPort',
          seen: port,
          expected: 4789,
        })
        .fixedBy(manual('Use Windows Server 2022, or install the cluster without hybridOverlayVXLANPort.'));
    },
    explain: {
      meaning: 'A VXLAN port other than 4789 requires Windows Server 2022 or later.',
      why: 'The port was changed because VMware NSX or another overlay also uses 4789.',
      see: ['kubectl get networks.operator.openshift.io cluster -o yaml'],
      fix: ['Use Windows Server 2022 or later for the nodes.'],
      sources: [
        docs,
        'https://github.com/openshift/windows-machine-config-operator/blob/master/docs/TROUBLESHOOTING.md',
      ],
    },
  });

export const nodeSubnet = (target: Installation) =>
  prerequisite(target, 'node-subnet', {
    title: 'Node has a subnet in the hybrid overlay',
    needs: ['nodeObject'],
    run({node, object}) {
      if (hybridSubnet(object) !== undefined) return undefined;
      if (hybridConfig({cluster: undefined}) === undefined && object.metadata.annotations.ovn_host_subnet !== undefined)
        return skipped('The node has a subnet from the older OVN.');
      return fail(`Node ${node.name} has no subnet in the hybrid overlay.`)
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: subnetAnnotation,
          seen: null,
          expected: 'a subnet',
        })
        .fixedBy(
          manual(
            'Start ovnkube-control-plane (or ovnkube-master) and read its log: it assigns the subnets.',
            `kubectl get node NODE -o jsonpath='{.metadata.annotations.k8s\\.ovn\\.org/hybrid-overlay-node-subnet}'`,
          ),
        );
    },
    explain: {
      meaning: 'hybrid-overlay-node waits for this annotation before it creates its network.',
      why: 'The OVN-Kubernetes control plane sets it after the node has joined, if the hybrid overlay is enabled.',
      see: [
        'kubectl get nodes -o custom-columns=NAME:.metadata.name,SUBNET:.metadata.annotations.k8s\\.ovn\\.org/hybrid-overlay-node-subnet',
      ],
      fix: ['Enable the hybrid overlay with a range that is large enough.'],
    },
  });
