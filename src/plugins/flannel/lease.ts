import {parseJson, property, textProperty} from '../../lib/json-properties.js';
import {internalIp, type KubeNode, podCidr} from '../../snapshot/cluster.js';
import {normalMac} from '../../snapshot/values.js';

const prefix = 'flannel.alpha.coreos.com';

/** What a node's flanneld tells the others about itself, in annotations. */
export interface Lease {
  readonly type: string;
  readonly address: string | undefined;
  readonly subnet: string | undefined;
  readonly vni: number | undefined;
  /** Undefined where it was never written: peers then leave this node out. */
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
    // What peers send to is what the node says of itself, also where a person has overwritten it.
    address: annotations[`${prefix}/public-ip-overwrite`] ?? annotations[`${prefix}/public-ip`] ?? internalIp(node),
    subnet: podCidr(node),
    vni: typeof vni === 'number' ? vni : undefined,
    mac: mac && normalMac(mac),
  };
}

/** True where flanneld takes its subnet from the Node object, not from etcd. */
export function usesNodeSubnet(node: KubeNode | undefined): boolean {
  return node?.metadata.annotations[`${prefix}/kube-subnet-manager`] === 'true';
}
