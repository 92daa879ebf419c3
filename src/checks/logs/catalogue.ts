import type {KnownError} from '../../model/footprint.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import type {NodeModel} from '../../snapshot/node.js';
import {isOvs} from '../ovs/extension-ids.js';

/** A call to HNS that failed with a code of Win32; codes as small as these mean something else elsewhere. */
const win32 = (code: string, long: string) =>
  new RegExp(
    `(hns|hcn|vmcompute|win32|hostcompute).*(\\(0x0*${code}\\)|\\b0x${long}\\b|\\b${Number.parseInt(long, 16)}\\b)`,
    'i',
  );
/** A code of HNS itself: 0x803b00NN, also as HNS prints it in JSON, in decimal. */
const hcn = (code: string) => new RegExp(`0x803b00${code}\\b|\\b${Number.parseInt(`803b00${code}`, 16)}\\b`, 'i');

const whileRemoving =
  /\b(delet(e|ed|ing)|remov(e|ed|ing)|DEL|detach\w*|clean\w*|tear\w*|KillPodSandbox|StopPodSandbox)\b/i;

const tool = (node: {readonly name: string}) => cleanupRemedy(node);
const toolCutting = (node: {readonly name: string}) => cleanupRemedy(node, {cuts: true});
const manually =
  (...steps: string[]) =>
  () =>
    manual(...steps);

/** A network that could not be made, and what is then missing. */
const refusedNetwork = {
  explains: ['hns/network-present', 'hns/host-endpoint', 'cni/agent-pod', 'ovs/bridges'],
  measuredBy: [
    'hns/foreign-network',
    'net/orphan-switch-binding',
    'net/node-ip-owner',
    'net/apipa',
    'ovs/stale-bridge',
    'cni/azure-state',
    'tunnel/annotation-resolves',
    'platform/hyper-v',
  ],
} as const;

/** An adapter that was looked for by its address or name and not found. */
export const missingAdapter = {
  explains: ['hns/network-present', 'hns/host-endpoint', 'cni/agent-pod', 'ovs/bridges'],
  measuredBy: ['net/node-ip-owner', 'net/apipa', 'net/management-ip', 'tunnel/annotation-resolves'],
} as const;

/** Ports of OVS whose switch is gone; the port of a new pod may be in that state for a moment. */
export const lostOvsDevices = (...devices: string[]): KnownError => ({
  pattern: new RegExp(`could not open network device "?(${devices.join('|')})"? \\(No such device\\)`, 'i'),
  means: 'OVS has ports in its database whose switch is gone',
  remedy: tool,
});

/** The runtime's way to an agent: a named pipe. */
export const agentUnreachable = (pipe: string): KnownError => ({
  pattern: new RegExp(`pipe\\\\+${pipe}: The system cannot find the file`, 'i'),
  means: 'the plugin agent does not serve the runtime: it is not running, or waits for something itself',
  remedy: tool,
});

/** Whether the extension of OVS is on, on some switch: its driver is loaded then. */
function hasOvsExtension({vmSwitchExtensions, hnsNetworks}: NodeModel): boolean {
  return (
    (vmSwitchExtensions?.some(extension => isOvs(extension) && extension.enabled === true) ?? false) ||
    (hnsNetworks?.some(({extensions}) => extensions.some(its => isOvs(its) && its.enabled === true)) ?? false)
  );
}

