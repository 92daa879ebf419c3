// Only Kube-OVN reads its tunnel interface from a node annotation. Code that annotates nodes imports it from here, so
// that it does not refer to a plugin by name and completion need not load all plugins.
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
