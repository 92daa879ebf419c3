import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {fileAt} from '../../snapshot/cni-conf.js';
import {same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {southboundServers} from '../../snapshot/ovs.js';
import {settling} from '../still-starting.js';

const startController = 'Restart-Service ovn-controller';

export const southboundChecks: readonly Check[] = [
  check({
    id: 'ovs/ovn-southbound',
    title: 'Node is connected to the OVN southbound database',
    failure: 'Node is not connected to the OVN southbound database',
    severity: 'error',
    plugins: 'Kube-OVN, older OVN-Kubernetes',
    needs: ['ovs'],
    consequenceOf: ['ovs/services'],
    appliesTo: ({plugin}) => plugin.profile.ovn !== undefined,
    run(subject) {
      const {node, plugin} = subject;
      const ids = node.ovs.externalIds;
      const remote = ids['ovn-remote'];
      const verdicts = [controller(subject), systemId(node, ids['system-id'], plugin.profile.ovn?.systemIdFile)].filter(
        verdict => verdict !== undefined,
      );
      if (!remote) {
        verdicts.push(
          fail('The address of the southbound database is not set in OVS (external-ids:ovn-remote).')
            .because({
              section: 'ovs',
              object: 'Open_vSwitch',
              field: 'external_ids:ovn-remote',
              seen: null,
              expected: 'tcp:[address]:6642',
            })
            .fixedBy(manual(startController)),
        );
        return verdicts;
      }
      if (plugin.profile.ovn?.ssl === false && /(^|,)\s*ssl:/i.test(remote)) {
        verdicts.push(
          fail(
            `The address of the southbound database requires SSL (${remote}), which ${plugin.title} on Windows does not support.`,
          )
            .because({
              section: 'ovs',
              object: 'Open_vSwitch',
              field: 'external_ids:ovn-remote',
              seen: remote,
              expected: 'tcp: addresses',
            })
            .fixedBy(
              manual(
                'Install Kube-OVN with ENABLE_SSL=false (Helm: --set networking.ENABLE_SSL=false).',
                startController,
              ),
            ),
        );
        return verdicts;
      }
      const reach = reachability(remote, node);
      if (reach) verdicts.push(reach);
      // If something failed, undetermined parts add no information.
      return verdicts.some(({outcome}) => outcome === 'fail')
        ? verdicts.filter(({outcome}) => outcome !== 'unknown')
        : verdicts;
    },
    explain: {
      meaning:
        'ovn-controller on the node gets its configuration from the OVN southbound database (ovn-central, TCP 6642). It is not connected: it is not running, the database address is missing or requires SSL, the port is not reachable, or the node uses a different system ID than before.',
      why: 'A firewall blocks the connection to ovn-central, ovn-central moved to other nodes, the cluster was installed with ENABLE_SSL=true, a service did not start, or the OVS database was reset but C:\\ovn\\etc\\system-id.conf was kept.',
      see: [
        'ovs-vsctl.exe --timeout=5 get Open_vSwitch . external-ids',
        'Test-NetConnection -ComputerName ADDRESS -Port 6642',
        'Get-Service ovn-controller; Get-Content C:\\ovn\\var\\log\\ovn-controller.log -Tail 20',
        'kubectl -n kube-system get pods -l app=ovn-central -o wide',
      ],
      fix: [
        'Allow TCP 6642 from the node to every ovn-central.',
        'If ovn-central moved, correct OVN_DB_IPS in C:\\ovn\\etc\\ovn-controller.conf.',
        'Restart-Service ovn-controller. It writes the address and the ID to OVS again.',
      ],
      sources: [
        'https://github.com/kubeovn/kube-ovn/blob/release-1.14/dist/windows/start-ovn-controller.ps1',
        'https://github.com/ovn-kubernetes/ovn-kubernetes/issues/683',
      ],
    },
  }),
];

/** Its service has a delayed start, so it may not be running for some time after the boot. */
function controller(subject: NodeSubject): Verdict | undefined {
  const {services, processes} = subject.node;
  const service = services?.find(({name}) => same(name, 'ovn-controller'));
  if (processes?.some(({name}) => name === 'ovn-controller')) return undefined;
  if (service ? same(service.state, 'Running') : !services || !processes) return undefined;
  const verdict = fail(
    `ovn-controller is ${service ? service.state.toLowerCase() : 'not running'}, so OVS gets no flows for pod traffic.`,
  )
    .because({
      section: 'services',
      object: 'ovn-controller',
      field: 'State',
      seen: service?.state ?? null,
      expected: 'Running',
    })
    .fixedBy(manual('Start-Service ovn-controller'))
    .explaining(...(agentDependsOnIt(subject) ? ['cni/agent-pod'] : []));
  const reason = settling(subject);
  return reason === undefined ? verdict : verdict.asInfo(`Still settling (${reason}): ${verdict.message}`);
}

/** Windows does not start a service while a dependency is not running. */
function agentDependsOnIt({node, plugin}: NodeSubject): boolean {
  const agents = plugin.profile.agent?.services ?? [];
  return (
    node.services?.some(
      ({name, dependsOn}) =>
        agents.includes(name.toLowerCase()) && dependsOn.some(needed => same(needed, 'ovn-controller')),
    ) ?? false
  );
}

function systemId(node: NodeModel, seen: string | undefined, systemIdFile: string | undefined): Verdict | undefined {
  if (systemIdFile === undefined) return undefined;
  // Out-File -Encoding utf8 writes a byte-order mark.
  const kept = fileAt(node, systemIdFile)
    ?.content?.replace(/^\uFEFF/, '')
    .trim();
  if (!kept || seen === undefined || same(kept, seen)) return undefined;
  return fail(
    `The system ID of this node in OVS is ${seen}, but its stored ID is ${kept}: OVN treats it as another chassis.`,
  )
    .because(
      {section: 'ovs', object: 'Open_vSwitch', field: 'external_ids:system-id', seen, expected: kept},
      {section: 'files', object: systemIdFile, field: 'Content', seen: kept},
    )
    .fixedBy(manual(startController));
}

function reachability(remote: string, {probes}: NodeModel): Verdict | undefined {
  const probed = southboundServers(remote).flatMap(target => {
    const probe = probes?.find(
      ({kind, target: its}) => same(kind, 'tcp') && its.replace(/[[\]]/g, '') === `${target.host}:${target.port}`,
    );
    return probe ? [{...target, probe}] : [];
  });
  if (probed.length === 0) return unknown(`The connection to the southbound database (${remote}) was not tested.`);
  const closed = probed.filter(({probe}) => !probe.ok);
  if (closed.length === 0) return undefined;
  const names = closed.map(({host, port}) => `${host}:${port}`).join(', ');
  const verdict = fail(
    closed.length === probed.length
      ? `The southbound database is not reachable from this node (${names}).`
      : `${closed.length} of ${probed.length} servers of the southbound database are not reachable from this node (${names}).`,
  )
    .because(
      ...closed.map(({host, port, probe}) => ({
        section: 'probes',
        object: `${host}:${port}`,
        field: 'Ok',
        seen: probe.error ?? false,
        expected: true,
      })),
    )
    .fixedBy(
      manual(
        ...closed.map(({host, port}) => `Test-NetConnection -ComputerName ${powerShellText(host)} -Port ${port}`),
        'Allow TCP 6642 from this node to every ovn-central, and check that ovn-central is running: kubectl -n kube-system get pods -l app=ovn-central -o wide',
      ),
    );
  // One reachable server is sufficient until the OVN leader changes.
  return closed.length === probed.length ? verdict : verdict.as('warning');
}
