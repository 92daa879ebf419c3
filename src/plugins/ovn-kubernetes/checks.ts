import {listProperty, parseJson, textProperty} from '../../lib/json-properties.js';
import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, info, type Verdict} from '../../model/verdict.js';
import {networkPrefix as networkOf} from '../../snapshot/addresses.js';
import {hybridConfig, hybridSubnet, ovnSubnet, subnetAnnotation} from './hybrid.js';

const wmco = 'windowsmachineconfig.openshift.io';
const managed = /^OpenShift managed/i;
/** The service that starts and restarts the other services. */
const keeper = 'windows-instance-config-daemon';

export const ovnKubernetesChecks: readonly Check[] = [
  check({
    id: 'cni/hybrid-overlay-subnet',
    title: 'Node has a subnet in the hybrid overlay',
    failure: 'Node has no subnet in the hybrid overlay',
    severity: 'error',
    plugins: 'hybrid overlay',
    needs: ['nodeObject'],
    appliesTo: ({plugin}) => plugin.name === 'ovn-kubernetes' && plugin.variant === 'hybrid-overlay',
    run(subject) {
      const {node, object} = subject;
      const subnet = hybridSubnet(object);
      if (ovnSubnet(object) !== undefined || (subnet !== undefined && networkOf(subnet) !== undefined))
        return undefined;
      return fail(
        subnet === undefined
          ? `Node ${node.name} has no subnet in the hybrid overlay, so hybrid-overlay-node cannot create its network.`
          : `The hybrid overlay subnet of node ${node.name}, ${subnet}, is not valid.`,
      )
        .because(
          {
            section: 'cluster',
            object: `Node ${node.name}`,
            field: subnetAnnotation,
            seen: subnet ?? null,
            expected: 'a subnet',
          },
          ...(hybridConfig(subject) === undefined
            ? [
                {
                  section: 'cluster',
                  object: 'Network cluster',
                  field: 'hybridOverlayConfig',
                  seen: null,
                  expected: 'hybridClusterNetwork',
                },
              ]
            : []),
        )
        .fixedBy(
          manual(
            `kubectl get networks.operator.openshift.io cluster -o jsonpath='{.spec.defaultNetwork.ovnKubernetesConfig.hybridOverlayConfig}'`,
            'Make sure that hybridClusterNetwork is set and large enough for one subnet per Windows node.',
            'Check the log of ovnkube-control-plane (or ovnkube-master), which assigns the subnets.',
          ),
        );
    },
    explain: {
      meaning:
        'OVN-Kubernetes assigns a subnet to each Windows node in an annotation. The agent on the node waits for it before it creates the pod network. The annotation is missing.',
      why: 'The hybrid overlay is not enabled in the cluster network configuration, its range has no free subnet, or the OVN-Kubernetes control plane is not running.',
      see: [
        'kubectl get nodes -o custom-columns=NAME:.metadata.name,SUBNET:.metadata.annotations.k8s\\.ovn\\.org/hybrid-overlay-node-subnet',
        'kubectl get networks.operator.openshift.io cluster -o yaml',
      ],
      fix: [
        'Set hybridOverlayConfig.hybridClusterNetwork in the cluster network configuration (on OpenShift only possible before Windows nodes join).',
        'Make sure that the OVN-Kubernetes control plane is running.',
      ],
      sources: [
        'https://docs.openshift.com/container-platform/latest/networking/ovn_kubernetes_network_provider/configuring-hybrid-networking.html',
        'https://github.com/ovn-kubernetes/ovn-kubernetes/tree/master/go-controller/hybrid-overlay',
      ],
    },
  }),

  check({
    id: 'cni/openshift-services',
    title: 'Services managed by OpenShift are running',
    failure: 'Services managed by OpenShift are not all running',
    severity: 'error',
    plugins: 'OpenShift',
    needs: ['services'],
    consequenceOf: ['hns/network-present', 'hns/service', 'hns/responds', 'cni/hybrid-overlay-subnet'],
    appliesTo: ({node, object}) =>
      object?.metadata.annotations[`${wmco}/version`] !== undefined ||
      (node.services?.some(({description}) => managed.test(description ?? '')) ?? false),
    run: subject => [...stopped(subject), ...version(subject)],
    explain: {
      meaning:
        'On OpenShift the Windows Machine Config Operator installs containerd, kubelet, the overlay and kube-proxy as services, and keeps them running. A service is stopped or missing, or the node has a different version than the operator requires.',
      why: 'A service stops when something it requires is missing. For example, kube-proxy starts only when the overlay network exists. A different version means that an upgrade has not reached the node, or failed on it.',
      see: [
        "Get-CimInstance Win32_Service | Where-Object Description -like 'OpenShift managed*' | Select-Object Name, State, ExitCode",
        'oc adm node-logs -l kubernetes.io/os=windows --path=wicd/windows-instance-config-daemon.exe.INFO',
        'oc -n openshift-windows-machine-config-operator logs deployment/windows-machine-config-operator',
      ],
      fix: [
        'Repair what the service requires. The operator restarts it.',
        'Do not configure the node manually: the operator reverts the changes. To set up the node again, delete its Machine, or remove the node from ConfigMap windows-instances and add it again.',
      ],
      sources: ['https://github.com/openshift/windows-machine-config-operator/blob/master/docs/TROUBLESHOOTING.md'],
    },
  }),
];

