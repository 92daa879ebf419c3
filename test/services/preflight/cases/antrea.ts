import {withOvs} from '../build.js';
import {antreaApplied} from '../ready.js';
import {type Case, ofNode, ofSection} from '../support.js';

const agentConf = 'C:\\k\\antrea\\etc\\antrea-agent.conf';
const kubeconfigs =
  'clientConnection:\n  kubeconfig: C:\\k\\antrea\\a.kubeconfig\nantreaClientConnection:\n  kubeconfig: C:\\k\\antrea\\b.kubeconfig\n';

export const antreaCases: Readonly<Record<string, Case>> = {
  'api-server-override': {
    met: antreaApplied,
    unmet: s =>
      antreaApplied(s).object('ConfigMap', 'antrea-windows-config', its => {
        its.data['antrea-agent.conf'] = '#kubeAPIServerOverride: ""\nantreaProxy:\n  proxyAll: true\n';
      }),
    fix: 'kubeAPIServerOverride: "https://10.0.0.10:6443"',
  },
  'kubernetes-version': {
    unmet: s => {
      s.document.cluster.version = 'v1.22.4';
      return ofNode(node => {
        node.status.nodeInfo.kubeletVersion = 'v1.22.4';
      })(s);
    },
    fix: 'Upgrade the cluster',
  },
  'containerd-version': {
    unmet: ofNode(node => {
      node.status.nodeInfo.containerRuntimeVersion = 'containerd://1.7.2';
    }),
    fix: '.\\Install-Containerd.ps1',
  },
  'ovs-services': {
    met: withOvs,
    unmet: s =>
      withOvs(s).section('services', services => {
        services.find((its: {Name: string}) => its.Name === 'ovsdb-server').State = 'Stopped';
      }),
    fix: "Start-Service 'ovsdb-server'",
  },
  'ovs-driver': {
    mode: 'service',
    unmet: ofSection('drivers', drivers => {
      drivers.ovsext.Inf = ['oem3.inf', 'oem9.inf'];
    }),
    fix: '.\\Install-OVS.ps1 -InstallUserspace $true',
  },
  'ovs-rundir': {
    mode: 'service',
    unmet: s => s.without('ovs', {kind: 'Failed', message: 'database connection failed (No such file or directory)'}),
    fix: "[Environment]::SetEnvironmentVariable('OVS_RUNDIR'",
  },
  'agent-conf': {
    mode: 'service',
    met: ofSection('files', files => files.push({Path: agentConf, Exists: true, Content: kubeconfigs})),
    unmet: ofSection('files', files =>
      files.push({Path: agentConf, Exists: true, Content: kubeconfigs.replace(/^antreaClient[\s\S]*/m, '')}),
    ),
    fix: 'antreaClientConnection.kubeconfig',
  },
  'node-name': {
    mode: 'service',
    unmet: ofSection('os', os => {
      os.CSName = 'WIN-A7F3';
    }),
    fix: "SetEnvironmentVariable('NODE_NAME', 'win-1', 'Machine')",
  },
  'boot-hook': {
    unmet: ofSection('files', files => {
      files[1].Content = 'kubelet.exe\n';
    }),
    fix: '& C:\\k\\antrea\\Prepare-AntreaAgent.ps1',
  },
};
