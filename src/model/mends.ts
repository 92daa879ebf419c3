import type {Level} from './level.js';

/** What it takes to mend a finding. */
export interface Mend {
  readonly level: Level;
  /**
   * A: no loss of link expected. A~: the agent may make the network anew, a blip. D: cuts the node's network.
   * M: a person's business, though a restart may do it.
   */
  readonly remedy: 'A' | 'A~' | 'D' | 'M';
  /** What has to start anew after it. */
  readonly restarts: 'agent' | 'kube-proxy' | 'nothing';
}

const mend = (level: Level, remedy: Mend['remedy'], restarts: Mend['restarts'] = 'agent'): Mend => ({
  level,
  remedy,
  restarts,
});

/** Findings that a cleanup can mend, whatever the plugin; a plugin's own cleanup may know better. */
export const commonMends: Readonly<Record<string, Mend>> = {
  'cluster/rebooted': mend('medium', 'A~'),
  'cni/agent-pod': mend('soft', 'M'),
  'cni/calico-boot-time': mend('soft', 'A~'),
  'cni/conf': mend('soft', 'A'),
  'cni/host-local-leases': mend('medium', 'A', 'nothing'),
  'hns/crash': mend('soft', 'A', 'kube-proxy'),
  'hns/host-endpoint': mend('soft', 'A'),
  'hns/leaked-endpoints': mend('medium', 'A', 'nothing'),
  'hns/network-present': mend('soft', 'A~'),
  'hns/network-type': mend('hard', 'D'),
  'hns/service': mend('soft', 'A'),
  'hns/subnet': mend('soft', 'A~'),
  'hns/subnet-missing': mend('hard', 'D'),
  'hns/threads': mend('hard', 'D'),
  'hns/responds': mend('hard', 'D'),
  'hns/two-extensions': mend('medium', 'D'),
  'kube-proxy/dangling-load-balancer': mend('soft', 'A', 'kube-proxy'),
  'kube-proxy/dns-load-balancer': mend('soft', 'A', 'kube-proxy'),
  'kube-proxy/older-than-hns': mend('soft', 'A', 'kube-proxy'),
  'kube-proxy/source-vip': mend('medium', 'A', 'kube-proxy'),
  'net/apipa': mend('hard', 'D'),
  'net/firewall': mend('medium', 'A', 'nothing'),
  'net/forwarding': mend('soft', 'A'),
  'net/management-ip': mend('hard', 'D'),
  'net/metadata-route': mend('medium', 'A', 'nothing'),
  'net/node-ip-owner': mend('hard', 'D'),
  'net/orphan-switch-binding': mend('medium', 'D'),
  'net/peer-routes': mend('soft', 'A~'),
  'ovs/bridges': mend('soft', 'A~'),
  'ovs/extension': mend('medium', 'D'),
  'ovs/gateway-port': mend('soft', 'A'),
  'ovs/pod-ports': mend('soft', 'M'),
  'ovs/port-error': mend('soft', 'A'),
  'ovs/services': mend('soft', 'A'),
  'ovs/stale-bridge': mend('medium', 'A~'),
  'ovs/tunnel-port': mend('soft', 'M'),
  'ovs/uplink-port': mend('soft', 'D'),
  'tunnel/annotation-matches-uplink': mend('hard', 'D'),
  'tunnel/remote-routes': mend('soft', 'A'),
  'tunnel/vtep-mac': mend('soft', 'A'),
};

/** Faults that only a person mends, and with which an agent that is restarted does not come up again. */
export const obstacles: ReadonlySet<string> = new Set([
  'ovs/driver',
  'platform/hyper-v',
  'platform/os-build',
  'platform/test-signing',
  'tunnel/annotation-resolves',
]);
