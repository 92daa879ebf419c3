import {powerShellText, shellText} from '../../lib/quote.js';
import type {Installation} from '../../model/preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import {isIpv4, isLinkLocal} from '../../snapshot/addresses.js';
import {type ClusterModel, internalIp, podCidr} from '../../snapshot/cluster.js';
import {podRanges} from '../cluster-network.js';
import {listOf, prerequisite, sameAs} from './prerequisite.js';

export const joined = (target: Installation) =>
  prerequisite(target, 'kubelet', {
    title: 'kubelet runs, and the node has joined the cluster',
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
            'kubeadm token create --print-join-command (on the control plane; run on this node what it prints)',
          ),
        );
    },
    explain: {
      meaning:
        'A network plugin is set up on a node that kubelet has made one of the cluster. Here kubelet does not run, or the node never joined.',
      why: 'The binaries of Kubernetes are not installed, the join failed, or kubelet was stopped for some work on the node.',
      see: ['Get-Service kubelet', 'kubectl get nodes -o wide'],
      fix: [
        'Install kubelet and kubeadm: PrepareNode.ps1 of sig-windows-tools.',
        'kubeadm token create --print-join-command on the control plane, and run on the node what it prints.',
      ],
      sources: ['https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/'],
    },
  });

export const apiServerReachable = (target: Installation) => {
  const original = sameAs(target, 'api-server', 'net/api-server', {
    title: 'The node reaches the API server',
  });
  return {
    ...original,
    needs: [],
    run(subject) {
      // Where nobody probed, a kubelet that reports its state is proof enough.
      const ready = subject.object?.status?.conditions.find(({type}) => type === 'Ready')?.status;
      const reports = ready === 'True' || ready === 'False';
      if (!subject.node.probes) return reports ? undefined : unknown('The API server was not probed from the node.');
      return listOf(original.run(subject)).filter(({outcome}) => outcome !== 'unknown' || !reports);
    },
  } satisfies typeof original;
};

export const podSubnet = (target: Installation) =>
  prerequisite(target, 'pod-cidr', {
    title: 'A pod subnet for the node',
    needs: ['nodeObject'],
    run({node, object, cluster}) {
      const cidr = podCidr(object);
      if (cidr !== undefined && !cidr.includes(':')) return undefined;
      const range = podRanges(cluster)[0] ?? 'CLUSTER-CIDR';
      return fail(
        `Node ${node.name} has ${cidr === undefined ? 'no pod subnet' : `the pod subnet ${cidr} alone, which is IPv6`}: ${target.title} takes the addresses of its pods from an IPv4 one.`,
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
        'Each node gets a subnet of the cluster range, and the plugin takes the addresses of pods from it. This node has none of IPv4.',
      why: 'kube-controller-manager does not hand out subnets by default, or the cluster range is used up.',
      see: ['kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR'],
      fix: [
        'Start kube-controller-manager with --allocate-node-cidrs=true and --cluster-cidr.',
        'Where the range is used up: a wider one, or a longer --node-cidr-mask-size.',
      ],
    },
  });

export const ipv4Address = (target: Installation) =>
  prerequisite(target, 'ipv4', {
    title: 'An internal IPv4 address of the node',
    needs: ['nodeObject'],
    run({node, object}) {
      if (internalIp(object) !== undefined) return undefined;
      const own = node.netIPAddresses?.find(
        ({ip, prefixLength}) => isIpv4(ip) && !isLinkLocal(ip) && !ip.startsWith('127.') && prefixLength !== 32,
      )?.ip;
      return fail(`Node ${node.name} has no internal IPv4 address, and ${target.title} only knows IPv4 on Windows.`)
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'status.addresses',
          seen: object.status?.addresses.map(({type, address}) => `${type} ${address}`) ?? [],
          expected: 'an InternalIP of IPv4',
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
        'On Windows the plugin only speaks IPv4, and takes the internal address of the node for its tunnels and routes. The node has none.',
      why: 'kubelet picked an address of IPv6, or the network of the node has no IPv4.',
      see: ['kubectl get nodes -o wide', 'Get-NetIPAddress -AddressFamily IPv4'],
      fix: [
        'Give kubelet the address: --node-ip=ADDRESS in C:\\var\\lib\\kubelet\\kubeadm-flags.env, then Restart-Service kubelet',
      ],
    },
  });

/** `told`: how the installer is given another name. */
export const nodeName = (
  target: Installation,
  told: (name: string, cluster: ClusterModel | undefined) => readonly string[],
) =>
  prerequisite(target, 'node-name', {
    title: 'The node is called as its machine is',
    advised: true,
    needs: ['os'],
    run({node, cluster}) {
      const host = node.os.hostName;
      if (host === undefined) return unknown('The name of the machine is not known.');
      if (host.toLowerCase() === node.name.toLowerCase()) return undefined;
      return fail(`The node is called ${node.name}, but its machine ${host}, which ${target.title} uses by default.`)
        .because({section: 'os', object: node.name, field: 'CSName', seen: host, expected: node.name})
        .fixedBy(manual(...told(node.name, cluster)));
    },
    explain: {
      meaning: `The installer of ${target.title} takes the name of the machine, in lower case, for that of the node. Here the two differ, so it must be configured.`,
      why: 'Clouds give nodes longer names, and kubelet can be configured with another.',
      see: ['hostname', 'kubectl get nodes'],
      fix: [...told('NODE', undefined)],
    },
  });
