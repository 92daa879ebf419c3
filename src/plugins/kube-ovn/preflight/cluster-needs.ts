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

const notThere = 'Kube-OVN is not in the cluster yet.';

export const kubeOvnVersion = (target: Installation) =>
  clusterPrerequisite(target, 'version', {
    title: 'Kube-OVN 1.10 to 1.14',
    run({cluster, subjects}) {
      if (!controller(cluster)) return skipped(notThere);
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
    title: 'Kube-OVN without SSL',
    run: fleet =>
      controller(fleet.cluster)
        ? ssl(fleet)?.fixedBy(
            manual(
              `${install} --reuse-values --set networking.ENABLE_SSL=false`,
              'With the script: ENABLE_SSL=false in install.sh, and run it again.',
            ),
          )
        : skipped(notThere),
    explain: {
      meaning: 'With ENABLE_SSL=true the databases of OVN only speak SSL, which ovn-controller on Windows cannot.',
      why: 'Clusters without Windows nodes should enable it.',
      see: ["kubectl -n kube-system get deployment ovn-central -o jsonpath='{.spec.template.spec.containers[*].env}'"],
      fix: ['Install Kube-OVN with ENABLE_SSL=false: in install.sh, or with Helm networking.ENABLE_SSL=false.'],
    },
  });

export const ipv4Only = (target: Installation) =>
  clusterPrerequisite(target, 'ipv4-only', {
    title: 'IPv4-only subnets',
    run: families,
    explain: {
      meaning:
        'On Windows nodes Kube-OVN only carries IPv4. Subnets with IPv6, alone or beside IPv4, do not work there.',
      why: 'The cluster is dual-stack, or a subnet was created for Linux nodes.',
      see: ['kubectl get subnets.kubeovn.io'],
      fix: ['Make subnets of IPv4 alone for what may run on Windows nodes, and keep the others to Linux.'],
    },
  });

export const providerNetwork = (target: Installation) =>
  clusterPrerequisite(target, 'provider-network', {
    title: 'At most one provider network, called provider',
    run: providerNetworks,
    explain: {
      meaning:
        'A Windows node can be in one provider network, and that must be called provider. There is another one that includes Windows nodes.',
      why: 'Linux nodes can have several, of any name.',
      see: ['kubectl get provider-networks.kubeovn.io -o yaml'],
      fix: ['Put the Windows nodes into spec.excludeNodes of every provider network but the one called provider.'],
    },
  });

export const subnetsBeforehand = (target: Installation) =>
  clusterPrerequisite(target, 'subnets', {
    title: 'All subnets exist before Windows nodes join',
    run({cluster}) {
      if (!controller(cluster)) return skipped(notThere);
      const subnets = podSubnets(cluster).filter(({name, ipv4}) => name !== 'join' && ipv4.length > 0);
      if (subnets.length > 0)
        return pass(
          `Windows nodes will have ${names(subnets.map(({name, ipv4}) => `${name} (${ipv4.join(', ')})`))}, and none that is created later.`,
        );
      return fail(
        'The cluster has no Subnet for pods. Kube-OVN adds no subnets to the network of a Windows node later.',
      )
        .because({
          section: 'cluster',
          object: 'Subnet',
          seen: [],
          expected: 'every subnet that pods on Windows will use',
        })
        .fixedBy(
          manual(
            'kubectl -n kube-system rollout restart deployment/kube-ovn-controller (it makes ovn-default and join)',
            'kubectl apply -f SUBNETS.yaml (your own, before Kube-OVN is installed on the Windows nodes)',
          ),
        );
    },
    explain: {
      meaning:
        'The network of a Windows node gets the subnets that exist when Kube-OVN first starts there, and no later ones. So all subnets must exist first.',
      why: 'HNS networks get their subnets when they are created, and Kube-OVN creates its network once.',
      see: ['kubectl get subnets.kubeovn.io'],
      fix: ['Make every subnet that pods on Windows will use, then install Kube-OVN on the Windows nodes.'],
    },
  });

export const noQos = (target: Installation) =>
  clusterPrerequisite(target, 'no-qos', {
    title: 'No bandwidth limits on pods of Windows nodes',
    advised: true,
    run: qos,
    explain: {
      meaning: 'Kube-OVN has no bandwidth limits on Windows: the annotations have no effect there.',
      why: 'Workloads were written for Linux nodes.',
      see: ['kubectl get pods -A -o yaml | grep ovn.kubernetes.io'],
      fix: ['Take the annotations off, or keep these pods to Linux nodes.'],
    },
  });

export const noServices = (target: Installation) =>
  clusterPrerequisite(target, 'services', {
    title: 'No Services that Windows nodes have to reach or forward',
    advised: true,
    run(fleet) {
      const verdicts = servicesOn(fleet);
      if (verdicts.length > 0) return verdicts;
      return info(
        'Pods on Windows nodes will not reach Services, nor will NodePorts of Windows nodes work: kube-proxy is not supported there.',
      );
    },
    explain: {
      meaning:
        'Kube-OVN does not support kube-proxy on Windows, and has nothing in its place. Pods on Windows nodes cannot reach the ClusterIP of any Service, the DNS of the cluster included, and traffic to a NodePort of a Windows node goes nowhere.',
      why: 'It is a limit of Kube-OVN for Windows, not a setting.',
      see: ['kubectl get endpointslices -A -o wide'],
      fix: [
        'Let pods on Windows nodes use addresses of pods or addresses outside the cluster, and set their dnsConfig.',
        'Publish Services through Linux nodes only.',
        'Or choose a plugin with Services on Windows: Antrea, Calico, Flannel.',
      ],
    },
  });
