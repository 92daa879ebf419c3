import {powerShellText, shellText} from '../../lib/quote.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import {isIpv4, isLinkLocal} from '../../snapshot/addresses.js';
import {type ClusterModel, internalIp, podCidr} from '../../snapshot/cluster.js';
import {podRanges} from '../cluster-network.js';
import {listOf, prerequisite, sameAs} from './prerequisite.js';

export const joined = (target: Installation) =>
  prerequisite(target, 'kubelet', {
    title: 'kubelet is running, and the node has joined the cluster',
    needs: ['cluster'],
    run({node, object, cluster}) {
      const service = node.services?.find(({name}) => name.toLowerCase() === 'kubelet');
      if (service && !/^running$/i.test(service.state))
        return fail(`Service ${service.name} is ${service.state.toLowerCase()}.`)
          .because({
            section: 'services',
            object: service.name,
            field: 'State',
            seen: service.state,
            expected: 'Running',
          })
          .fixedBy(manual(`Start-Service ${powerShellText(service.name)}`));
      if (object) return undefined;
      return fail(`The cluster has no Node ${node.name}: the node has not joined it.`)
        .because({section: 'cluster', object: `Node ${node.name}`, seen: null, expected: 'a Node object'})
        .fixedBy(
          manual(
            `.\\PrepareNode.ps1 -KubernetesVersion ${cluster.version ?? 'VERSION'} (installs kubelet and kubeadm)`,
            'kubeadm token create --print-join-command (on the control plane; run the printed command on this node)',
          ),
        );
    },
    explain: {
      meaning:
        'A network plugin requires a node that has joined the cluster. kubelet is not running, or the node has not joined.',
      why: 'The Kubernetes binaries are not installed, the join failed, or kubelet was stopped.',
      see: ['Get-Service kubelet', 'kubectl get nodes -o wide'],
      fix: [
        'Install kubelet and kubeadm with PrepareNode.ps1 from sig-windows-tools.',
        'Run kubeadm token create --print-join-command on the control plane, and run the printed command on the node.',
      ],
      sources: ['https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/'],
    },
  });

export const apiServerReachable = (target: Installation) => {
  const original = sameAs(target, 'api-server', 'net/api-server', {
    title: 'Node can reach the API server',
  });
  return {
    ...original,
    needs: [],
    run(subject) {
      // Without a probe, a kubelet that reports its state is sufficient evidence.
      const ready = subject.object?.status?.conditions.find(({type}) => type === 'Ready')?.status;
      const reports = ready === 'True' || ready === 'False';
      if (!subject.node.probes) return reports ? undefined : unknown('The API server was not probed from the node.');
      return listOf(original.run(subject)).filter(({outcome}) => outcome !== 'unknown' || !reports);
    },
  } satisfies typeof original;
};

export const podSubnet = (target: Installation) =>
  prerequisite(target, 'pod-cidr', {
    title: 'Node has a pod subnet',
    needs: ['nodeObject'],
    run({node, object, cluster}) {
      const cidr = podCidr(object);
      if (cidr !== undefined && !cidr.includes(':')) return undefined;
      const range = podRanges(cluster)[0] ?? 'CLUSTER-CIDR';
      return fail(
        `Node ${node.name} has ${cidr === undefined ? 'no pod subnet' : `only the IPv6 pod subnet ${cidr}`}: ${target.title} assigns pod addresses from an IPv4 subnet.`,
      )
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'spec.podCIDR',
          seen: cidr ?? null,
          expected: `a part of ${range}`,
        })
        .fixedBy(
          manual(
            `Start kube-controller-manager with --allocate-node-cidrs=true --cluster-cidr=${shellText(range)} (kubeadm: in /etc/kubernetes/manifests/kube-controller-manager.yaml)`,
          ),
        );
    },
    explain: {
      meaning:
        'Each node gets a subnet of the cluster CIDR, and the plugin assigns pod addresses from it. This node has no IPv4 subnet.',
      why: 'kube-controller-manager does not allocate subnets by default, or the cluster CIDR is exhausted.',
      see: ['kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR'],
      fix: [
        'Start kube-controller-manager with --allocate-node-cidrs=true and --cluster-cidr.',
        'If the range is exhausted, use a larger one, or a longer --node-cidr-mask-size.',
      ],
    },
  });

export const ipv4Address = (target: Installation) =>
  prerequisite(target, 'ipv4', {
    title: 'Node has an internal IPv4 address',
    needs: ['nodeObject'],
    run({node, object}) {
      if (internalIp(object) !== undefined) return undefined;
      const own = node.netIPAddresses?.find(
        ({ip, prefixLength}) => isIpv4(ip) && !isLinkLocal(ip) && !ip.startsWith('127.') && prefixLength !== 32,
      )?.ip;
      return fail(`Node ${node.name} has no internal IPv4 address, but ${target.title} supports only IPv4 on Windows.`)
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'status.addresses',
          seen: object.status?.addresses.map(({type, address}) => `${type} ${address}`) ?? [],
          expected: 'an IPv4 InternalIP',
        })
        .fixedBy(
          manual(
            `Append --node-ip=${own ?? 'ADDRESS'} to KUBELET_KUBEADM_ARGS in C:\\var\\lib\\kubelet\\kubeadm-flags.env`,
            'Restart-Service kubelet',
          ),
        );
    },
    explain: {
      meaning:
        'On Windows the plugin supports only IPv4, and uses the internal address of the node for its tunnels and routes. The node has no internal IPv4 address.',
      why: 'kubelet selected an IPv6 address, or the node network has no IPv4.',
      see: ['kubectl get nodes -o wide', 'Get-NetIPAddress -AddressFamily IPv4'],
      fix: [
        'Set the address for kubelet: --node-ip=ADDRESS in C:\\var\\lib\\kubelet\\kubeadm-flags.env, then Restart-Service kubelet',
      ],
    },
  });

/** `setName`: how to configure the installer with another name. */
export const matchingNodeName = (
  target: Installation,
  setName: (name: string, cluster: ClusterModel | undefined) => readonly string[],
) =>
  prerequisite(target, 'node-name', {
    title: 'Node name and machine name are the same',
    advised: true,
    needs: ['os'],
    run({node, cluster}) {
      const host = node.os.hostName;
      if (host === undefined) return unknown('The machine name is unknown.');
      if (host.toLowerCase() === node.name.toLowerCase()) return undefined;
      return fail(
        `The node name is ${node.name}, but the machine name is ${host}, which ${target.title} uses by default.`,
      )
        .because({section: 'os', object: node.name, field: 'CSName', seen: host, expected: node.name})
        .fixedBy(manual(...setName(node.name, cluster)));
    },
    explain: {
      meaning: `The installer of ${target.title} uses the machine name, in lower case, as the node name. The two differ, so the node name must be configured.`,
      why: 'Cloud providers use longer node names, and kubelet can be configured with another name.',
      see: ['hostname', 'kubectl get nodes'],
      fix: [...setName('NODE', undefined)],
    },
  });
