import type {Cleanup} from '../../model/plugin-cleanup.js';
import {composeDraft} from '../../repair/plan/compose-draft.js';
import {ovsNeeds, ovsParts, ovsRepair} from '../../repair/plan/ovs-cleanup.js';
import {awaitOvsExtension} from '../../repair/steps/make.js';

/**
 * kube-ovn creates the network; ovn-controller must not start before the extension is enabled (kube-ovn
 * dist/windows/install.ps1).
 */
const services = ['kube-ovn', 'ovn-controller'];

/**
 * Kube-OVN has no cleanup of its own: the order is derived from its daemon, which recreates everything when it starts.
 */
export const kubeOvnCleanup: Cleanup = {
  builder: () => 'agent',
  needs: ovsNeeds,
  repair: ovsRepair,

  draft(job) {
    const ready = [awaitOvsExtension('kube-ovn', 'ovn-controller cannot work while the extension is disabled.')];
    return composeDraft(job, {...ovsParts(job), services, ready, stopFirst: true});
  },
};
