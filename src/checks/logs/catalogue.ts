import type {KnownError} from '../../model/footprint.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import type {NodeModel} from '../../snapshot/node.js';
import {isOvs} from '../ovs/extension-ids.js';

/**
 * A Win32 error code of an HNS call. Such small codes are only matched together with HNS, because they occur elsewhere
 * too.
 */
const win32 = (code: string, long: string) =>
  new RegExp(
    `(hns|hcn|vmcompute|win32|hostcompute).*(\\(0x0*${code}\\)|\\b0x${long}\\b|\\b${Number.parseInt(long, 16)}\\b)`,
    'i',
  );
/** An HNS error code: 0x803b00NN, or the same in decimal, as HNS prints it in JSON. */
const hcn = (code: string) => new RegExp(`0x803b00${code}\\b|\\b${Number.parseInt(`803b00${code}`, 16)}\\b`, 'i');

const whileRemoving =
  /\b(delet(e|ed|ing)|remov(e|ed|ing)|DEL|detach\w*|clean\w*|tear\w*|KillPodSandbox|StopPodSandbox)\b/i;

const tool = (node: {readonly name: string}) => cleanupRemedy(node);
const toolCutting = (node: {readonly name: string}) => cleanupRemedy(node, {cuts: true});
const manually =
  (...steps: string[]) =>
  () =>
    manual(...steps);

/** A network that could not be created, and what is then missing. */
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

/** An adapter that was not found by its address or name. */
export const missingAdapter = {
  explains: ['hns/network-present', 'hns/host-endpoint', 'cni/agent-pod', 'ovs/bridges'],
  measuredBy: ['net/node-ip-owner', 'net/apipa', 'net/management-ip', 'tunnel/annotation-resolves'],
} as const;

/**
 * OVS ports whose switch no longer exists. Limited to these devices, because the port of a new pod may briefly be in
 * that state.
 */
export const lostOvsDevices = (...devices: string[]): KnownError => ({
  pattern: new RegExp(`could not open network device "?(${devices.join('|')})"? \\(No such device\\)`, 'i'),
  means: 'the OVS database has ports whose switch no longer exists',
  remedy: tool,
});

/** The runtime connects to the agent through a named pipe. */
export const agentUnreachable = (pipe: string): KnownError => ({
  pattern: new RegExp(`pipe\\\\+${pipe}: The system cannot find the file`, 'i'),
  means:
    'the plugin agent does not accept connections from the runtime: it is not running, or is itself waiting for something',
  remedy: tool,
});

/** Whether the OVS extension is enabled on a switch, which means that its driver is loaded. */
function hasOvsExtension({vmSwitchExtensions, hnsNetworks}: NodeModel): boolean {
  return (
    (vmSwitchExtensions?.some(extension => isOvs(extension) && extension.enabled === true) ?? false) ||
    (hnsNetworks?.some(({extensions}) => extensions.some(its => isOvs(its) && its.enabled === true)) ?? false)
  );
}

