import {versionVerdict} from '../../../checks/prerequisites/kubernetes.js';
import {clusterPrerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {names} from '../../../lib/names.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, info, pass, skipped} from '../../../model/verdict.js';
import {controller, podSubnets} from '../cluster-facts.js';
import {families, providerNetworks, qos, servicesOn, ssl} from '../limits.js';

const install = 'helm upgrade --install kube-ovn kubeovn/kube-ovn --version v1.14.4 --namespace kube-system';

export const installOnLinux = [
  'helm repo add kubeovn https://kubeovn.github.io/kube-ovn/',
  `${install} --set networking.ENABLE_SSL=false --set MASTER_NODES=ADDRESS`,
] as const;

const notInstalled = 'Kube-OVN is not installed in the cluster.';

export const kubeOvnVersion = (target: Installation) =>
  clusterPrerequisite(target, 'version', {
    title: 'Kube-OVN 1.10 to 1.14',
    run({cluster, subjects}) {
      if (!controller(cluster)) return skipped(notInstalled);
      return versionVerdict(target, subjects[0]?.plugin.version, {least: '1.10.0', below: '1.15.0'}, [
        `${install} --reuse-values`,
        'Or choose a plugin that still supports Windows nodes: Antrea, Calico, Flannel.',
      ]);
    },
    explain: {
      meaning: 'Kube-OVN supports Windows nodes from 1.10 to 1.14. Other versions have no Windows binaries.',
      why: 'Open vSwitch and OVN are dropping Windows support, and Kube-OVN removed its Windows code in December 2025.',
      see: [
        'kubectl -n kube-system get deployment kube-ovn-controller -o jsonpath={.spec.template.spec.containers[*].image}',
      ],
      fix: ['Stay on 1.14, or choose another plugin for clusters with Windows nodes.'],
      sources: ['https://github.com/kubeovn/kube-ovn/pull/6080'],
    },
  });

export const sslOff = (target: Installation) =>
  clusterPrerequisite(target, 'ssl-off', {
    title: 'Kube-OVN does not use SSL',
    run: fleet =>
      controller(fleet.cluster)
        ? ssl(fleet)?.fixedBy(
            manual(
              `${install} --reuse-values --set networking.ENABLE_SSL=false`,
              'If installed with the script: set ENABLE_SSL=false in install.sh and run it again.',
            ),
          )
        : skipped(notInstalled),
    explain: {
      meaning:
        'With ENABLE_SSL=true, the OVN databases accept only SSL connections, which ovn-controller on Windows does not support.',
      why: 'SSL is recommended for clusters without Windows nodes.',
      see: ["kubectl -n kube-system get deployment ovn-central -o jsonpath='{.spec.template.spec.containers[*].env}'"],
      fix: ['Install Kube-OVN with ENABLE_SSL=false: in install.sh, or with Helm networking.ENABLE_SSL=false.'],
    },
  });

export const ipv4Only = (target: Installation) =>
  clusterPrerequisite(target, 'ipv4-only', {
    title: 'Subnets are IPv4-only',
    run: families,
    explain: {
      meaning: 'On Windows nodes, Kube-OVN supports only IPv4. IPv6 and dual-stack subnets do not work there.',
      why: 'The cluster is dual-stack, or a subnet was created for Linux nodes.',
      see: ['kubectl get subnets.kubeovn.io'],
      fix: [
        'Create IPv4-only subnets for pods that may run on Windows nodes, and use other subnets only on Linux nodes.',
      ],
    },
  });

export const providerNetwork = (target: Installation) =>
  clusterPrerequisite(target, 'provider-network', {
    title: 'At most one provider network, named provider',
    run: providerNetworks,
    explain: {
      meaning:
        'A Windows node supports one provider network, which must be named provider. Another provider network includes Windows nodes.',
      why: 'Linux nodes support several provider networks with any name.',
      see: ['kubectl get provider-networks.kubeovn.io -o yaml'],
      fix: ['Add the Windows nodes to spec.excludeNodes of every provider network except the one named provider.'],
    },
  });

export const subnetsBeforehand = (target: Installation) =>
  clusterPrerequisite(target, 'subnets', {
    title: 'All subnets exist before Windows nodes join',
    run({cluster}) {
      if (!controller(cluster)) return skipped(notInstalled);
      const subnets = podSubnets(cluster).filter(({name, ipv4}) => name !== 'join' && ipv4.length > 0);
      if (subnets.length > 0)
        return pass(
          `Windows nodes will use ${names(subnets.map(({name, ipv4}) => `${name} (${ipv4.join(', ')})`))}, but no subnet created later.`,
        );
      return fail(
        'The cluster has no Subnet for pods. Kube-OVN does not add later subnets to the network of a Windows node.',
      )
        .because({
          section: 'cluster',
          object: 'Subnet',
          seen: [],
          expected: 'every subnet that pods on Windows will use',
        })
        .fixedBy(
          manual(
            'kubectl -n kube-system rollout restart deployment/kube-ovn-controller (creates ovn-default and join)',
            'kubectl apply -f SUBNETS.yaml (your own, before Kube-OVN is installed on the Windows nodes)',
          ),
        );
    },
    explain: {
      meaning:
        'The network of a Windows node gets the subnets that exist when Kube-OVN first starts on the node, but no later ones. So all subnets must exist before that.',
      why: 'HNS networks get their subnets when they are created, and Kube-OVN creates its network once.',
      see: ['kubectl get subnets.kubeovn.io'],
      fix: ['Create all subnets that pods on Windows will use, then install Kube-OVN on the Windows nodes.'],
    },
  });

export const noQos = (target: Installation) =>
  clusterPrerequisite(target, 'no-qos', {
    title: 'Pods on Windows nodes have no bandwidth limits',
    advised: true,
    run: qos,
    explain: {
      meaning: 'Kube-OVN does not support bandwidth limits on Windows: the annotations have no effect.',
      why: 'Workloads were written for Linux nodes.',
      see: ['kubectl get pods -A -o yaml | grep ovn.kubernetes.io'],
      fix: ['Remove the annotations, or schedule these pods only on Linux nodes.'],
    },
  });

export const noServices = (target: Installation) =>
  clusterPrerequisite(target, 'services', {
    title: 'Windows nodes do not have to reach or forward Services',
    advised: true,
    run(fleet) {
      const verdicts = servicesOn(fleet);
      if (verdicts.length > 0) return verdicts;
      return info(
        'Pods on Windows nodes cannot reach Services, and NodePorts of Windows nodes do not work: kube-proxy is not supported there.',
      );
    },
    explain: {
      meaning:
        'Kube-OVN does not support kube-proxy on Windows and has no replacement for it. Pods on Windows nodes cannot reach the ClusterIP of any Service, including cluster DNS. Traffic to a NodePort of a Windows node is lost.',
      why: 'It is a limitation of Kube-OVN on Windows, not a setting.',
      see: ['kubectl get endpointslices -A -o wide'],
      fix: [
        'In pods on Windows nodes, use pod addresses or addresses outside the cluster, and set dnsConfig.',
        'Expose Services only through Linux nodes.',
        'Or choose a plugin that supports Services on Windows: Antrea, Calico, Flannel.',
      ],
    },
  });
