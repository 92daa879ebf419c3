import {names} from '../../lib/names.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail} from '../../model/verdict.js';
import {isIpv4} from '../../snapshot/addresses.js';
import {hasIp} from '../../snapshot/cluster.js';
import {activeConf, confType} from '../../snapshot/cni-conf.js';
import {folderOf, nameOf} from '../../snapshot/paths.js';

const minutes = 60_000;
/** A lease is written before its endpoint is created, so a recent lease is not stale. */
const young = 10 * minutes;

export const leaseChecks: readonly Check[] = [
  check({
    id: 'cni/host-local-leases',
    title: 'Reserved pod addresses belong to existing pods',
    failure: 'Addresses are reserved for pods that no longer exist',
    severity: 'warning',
    repair: {level: 'medium', effect: 'none', restarts: 'nothing'},
    plugins: 'plugins that use host-local',
    needs: ['files', 'hnsEndpoints'],
    consequenceOf: ['cluster/rebooted', 'hns/network-present'],
    appliesTo: usesHostLocal,
    run(subject) {
      const {node} = subject;
      const stale = leases(subject).filter(lease => !isLive(subject, lease));
      if (stale.length === 0) return undefined;
      return fail(
        `${stale.length} ${stale.length === 1 ? 'address is' : 'addresses are'} reserved for containers that no longer exist: ${names(stale.map(({ip}) => ip))}.`,
      )
        .because(
          ...stale.slice(0, 20).map(({path, container}) => ({
            section: 'files',
            object: path,
            field: 'Content',
            seen: container,
            expected: 'a container with an HNS endpoint',
          })),
        )
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'host-local records each address that it assigns in a file of that name. Some belong to containers that no longer exist. Each one blocks an address; when none is left, no pod can start: "no IP addresses available".',
      why: 'After a power loss or a reset, the CNI plugin is not called for the pods that no longer exist, so their files remain.',
      see: [
        'Get-ChildItem C:\\var\\lib\\cni\\networks -Recurse | Select-Object FullName, LastWriteTime',
        'Get-HnsEndpoint | Select-Object Name, IPAddress',
      ],
      fix: [
        'Delete the files of addresses that no endpoint has. Keep the file that contains "dummy": it reserves the source VIP.',
      ],
      sources: [
        'https://www.cni.dev/plugins/current/ipam/host-local/',
        'https://github.com/containernetworking/plugins/tree/main/pkg/hns',
      ],
    },
  }),
];

interface Lease {
  readonly path: string;
  readonly ip: string;
  readonly container: string;
}

function usesHostLocal({node, plugin}: NodeSubject): boolean {
  const conf = activeConf(node);
  const named = conf?.plugins.flatMap(({ipam}) => ipam ?? []) ?? [];
  const usual = plugin.known.find(({confType: own}) => own.test(confType(conf) ?? ''))?.footprint.ipam;
  return named.includes('host-local') || (named.length === 0 && usual === 'host-local');
}

/**
 * Files named after an address, with the container id in the first line; start scripts reserve the source VIP as
 * `dummy`.
 */
function leases({node, now}: NodeSubject<'files'>): Lease[] {
  return node.files.flatMap(({path, exists, content, writtenAt}) => {
    const ip = nameOf(path);
    const container = content?.split(/\r?\n/)[0]?.trim() ?? '';
    if (!exists || !/\\lib\\cni\\networks\\[^\\]+$/.test(folderOf(path)) || !isIpv4(ip)) return [];
    if (container === '' || /^dummy/i.test(container)) return [];
    if (writtenAt !== undefined && now - writtenAt < young) return [];
    return [{path, ip, container}];
  });
}

function isLive({node, cluster}: NodeSubject<'hnsEndpoints'>, {ip, container}: Lease): boolean {
  return (
    node.hnsEndpoints.some(
      endpoint =>
        !endpoint.remote &&
        (endpoint.ip === ip || endpoint.containers.includes(container) || endpoint.name.startsWith(container)),
    ) ||
    (cluster?.podsOn(node.name).some(pod => hasIp(pod, ip)) ?? false)
  );
}