/** Lines that any plugin, OVS, kubelet or kube-proxy may write; those of a single plugin are in its footprint. */
export const commonErrors: readonly KnownError[] = [
  {
    pattern:
      /failed to (get|pull) sandbox image|sandbox image .{0,300}(not found|no match)|kubeletwin\/pause|pause.{0,300}no match for platform in manifest/i,
    means: 'the pause image, which every pod needs for its network, cannot be used on this node',
    remedy: manually(
      'containerd: set sandbox_image in config.toml to mcr.microsoft.com/oss/kubernetes/pause:3.9 (for all Windows versions), then Restart-Service containerd',
      'Docker: build kubeletwin/pause from a base image of this Windows version, and start kubelet with --pod-infra-container-image=kubeletwin/pause',
    ),
  },
  {
    pattern: hcn('01'),
    unless: whileRemoving,
    means: 'the plugin requests an HNS network that no longer exists, often with an id from before a reboot',
    remedy: tool,
  },
  {
    pattern: /network name "[^"]*" not found|cannot find HNS network with name|unable to find HNS network specified/i,
    means: 'the requested HNS network does not exist or has another name',
    remedy: tool,
  },
  {
    pattern: win32('490', '80070490'),
    unless: whileRemoving,
    means:
      'an HNS object that no longer exists is requested by its id: stale state from before a reboot, or a recreated network',
    remedy: tool,
  },
  {
    pattern: win32('57', '80070057'),
    means:
      'HNS cannot create the network: its NIC is virtual or used by another switch, or a partially removed network remains',
    remedy: toolCutting,
    ...refusedNetwork,
  },
  {
    pattern: win32('32', '80070032'),
    means:
      'this Windows version does not support the request of the plugin to HNS: an update is missing, or the feature requires a later version',
    remedy: manually('Install the latest cumulative update for Windows, and reboot.'),
  },
  {
    pattern: win32('22', '80070022'),
    means: 'HNS objects are older than the installed version of HNS, for example after an update',
    remedy: toolCutting,
  },
  {
    pattern: win32('1392', '80071392'),
    means: 'an endpoint of a deleted pod blocks a new one',
    remedy: tool,
  },
  {
    pattern: win32('b7', '800700b7'),
    means: 'HNS restored load balancers from before its restart, and kube-proxy cannot recreate them',
    remedy: tool,
  },
  {pattern: hcn('02'), unless: whileRemoving, means: 'an endpoint that no longer exists is requested', remedy: tool},
  {
    pattern: hcn('06'),
    means: 'HNS finds no available NIC: it is bound to another switch or team, or its name is misspelled',
    remedy: manually(
      'Get-NetAdapterBinding -ComponentID vms_pp',
      'Get-HnsNetwork | Select-Object Name, NetworkAdapterName',
    ),
    ...refusedNetwork,
  },
  {pattern: hcn('07'), unless: whileRemoving, means: 'the switch no longer has the port of an endpoint', remedy: tool},
  {
    pattern: hcn('0d'),
    means: 'HNS rejects a policy: this Windows version does not support a setting of the plugin or of kube-proxy',
    remedy: manually(
      'Compare the policies in the CNI configuration with the documentation of the plugin for this Windows version.',
    ),
  },
  {
    pattern: hcn('10'),
    means: 'a network with the same name or subnet already exists',
    remedy: toolCutting,
    ...refusedNetwork,
  },
  {
    pattern: hcn('13'),
    means: 'a port is already in use by a stale load balancer',
    remedy: tool,
  },
  {
    pattern: new RegExp(`${hcn('14').source}|endpoint is already attached to the switch`, 'i'),
    means: 'an endpoint from before the reboot has no adapter, and the agent cannot attach it again',
    remedy: tool,
  },
  {
    pattern: hcn('17'),
    means: 'an endpoint is degraded: often a policy in the CNI configuration contains an invalid CIDR',
    remedy: manually('Check the CNI configuration for a placeholder or an invalid CIDR, then delete the pod.'),
  },
  {
    pattern: hcn('1e'),
    means: 'an address, usually the source VIP of kube-proxy, is outside the subnets of the network',
    remedy: tool,
  },
  {
    pattern: hcn('1f'),
    means: 'a requested switch extension is not installed',
    remedy: manually('netcfg -q ovsext', 'Reinstall the driver with the script of the plugin.'),
  },
  {pattern: hcn('2c'), means: 'HNS does not remove an object because others still refer to it', remedy: tool},
  {pattern: hcn('2e'), means: 'an endpoint could not be attached to the namespace of its pod', remedy: tool},
  {
    pattern: hcn('2f'),
    means: 'an address is invalid or already in use by another pod or an old lease',
    remedy: tool,
  },
  lostOvsDevices('br-int'),
  {
    pattern: /uplink "?[^"]*"? is not a physical adapter/i,
    means: 'the NIC that the agent requires is already used by another switch',
    remedy: toolCutting,
    ...refusedNetwork,
  },
  {
    pattern: /failed to set the uplink port with no-flood config/i,
    means: 'OVS cannot reach its driver: the extension is disabled, or the driver is missing',
    remedy: toolCutting,
    measuredBy: ['ovs/extension', 'ovs/driver', 'ovs/services'],
    otherwise: {
      when: hasOvsExtension,
      means: 'OVS has not added the uplink port although its extension is enabled and its driver is loaded',
      remedy: manually(
        'ovs-vsctl.exe --timeout=5 show',
        'Restart the agent. If the error recurs, restart ovs-vswitchd first.',
      ),
    },
  },
  {
    pattern: /source-vip flag not set/i,
    means: 'kube-proxy has no source VIP: sourceVip.json is missing, empty or has a byte-order mark',
    remedy: tool,
  },
  {
    pattern: /KUBE_NETWORK and network-flag not initialized/i,
    means: 'kube-proxy is not configured with the name of the HNS network',
    remedy: manually('Set networkName in the configuration of kube-proxy, or KUBE_NETWORK in its environment.'),
  },
  {
    pattern: /no index found for interface|waiting for interface matching management IP/i,
    means: 'no adapter has the ManagementIP of the HNS network: the address changed, or the network uses another NIC',
    remedy: toolCutting,
    ...missingAdapter,
  },
  {
    pattern: /failed to look up one or more HNS endpoints/i,
    means: 'HNS has lost endpoints of running pods, for example after a restart of HNS',
    remedy: manually('Delete the unreachable pods on this node; their controllers recreate them.'),
  },
  {
    pattern: /no IP addresses available in range set/i,
    means: 'all addresses of the node are reserved, many of them for deleted pods',
    remedy: tool,
  },
  {
    pattern: /Port with name: \S+ already defined on the switch/i,
    means: 'OVS has a port that has another id on the switch: a leftover from before a reboot',
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
    means: 'HNS rejected a call with one of its error codes (0x803b00NN)',
    remedy: manually(
      'Get-WinEvent -LogName Microsoft-Windows-Host-Network-Service-Admin -MaxEvents 20',
      'Look up the code in hcnerrors.go of microsoft/hcsshim.',
    ),
  },
];
