import {parseJson, property, textProperty} from '../../lib/json-properties.js';
import {internalIp, type KubeNode, podCidr} from '../../snapshot/cluster.js';
import {normalMac} from '../../snapshot/values.js';

const prefix = 'flannel.alpha.coreos.com';

/** What a node's flanneld publishes about itself in annotations. */
export interface Lease {
  readonly type: string;
  readonly address: string | undefined;
  readonly subnet: string | undefined;
  readonly vni: number | undefined;
  /** Undefined if it was not published: peers then ignore this node. */
  readonly mac: string | undefined;
}

export function leaseOf(node: KubeNode | undefined): Lease | undefined {
  const annotations = node?.metadata.annotations ?? {};
  const type = annotations[`${prefix}/backend-type`];
  if (type === undefined) return undefined;
  const data = parseJson(annotations[`${prefix}/backend-data`]);
  const vni = property(data, 'VNI');
  const mac = textProperty(data, 'VtepMAC');
  return {
    type: type.toLowerCase(),
    // Peers send to the published address, or to the one that an operator set instead.
    address: annotations[`${prefix}/public-ip-overwrite`] ?? annotations[`${prefix}/public-ip`] ?? internalIp(node),
    subnet: podCidr(node),
    vni: typeof vni === 'number' ? vni : undefined,
    mac: mac && normalMac(mac),
  };
}

/** Whether flanneld reads its subnet from the Node object, not from etcd. */
export function usesNodeSubnet(node: KubeNode | undefined): boolean {
  return node?.metadata.annotations[`${prefix}/kube-subnet-manager`] === 'true';
}
