import {powerShellText} from '../../lib/quote.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {acceptsAnyDriver} from '../platform/ovs-platform.js';
import {prerequisite, sameAs} from './prerequisite.js';

const daemons = ['ovsdb-server', 'ovs-vswitchd'] as const;

/** Findings for each OVS daemon that is not a running service. */
export function daemonVerdicts(node: NodeModel, install: readonly string[]): Verdict[] {
  return daemons.flatMap(name => {
    const service = node.services?.find(its => same(its.name, name));
    if (service && same(service.state, 'Running')) return [];
    return [
      fail(service ? `Service ${name} is ${service.state.toLowerCase()}.` : `Service ${name} does not exist.`)
        .because({
          section: 'services',
          object: name,
          field: 'State',
          seen: service?.state ?? null,
          expected: 'Running',
        })
        .fixedBy(
          service
            ? manual(
                `Set-Service ${powerShellText(name)} -StartupType Automatic; Start-Service ${powerShellText(name)}`,
              )
            : manual(...install),
        ),
    ];
  });
}

export const ovsServicesWords = {
  meaning:
    'The plugin uses both OVS programs, ovsdb-server and ovs-vswitchd. They must run as services before it is installed.',
  why: 'OVS has not been installed, or its services do not start: most often because Windows rejected the driver.',
  see: [
    'Get-Service ovsdb-server, ovs-vswitchd',
    'Get-Content C:\\openvswitch\\var\\log\\openvswitch\\ovs-vswitchd.log -Tail 20',
  ],
} as const;

/** `required`: the plugin's driver is test-signed, and there is no alternative. */
export const driverSigning = (target: Installation, {required}: {required: boolean}) =>
  prerequisite(target, 'test-signing', {
    title: 'Windows can load the OVS driver: it is signed, or test signing is on',
    needs: ['bootOptions', 'drivers'],
    run({node}) {
      const {installed, signed} = node.drivers.ovsext;
      if (acceptsAnyDriver(node.bootOptions)) return undefined;
      if (installed === true && signed === true) return undefined;
      if (installed === true && signed === undefined)
        return unknown('Windows did not report the signature of the OVS driver.');
      const verdict = fail(
        installed === true
          ? 'The OVS driver is test-signed, and test signing is off: Windows does not load it.'
          : `Test signing is off, and the OVS driver provided by ${target.title} is test-signed: Windows will not load it.`,
      )
        .because({
          section: 'bootOptions',
          object: 'current boot entry',
          field: 'TestSigning',
          seen: node.bootOptions.testSigning,
          expected: 'true, or a driver from a trusted publisher',
        })
        .fixedBy(manual('bcdedit.exe /set TESTSIGNING ON', 'Restart-Computer'));
      // Users may have their own signed driver.
      return required || installed === true ? verdict : verdict.as('warning');
    },
    explain: {
      meaning:
        'Windows loads kernel drivers of publishers it trusts, and test-signed ones only with the boot option TESTSIGNING. The distributed OVS driver is test-signed.',
      why: 'The option is off by default, and cannot be set while Secure Boot is on.',
      see: ['bcdedit.exe', 'Confirm-SecureBootUEFI', 'Get-AuthenticodeSignature C:\\openvswitch\\driver\\ovsext.sys'],
      fix: [
        'For production, use an OVS package whose driver is signed by a publisher that your nodes trust.',
        'Otherwise, with Secure Boot off: bcdedit.exe /set TESTSIGNING ON, then Restart-Computer',
        'The Kube-OVN guide also sets: bcdedit.exe /set LOADOPTIONS DISABLE_INTEGRITY_CHECKS and bcdedit.exe /set nointegritychecks ON',
      ],
      sources: [
        'https://learn.microsoft.com/windows-hardware/drivers/install/the-testsigning-boot-configuration-option',
      ],
    },
  });

export const noStaleBridge = (target: Installation) => {
  const original = sameAs(target, 'no-stale-bridge', 'ovs/stale-bridge', {
    title: 'No OVS bridge is left over from an earlier installation',
    remedy: ({node, plugin}) =>
      manual(
        ...(node.ovs?.bridges ?? [])
          .filter(({name}) => plugin.profile.bridges.some(its => same(its, name)))
          .map(({name}) => `ovs-vsctl.exe --no-wait --if-exists del-br ${powerShellText(name)}`),
        'Restart-Service ovs-vswitchd',
      ),
  });
  return {
    ...original,
    needs: ['hnsNetworks'],
    run(subject) {
      const {node} = subject;
      if (node.ovs) return original.run(subject);
      const failure = node.errors.ovs;
      return failure?.kind === 'NotInstalled'
        ? skipped('OVS is not installed: it has no bridges.')
        : unknown(`The OVS bridges could not be read${failure ? `: ${failure.message || failure.kind}` : ''}.`);
    },
  } satisfies typeof original;
};
