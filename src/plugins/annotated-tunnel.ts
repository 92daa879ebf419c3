// Of all plugins one alone reads its tunnel interface from an annotation of the node. What annotates nodes asks here, so that
// it knows no plugin by name, and completion need not load them all.
export {chassisOf, linuxTunnelAdapter} from './kube-ovn/cluster-facts.js';
export {
  addressesOf,
  addressHolder,
  asIfRenamed,
  isUsable,
  resolve,
  tunnelAddresses,
  tunnelAnnotation,
} from './kube-ovn/tunnel-interface.js';
