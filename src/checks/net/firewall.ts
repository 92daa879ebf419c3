import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import type {Profile} from '../../model/plugin.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';
import type {Sections} from '../../snapshot/sections.js';

type Rule = Sections['firewall']['rules'][number];

/** A port that other machines must reach. */
export interface Opening {
  readonly what: string;
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
}

export const firewallChecks: readonly Check[] = [
  check({
    id: 'net/firewall',
    title: 'Windows Firewall allows the traffic of the plugin',
    failure: 'Windows Firewall blocks the traffic of the plugin',
    severity: 'warning',
    repair: {level: 'medium', effect: 'none', restarts: 'nothing'},
    needs: ['firewall'],
    run(subject) {
      const {profiles, rules} = subject.node.firewall;
      if (profiles.length === 0) return unknown('The firewall profiles are unknown.');
      const on = profiles.filter(({enabled}) => enabled).map(({name}) => name);
      if (on.length === 0) return undefined;
      return [
        ...openingsOf(subject).flatMap(opening => diagnose(subject, opening, rules, on) ?? []),
        ...missingOwnRules(subject, rules, on),
      ];
    },
    explain: {
      meaning:
        'Windows Firewall is on, and no enabled rule allows traffic from other nodes: tunnel packets, or requests to kubelet. Pods then reach only their own node, or kubectl logs and exec fail.',
      why: 'The rule was not created, Group Policy disabled it, or a block rule overrides it: in Windows Firewall, block rules take precedence over allow rules.',
      see: [
        'Get-NetFirewallProfile | Select-Object Name, Enabled',
        'Get-NetFirewallPortFilter -Protocol UDP | Where-Object LocalPort -eq 4789 | Get-NetFirewallRule',
      ],
      fix: [
        'New-NetFirewallRule -Name OverlayTraffic4789UDP -DisplayName "Overlay Traffic 4789 UDP" -Direction Inbound -Action Allow -Protocol UDP -LocalPort 4789',
        'New-NetFirewallRule -Name kubelet -DisplayName kubelet -Direction Inbound -Action Allow -Protocol TCP -LocalPort 10250',
        'To disable a block rule: Disable-NetFirewallRule -Name NAME',
      ],
      sources: [
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/helper.psm1',
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
        'https://kubernetes.io/docs/reference/networking/ports-and-protocols/',
      ],
    },
  }),
];

function openingsOf({plugin}: NodeSubject): Opening[] {
  const {tunnel} = plugin.profile;
  const kubelet: Opening = {what: 'kubelet', protocol: 'TCP', port: 10250};
  return tunnel ? [tunnelOpening(tunnel), kubelet] : [kubelet];
}

export function tunnelOpening({protocol, port}: NonNullable<Profile['tunnel']>): Opening {
  return {what: `the ${protocol} tunnel`, protocol: protocol === 'stt' ? 'TCP' : 'UDP', port};
}

function diagnose(
  subject: NodeSubject,
  opening: Opening,
  rules: readonly Rule[],
  on: readonly string[],
): Verdict | undefined {
  const {what, protocol, port} = opening;
  const inbound = rules.filter(({enabled, direction}) => enabled && direction === 'Inbound');
  const blocks = inbound.filter(rule => rule.action === 'Block' && coversOpening(rule, opening));
  const object = `${protocol} ${port}`;
  if (blocks.length > 0) return blocked(`A firewall rule blocks ${object}, which ${what} requires.`, blocks);
  const allows = inbound.filter(({action}) => action === 'Allow');
  if (allows.some(rule => coversOpening(rule, opening))) return undefined;
  const wide = allows.find(rule => isWide(rule) && !isForPods(subject, rule));
  const evidence = {
    section: 'firewall',
    object,
    field: 'inbound allow rule',
    seen: null,
    expected: `an enabled rule, because the firewall is on (${on.join(', ')})`,
  };
  // Most rules for all ports apply to only one program or one peer, which a snapshot does not show.
  if (wide)
    return info(`No firewall rule is specific to ${object} for ${what}; rule "${titleOf(wide)}" may allow it.`).because(
      evidence,
    );
  if (subject.node.firewall?.store === 'PersistentStore')
    return unknown(
      `The firewall is on, and no local rule allows ${object} for ${what}; Group Policy rules could not be read.`,
    ).because(evidence);
  return fail(`The firewall is on (${on.join(', ')}), and no rule allows ${object} for ${what}.`)
    .because(evidence)
    .fixedBy(cleanupRemedy(subject.node));
}

function missingOwnRules({node, plugin}: NodeSubject, rules: readonly Rule[], on: readonly string[]): Verdict[] {
  return (plugin.plugin?.footprint.firewallRules ?? [])
    .filter(
      wanted =>
        !rules.some(
          ({enabled, action, direction, displayName, name}) =>
            enabled &&
            action === 'Allow' &&
            direction === wanted.direction &&
            (displayName === wanted.name || name === wanted.name),
        ),
    )
    .map(({name, direction}) =>
      fail(`The firewall is on (${on.join(', ')}), and rule "${name}" of ${plugin.title} is missing or disabled.`)
        .because({section: 'firewall', object: name, field: `${direction} allow rule`, seen: null, expected: 'enabled'})
        .fixedBy(cleanupRemedy(node)),
    );
}

export function blocked(message: string, rules: readonly Rule[]): Verdict {
  return fail(message)
    .because(
      ...rules.map(rule => ({
        section: 'firewall',
        object: titleOf(rule),
        field: 'Action',
        seen: 'Block',
        expected: 'no enabled block rule',
      })),
    )
    .fixedBy(
      manual(
        ...rules.map(rule =>
          rule.name === undefined
            ? `Disable-NetFirewallRule -DisplayName ${powerShellText(titleOf(rule))}`
            : `Disable-NetFirewallRule -Name ${powerShellText(rule.name)}`,
        ),
      ),
    );
}

/** Whether a rule covers this port, by protocol and number; names are arbitrary. */
export function coversOpening({protocol, localPort}: Rule, opening: Opening): boolean {
  const fits = protocol.toUpperCase() === opening.protocol || /^any$/i.test(protocol);
  return fits && localPort.split(',').some(part => inRange(part, opening.port));
}

function inRange(part: string, port: number): boolean {
  const [from = Number.NaN, to = from] = part.split('-').map(text => Number.parseInt(text.trim(), 10));
  return port >= from && port <= to;
}

export function titleOf({displayName, name}: Rule): string {
  return displayName ?? name ?? 'unnamed';
}

export function isWide({protocol, localPort}: Rule): boolean {
  return /^any$/i.test(protocol) && /^(any|\*)$/i.test(localPort.trim());
}

/** A rule that an agent created for its pods does not allow traffic to the node. */
export function isForPods({plugin}: NodeSubject, {name, displayName}: Rule): boolean {
  return plugin.known
    .flatMap(({footprint}) => footprint.firewallRules)
    .some(rule => rule.name === name || rule.name === displayName);
}
