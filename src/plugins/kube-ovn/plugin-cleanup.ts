import type {Cleanup} from '../../model/plugin-cleanup.js';
import {composeDraft} from '../../repair/plan/compose-draft.js';
import {ovsNeeds, ovsParts, ovsRepair} from '../../repair/plan/ovs-cleanup.js';
import {awaitOvsExtension} from '../../repair/steps/make.js';

/** kube-ovn makes the network; ovn-controller may start only when the extension is on (kube-ovn dist/windows/install.ps1). */
const services = ['kube-ovn', 'ovn-controller'];

/** Kube-OVN ships no clean-up: the order is derived from its daemon, which builds everything again when it starts. */
export const kubeOvnCleanup: Cleanup = {
  builder: () => 'agent',
  needs: ovsNeeds,
  repair: ovsRepair,

  draft(job) {
    const ready = [awaitOvsExtension('kube-ovn', 'ovn-controller cannot work while the extension is off.')];
    return composeDraft(job, {...ovsParts(job), services, ready, stopFirst: true});
  },
};
