import {type Check, clusterCheck} from '../../model/check.js';

export const udpPortChecks: readonly Check[] = [
  clusterCheck({
    id: 'tunnel/udp-port',
    title: 'Windows and Linux nodes use the same tunnel port',
    failure: 'Windows and Linux nodes use different tunnel ports',
    severity: 'error',
    plugins: 'vxlan CNIs, Antrea',
    appliesTo: ({subjects}) => subjects.some(({plugin}) => plugin.profile.tunnel !== undefined),
    run: fleet =>
      fleet.known.flatMap(own => {
        const subjects = fleet.subjects.filter(({plugin}) => plugin.name === own.name && plugin.profile.tunnel);
        return subjects.length > 0 ? own.acrossNodes.tunnelPorts({...fleet, subjects}) : [];
      }),
    explain: {
      meaning:
        'Nodes send pod traffic to each other in UDP packets, to one port. The two sides use different ports, so what one sends the other never takes in.',
      why: 'Windows sends VXLAN to port 4789; on Server 2019 nothing else is possible. Flannel on Linux uses 8472 by default, and a net-conf.json without a port means 8472 there and 4789 here. For Antrea the two ConfigMaps, one for Linux and one for Windows, have to say the same.',
      see: [
        "kubectl -n kube-flannel get configmap kube-flannel-cfg -o jsonpath='{.data.net-conf\\.json}'",
        "kubectl get felixconfigurations default -o jsonpath='{.spec.vxlanPort}'",
        "kubectl get networks.operator.openshift.io cluster -o jsonpath='{.spec.defaultNetwork.ovnKubernetesConfig.hybridOverlayConfig}'",
        'Get-HnsNetwork | Select-Object Name, Policies',
      ],
      fix: [
        'Flannel: set "Port": 4789 under Backend in net-conf.json, and restart flanneld on every node.',
        'Calico: set spec.vxlanPort of FelixConfiguration default to 4789.',
        'OpenShift: take hybridOverlayVXLANPort out, or replace the Server 2019 nodes.',
        'Antrea: give antrea-config and antrea-windows-config the same tunnelType and tunnelPort.',
        'Let UDP 4789 (geneve: 6081) through between all nodes, in the rules of the cloud too.',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md#vxlan',
        'https://github.com/openshift/windows-machine-config-operator/issues/340',
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
      ],
    },
  }),
];
