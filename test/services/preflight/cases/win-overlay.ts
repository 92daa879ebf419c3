import type {Raw} from '../../../checks/support.js';
import {type Case, ofSection} from '../support.js';

const without = (path: RegExp) =>
  ofSection('files', files => {
    files.splice(0, files.length, ...files.filter((file: Raw) => !path.test(file.Path)));
  });

export const winOverlayCases: Readonly<Record<string, Case>> = {
  'kubernetes-version': {
    unmet: s => {
      s.document.cluster.version = 'v1.13.12';
      return s;
    },
    fix: 'kubeadm upgrade apply v1.14.0',
  },
  'container-runtime': {
    unmet: ofSection('services', services => {
      services.find((its: Raw) => its.Name === 'containerd').State = 'Stopped';
    }),
    fix: "Start-Service 'containerd'",
  },
  conf: {unmet: without(/10-overlay/), fix: 'type win-overlay'},
  'outbound-nat': {
    unmet: ofSection('files', files => {
      const file = files.find((its: Raw) => /10-overlay/.test(its.Path));
      file.Content = file.Content.replace('"10.244.0.0/16",', '');
    }),
    fix: /10\.244\.0\.0\/16/,
  },
  program: {unmet: without(/win-overlay\.exe$/), fix: 'curl.exe -L'},
  network: {
    unmet: ofSection('hnsNetworks', networks => networks.splice(0)),
    fix: "New-HnsNetwork -Type Overlay -AddressPrefix '10.244.1.0/24' -Gateway '10.244.1.1'",
  },
};