function stopped(subject: NodeSubject<'services'>): Verdict[] {
  const {node} = subject;
  const listed = wantedServices(subject);
  // The operator's daemon on the node runs the listed services, but is not in the list.
  const wanted = listed.length > 0 ? [...new Set([keeper, ...listed])] : [];
  const own = node.services.filter(
    ({name, description}) => name === keeper || managed.test(description ?? '') || wanted.includes(name),
  );
  const idle = own.filter(({state}) => state !== 'Running');
  const missing = wanted.filter(name => !node.services.some(service => service.name === name));
  if (idle.length + missing.length === 0) return [];
  const problems = [
    ...(idle.length > 0
      ? [`${names(idle.map(({name}) => name))} ${idle.length === 1 ? 'is' : 'are'} not running`]
      : []),
    ...(missing.length > 0 ? [`${names(missing)} ${missing.length === 1 ? 'is' : 'are'} not installed`] : []),
  ];
  return [
    fail(`Services managed by OpenShift: ${problems.join('; ')}.`)
      .because(
        ...idle.map(({name, state, exitCode}) => ({
          section: 'services',
          object: name,
          field: 'State',
          seen: exitCode ? `${state}, exit code ${exitCode}` : state,
          expected: 'Running',
        })),
        ...missing.map(name => ({section: 'services', object: name, seen: null, expected: 'Running'})),
      )
      .fixedBy(
        manual(
          ...idle.map(({name}) => `Start-Service ${powerShellText(name)}`),
          'If the operator does not start them, check its log: oc -n openshift-windows-machine-config-operator logs deployment/windows-machine-config-operator',
        ),
      ),
  ];
}

/** The services in the operator's ConfigMap for the node's version. */
function wantedServices({cluster, object}: NodeSubject): string[] {
  const version = object?.metadata.annotations[`${wmco}/version`]?.replaceAll('+', '-');
  const list = cluster?.all('ConfigMap').find(({metadata}) => metadata.name === `windows-services-${version}`);
  return listProperty({services: parseJson(list?.data.services)}, 'services').flatMap(
    service => textProperty(service, 'name') ?? [],
  );
}

function version({node, object}: NodeSubject): Verdict[] {
  const annotations = object?.metadata.annotations ?? {};
  const [is, wanted] = [annotations[`${wmco}/version`], annotations[`${wmco}/desired-version`]];
  if (is === undefined || wanted === undefined || is === wanted) return [];
  if (annotations[`${wmco}/upgrading`] === 'true') return [info(`The node is being upgraded from ${is} to ${wanted}.`)];
  return [
    fail(`The services of this node have version ${is}, but the operator requires ${wanted}.`)
      .as('warning')
      .because({section: 'cluster', object: `Node ${node.name}`, field: `${wmco}/version`, seen: is, expected: wanted})
      .fixedBy(
        manual('oc -n openshift-windows-machine-config-operator logs deployment/windows-machine-config-operator'),
      ),
  ];
}