/** Lines that any plugin, OVS, kubelet or kube-proxy may write; a plugin's own are in its footprint. */
export const commonErrors: readonly KnownError[] = [
  {
    pattern:
      /failed to (get|pull) sandbox image|sandbox image .{0,300}(not found|no match)|kubeletwin\/pause|pause.{0,300}no match for platform in manifest/i,
    means: 'the pause image, which every pod needs for its network, cannot be used on this node',
    remedy: manually(
      'containerd: set sandbox_image in config.toml to mcr.microsoft.com/oss/kubernetes/pause:3.9 (for all versions of Windows), then Restart-Service containerd',
      'Docker: build kubeletwin/pause from a base image of this version of Windows, and start kubelet with --pod-infra-container-image=kubeletwin/pause',
    ),
  },
  {
    pattern: hcn('01'),
    unless: whileRemoving,
    means: 'the plugin asks HNS for a network that is gone, often by an id from before a reboot',
    remedy: tool,
  },
  {
    pattern: /network name "[^"]*" not found|cannot find HNS network with name|unable to find HNS network specified/i,
    means: 'the HNS network that is asked for does not exist, or has another name',
    remedy: tool,
  },
  {
    pattern: win32('490', '80070490'),
    unless: whileRemoving,
    means:
      'an HNS object that is gone is still asked for by its id: state from before a reboot, or a network recreated',
    remedy: tool,
  },
  {
    pattern: win32('57', '80070057'),
    means:
      'HNS cannot make the network: its NIC is virtual or taken by another switch, or a half-removed network is left',
    remedy: toolCutting,
    ...refusedNetwork,
  },
  {
    pattern: win32('32', '80070032'),
    means:
      'this Windows does not support what the plugin asks of HNS: an update is missing, or the feature needs a later version',
    remedy: manually('Install the latest cumulative update of Windows, and reboot.'),
  },
  {
    pattern: win32('22', '80070022'),
    means: 'objects of HNS are older than the HNS that is installed now, as after an update',
    remedy: toolCutting,
  },
  {
    pattern: win32('1392', '80071392'),
    means: 'an endpoint of a deleted pod blocks a new one',
    remedy: tool,
  },
  {
    pattern: win32('b7', '800700b7'),
    means: 'HNS has brought back load balancers from before its restart, and kube-proxy cannot recreate them',
    remedy: tool,
  },
  {pattern: hcn('02'), unless: whileRemoving, means: 'an endpoint that is gone is still asked for', remedy: tool},
  {
    pattern: hcn('06'),
    means: 'HNS finds no free NIC: it is bound to another switch or team, or its name is written wrong',
    remedy: manually(
      'Get-NetAdapterBinding -ComponentID vms_pp',
      'Get-HnsNetwork | Select-Object Name, NetworkAdapterName',
    ),
    ...refusedNetwork,
  },
  {pattern: hcn('07'), unless: whileRemoving, means: 'the port of an endpoint is gone from the switch', remedy: tool},
  {
    pattern: hcn('0d'),
    means: 'HNS refuses a policy: a setting of the plugin or of kube-proxy is not supported by this version of Windows',
    remedy: manually(
      'Compare the policies in the CNI configuration with what the plugin documents for this version of Windows.',
    ),
  },
  {
    pattern: hcn('10'),
    means: 'a network of the same name or subnet already exists',
    remedy: toolCutting,
    ...refusedNetwork,
  },
  {
    pattern: hcn('13'),
    means: 'a port is already in use: a stale load balancer holds it',
    remedy: tool,
  },
  {
    pattern: new RegExp(`${hcn('14').source}|endpoint is already attached to the switch`, 'i'),
    means: 'an endpoint from before the reboot is left without its adapter, and the agent cannot attach it again',
    remedy: tool,
  },
  {
    pattern: hcn('17'),
    means: 'an endpoint is degraded: often a policy in the CNI configuration holds a CIDR that is none',
    remedy: manually('Look for a placeholder or a wrong CIDR in the CNI configuration, then delete the pod.'),
  },
  {
    pattern: hcn('1e'),
    means: 'an address, mostly the source VIP of kube-proxy, is outside the subnets of the network',
    remedy: tool,
  },
  {
    pattern: hcn('1f'),
    means: 'an extension of the switch that is asked for is not installed',
    remedy: manually('netcfg -q ovsext', 'Install the driver again with the script of the plugin.'),
  },
  {pattern: hcn('2c'), means: 'HNS does not remove an object because others still refer to it', remedy: tool},
  {pattern: hcn('2e'), means: 'an endpoint could not be attached to the namespace of its pod', remedy: tool},
  {
    pattern: hcn('2f'),
    means: 'an address is invalid or taken: two pods or an old lease have the same one',
    remedy: tool,
  },
  lostOvsDevices('br-int'),
  {
    pattern: /uplink "?[^"]*"? is not a physical adapter/i,
    means: 'the NIC that the agent wants is under another switch already',
    remedy: toolCutting,
    ...refusedNetwork,
  },
  {
    pattern: /failed to set the uplink port with no-flood config/i,
    means: 'OVS does not reach its driver: the extension is off, or the driver is missing',
    remedy: toolCutting,
    measuredBy: ['ovs/extension', 'ovs/driver', 'ovs/services'],
    otherwise: {
      when: hasOvsExtension,
      means: 'OVS has not taken the port of the uplink, though its extension is on and its driver is loaded',
      remedy: manually(
        'ovs-vsctl.exe --timeout=5 show',
        'Restart the agent; where the error comes again, restart ovs-vswitchd first.',
      ),
    },
  },
  {
    pattern: /source-vip flag not set/i,
    means: 'kube-proxy got no source VIP: sourceVip.json is missing, empty or has a byte-order mark',
    remedy: tool,
  },
  {
    pattern: /KUBE_NETWORK and network-flag not initialized/i,
    means: 'kube-proxy is not configured with the name of the HNS network',
    remedy: manually('Set networkName in the configuration of kube-proxy, or KUBE_NETWORK in its environment.'),
  },
  {
    pattern: /no index found for interface|waiting for interface matching management IP/i,
    means:
      'no adapter has the ManagementIP of the HNS network: the address changed, or the network sits on another NIC',
    remedy: toolCutting,
    ...missingAdapter,
  },
  {
    pattern: /failed to look up one or more HNS endpoints/i,
    means: 'HNS has lost endpoints of running pods, as after a restart of HNS',
    remedy: manually('Delete the pods of this node that cannot be reached; their controllers recreate them.'),
  },
  {
    pattern: /no IP addresses available in range set/i,
    means: 'all addresses of the node are leased, many of them to deleted pods',
    remedy: tool,
  },
  {
    pattern: /Port with name: \S+ already defined on the switch/i,
    means: 'OVS has a port that the switch knows under another id: leftovers from before a reboot',
    remedy: tool,
  },
  {
    pattern: /failed to create user process token.*access is denied/i,
    means: 'containerd does not run as LocalSystem, so HostProcess pods cannot start',
    remedy: manually('sc.exe config containerd obj= LocalSystem', 'Restart-Service containerd -Force'),
  },
  {
    pattern: /0x803b00[0-9a-f]{2}\b/i,
    unless: whileRemoving,
    isFamily: true,
    means: 'HNS refused a call with one of its error codes (0x803b00NN)',
    remedy: manually(
      'Get-WinEvent -LogName Microsoft-Windows-Host-Network-Service-Admin -MaxEvents 20',
      'Look the code up in hcnerrors.go of microsoft/hcsshim: it names what HNS refused.',
    ),
  },
];
