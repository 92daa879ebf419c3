import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {fileAt} from '../../snapshot/cni-conf.js';
import {same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {settling} from '../still-starting.js';

const startController = 'Restart-Service ovn-controller';

export const southboundChecks: readonly Check[] = [
  check({
    id: 'ovs/ovn-southbound',
    title: 'Connected to the OVN southbound database',
    failure: 'No connection to the OVN southbound database',
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
          fail('OVS does not know where the southbound database is (external-ids:ovn-remote is not set).')
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
            `The southbound database is named with SSL (${remote}), which ${plugin.title} on Windows does not support.`,
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
      // What failed is said; that the rest could not be determined adds nothing.
      return verdicts.some(({outcome}) => outcome === 'fail')
        ? verdicts.filter(({outcome}) => outcome !== 'unknown')
        : verdicts;
    },
    explain: {
      meaning:
        'ovn-controller on the node learns from the southbound database of OVN (ovn-central, TCP 6642) what to do with packets. It cannot: it does not run, its address is missing or asks for SSL, the port is not reachable, or the node introduces itself with another id than the one it had.',
      why: 'A firewall between the node and ovn-central, an ovn-central that moved to other nodes, a cluster installed with ENABLE_SSL=true, a service that did not start, or an OVS database that was emptied while C:\\ovn\\etc\\system-id.conf stayed.',
      see: [
        'ovs-vsctl.exe --timeout=5 get Open_vSwitch . external-ids',
        'Test-NetConnection -ComputerName ADDRESS -Port 6642',
        'Get-Service ovn-controller; Get-Content C:\\ovn\\var\\log\\ovn-controller.log -Tail 20',
        'kubectl -n kube-system get pods -l app=ovn-central -o wide',
      ],
      fix: [
        'Let TCP 6642 through from the node to every ovn-central.',
        'Where ovn-central moved: correct OVN_DB_IPS in C:\\ovn\\etc\\ovn-controller.conf.',
        'Restart-Service ovn-controller; it regenerates address and id into OVS.',
      ],
      sources: [
        'https://github.com/kubeovn/kube-ovn/blob/release-1.14/dist/windows/start-ovn-controller.ps1',
        'https://github.com/ovn-kubernetes/ovn-kubernetes/issues/683',
      ],
    },
  }),
];

/** Its service starts late on purpose (delayed-auto), so a while after the boot it may rightly not run. */
function controller(subject: NodeSubject): Verdict | undefined {
  const {services, processes} = subject.node;
  const service = services?.find(({name}) => same(name, 'ovn-controller'));
  if (processes?.some(({name}) => name === 'ovn-controller')) return undefined;
  if (service ? same(service.state, 'Running') : !services || !processes) return undefined;
  const verdict = fail(
    `ovn-controller ${service ? `is ${service.state.toLowerCase()}` : 'does not run'}, so OVS is not told what to do with packets of pods.`,
  )
    .because({
      section: 'services',
      object: 'ovn-controller',
      field: 'State',
      seen: service?.state ?? null,
      expected: 'Running',
    })
    .fixedBy(manual('Start-Service ovn-controller'));
  const reason = settling(subject);
  return reason === undefined ? verdict : verdict.asInfo(`Still settling (${reason}): ${verdict.message}`);
}

function systemId(node: NodeModel, seen: string | undefined, systemIdFile: string | undefined): Verdict | undefined {
  if (systemIdFile === undefined) return undefined;
  // Out-File -Encoding utf8 puts a byte-order mark in front.
  const kept = fileAt(node, systemIdFile)
    ?.content?.replace(/^\uFEFF/, '')
    .trim();
  if (!kept || seen === undefined || same(kept, seen)) return undefined;
  return fail(`OVS calls this node ${seen}, but its id is ${kept}: OVN takes it for another chassis.`)
    .because(
      {section: 'ovs', object: 'Open_vSwitch', field: 'external_ids:system-id', seen, expected: kept},
      {section: 'files', object: systemIdFile, field: 'Content', seen: kept},
    )
    .fixedBy(manual(startController));
}

interface DatabaseAddress {
  readonly host: string;
  readonly port: string;
}

/** `tcp:[10.0.0.1]:6642,tcp:10.0.0.2:6642`. */
function targets(remote: string): DatabaseAddress[] {
  return remote.split(',').flatMap(entry => {
    const [, bracketed, bare, port] = /^tcp:(?:\[([^\]]+)\]|([^:]+)):(\d+)$/i.exec(entry.trim()) ?? [];
    const host = bracketed ?? bare;
    return host !== undefined && port !== undefined ? [{host, port}] : [];
  });
}

function reachability(remote: string, {probes}: NodeModel): Verdict | undefined {
  const probed = targets(remote).flatMap(target => {
    const probe = probes?.find(
      ({kind, target: its}) => same(kind, 'tcp') && its.replace(/[[\]]/g, '') === `${target.host}:${target.port}`,
    );
    return probe ? [{...target, probe}] : [];
  });
  if (probed.length === 0) return unknown(`Whether the southbound database (${remote}) can be reached was not tried.`);
  const closed = probed.filter(({probe}) => !probe.ok);
  if (closed.length === 0) return undefined;
  const names = closed.map(({host, port}) => `${host}:${port}`).join(', ');
  const verdict = fail(
    closed.length === probed.length
      ? `The southbound database cannot be reached from this node (${names}).`
      : `${closed.length} of ${probed.length} servers of the southbound database cannot be reached from this node (${names}).`,
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
        'Let TCP 6642 through from this node to every ovn-central, and see that ovn-central runs: kubectl -n kube-system get pods -l app=ovn-central -o wide',
      ),
    );
  // One server that answers is enough until OVN's leader moves.
  return closed.length === probed.length ? verdict : verdict.as('warning');
}
