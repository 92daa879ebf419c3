import type {Raw} from '../../../checks/support.js';
import {type Case, ofSection} from '../support.js';

const without = (path: RegExp) =>
  ofSection('files', files => {
    files.splice(0, files.length, ...files.filter((file: Raw) => !path.test(file.Path)));
  });

export const azureCases: Readonly<Record<string, Case>> = {
  'container-runtime': {
    unmet: ofSection('services', services => {
      services.find((its: Raw) => its.Name === 'containerd').State = 'Stopped';
    }),
    fix: "Start-Service 'containerd'",
  },
  'external-network': {
    unmet: ofSection('hnsNetworks', networks => networks.splice(0)),
    fix: "-AdapterName 'Ethernet0' -Name 'ext'",
  },
  conf: {unmet: without(/10-azure/), fix: '10-azure.conflist'},
  program: {unmet: without(/azure-vnet\.exe$/), fix: 'azure-container-networking/releases'},
  state: {
    unmet: ofSection('files', files =>
      files.push({
        Path: 'C:\\k\\azure-vnet.json',
        Exists: true,
        LastWriteTime: '2026-02-01T00:00:00Z',
        Content: '\u0000\u0000',
      }),
    ),
    fix: 'kubectl win cleanup win-1',
  },
};
