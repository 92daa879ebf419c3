import {type Check, clusterCheck} from '../../model/check.js';

export const udpPortChecks: readonly Check[] = [
  clusterCheck({
    id: 'tunnel/udp-port',
    title: 'Windows and Linux nodes use the same tunnel port',
    failure: 'Windows and Linux nodes use different tunnel ports',
    severity: 'error',
    plugins: 'VXLAN plugins, Antrea',
    consequenceOf: ['cni/flannel-net-conf'],
    appliesTo: ({subjects}) => subjects.some(({plugin}) => plugin.profile.tunnel !== undefined),
    run: fleet =>
      fleet.known.flatMap(own => {
        const subjects = fleet.subjects.filter(({plugin}) => plugin.name === own.name && plugin.profile.tunnel);
        return subjects.length > 0 ? own.acrossNodes.tunnelPorts({...fleet, subjects}) : [];
      }),
    explain: {
      meaning:
        'Nodes send pod traffic to each other in UDP packets. The two sides use different UDP ports, so packets are lost.',
      why: 'Windows sends VXLAN to port 4789; Server 2019 supports no other port. Flannel on Linux uses 8472 by default, and a net-conf.json without a port means 8472 on Linux and 4789 on Windows. For Antrea, the ConfigMaps for Linux and for Windows must agree.',
      see: [
        "kubectl -n kube-flannel get configmap kube-flannel-cfg -o jsonpath='{.data.net-conf\\.json}'",
        "kubectl get felixconfigurations default -o jsonpath='{.spec.vxlanPort}'",
        "kubectl get networks.operator.openshift.io cluster -o jsonpath='{.spec.defaultNetwork.ovnKubernetesConfig.hybridOverlayConfig}'",
        'Get-HnsNetwork | Select-Object Name, Policies',
      ],
      fix: [
        'Flannel: set "Port": 4789 under Backend in net-conf.json, and restart flanneld on every node.',
        'Calico: set spec.vxlanPort of FelixConfiguration default to 4789.',
        'OpenShift: remove hybridOverlayVXLANPort, or replace the Server 2019 nodes.',
        'Antrea: set the same tunnelType and tunnelPort in antrea-config and antrea-windows-config.',
        'Allow UDP 4789 (Geneve: 6081) between all nodes, also in the cloud network rules.',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md#vxlan',
        'https://github.com/openshift/windows-machine-config-operator/issues/340',
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
      ],
    },
  }),
];
