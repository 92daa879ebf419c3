import {powerShellText} from '../../lib/quote.js';
import type {NodeSubject} from '../../model/check.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';
import type {Sections} from '../../snapshot/sections.js';
import {
  blocked,
  coversOpening as isFor,
  isForPods,
  isWide,
  type Opening,
  titleOf,
  tunnelOpening,
} from '../net/firewall.js';
import {prerequisite} from './prerequisite.js';

type Rule = Sections['firewall']['rules'][number];

const kubelet: Opening = {what: 'kubelet', protocol: 'TCP', port: 10250};
const bgp: Opening = {what: 'BGP', protocol: 'TCP', port: 179};

/**
 * Traffic from other nodes must be allowed. An administrator has to open the ports, unless the plugin does (`itself`).
 */
export const openPorts = (target: Installation, {itself = false} = {}) =>
  prerequisite(target, 'firewall', {
    title: 'Windows Firewall allows traffic from other nodes',
    advised: itself,
    needs: ['firewall'],
    run(subject) {
      const {profiles, rules} = subject.node.firewall;
      if (profiles.length === 0) return unknown('The firewall profiles are unknown.');
      const on = profiles.filter(({enabled}) => enabled).map(({name}) => name);
      if (on.length === 0) return undefined;
      const inbound = rules.filter(({enabled, direction}) => enabled && direction === 'Inbound');
      return openingsOf(subject).flatMap(opening => diagnose(subject, opening, inbound, on) ?? []);
    },
    explain: {
      meaning: `Windows Firewall is on, and no rule allows the traffic that ${target.title} requires from other nodes, or a rule blocks it.`,
      why: 'Windows Server enables its firewall by default, without rules for pod networks.',
      see: [
        'Get-NetFirewallProfile | Select-Object Name, Enabled',
        'Get-NetFirewallPortFilter -Protocol UDP | Where-Object LocalPort -eq 4789 | Get-NetFirewallRule',
      ],
      fix: [
        'Open the ports: New-NetFirewallRule -DisplayName NAME -Direction Inbound -Action Allow -Protocol UDP -LocalPort PORT',
        'Or, if the node network is protected otherwise: Set-NetFirewallProfile -Profile Domain,Public,Private -Enabled False',
      ],
      sources: ['https://kubernetes.io/docs/reference/networking/ports-and-protocols/'],
    },
  });

function openingsOf({plugin}: NodeSubject): Opening[] {
  const {tunnel} = plugin.profile;
  const routed = plugin.profile.routes === 'bgp' ? [bgp] : [];
  return tunnel ? [tunnelOpening(tunnel), kubelet] : [...routed, kubelet];
}

function diagnose(
  subject: NodeSubject,
  opening: Opening,
  inbound: readonly Rule[],
  on: readonly string[],
): Verdict | undefined {
  const {what, protocol, port} = opening;
  const object = `${protocol} ${port}`;
  const blocks = inbound.filter(rule => rule.action === 'Block' && isFor(rule, opening));
  if (blocks.length > 0) return blocked(`A firewall rule blocks ${object}, which ${what} requires.`, blocks);
  const allows = inbound.filter(({action}) => action === 'Allow');
  if (allows.some(rule => isFor(rule, opening))) return undefined;
  const evidence = {
    section: 'firewall',
    object,
    field: 'inbound allow rule',
    seen: null,
    expected: `an enabled rule, because the firewall is on (${on.join(', ')})`,
  };
  const wide = allows.find(rule => isWide(rule) && !isForPods(subject, rule));
  // Most rules for all ports apply to only one program or one peer, which a snapshot does not show.
  if (wide) return info(`No firewall rule is specific to ${object} for ${what}; rule "${titleOf(wide)}" may allow it.`);
  const verdict = fail(`The firewall is on (${on.join(', ')}), and no rule allows ${object} for ${what}.`)
    .because(evidence)
    .fixedBy(manual(allow(opening)));
  // Without it, only kubectl logs and exec fail; pods have their network.
  return opening === kubelet ? verdict.as('warning') : verdict;
}

function allow({what, protocol, port}: Opening): string {
  const name = protocol === 'UDP' && port === 4789 ? 'OverlayTraffic4789UDP' : `${protocol}${port}`;
  const display = powerShellText(`${protocol} ${port} for ${what}`);
  return `New-NetFirewallRule -Name ${name} -DisplayName ${display} -Direction Inbound -Action Allow -Protocol ${protocol} -LocalPort ${port}`;
}
