import {clusterPrerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {names} from '../../../lib/names.js';
import {shellText} from '../../../lib/quote.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, skipped, unknown} from '../../../model/verdict.js';
import {affinity, pools} from '../checks.js';
import {ipPools} from '../resources.js';
import {isAbsent, notInstalled, operatorGuide} from './cluster-needs.js';

const limits = 'https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/limitations';
const setAffinity = `kubectl patch ipamconfigurations default --type merge -p '{"spec":{"strictAffinity":true}}'`;

export const strictAffinity = (target: Installation) =>
  clusterPrerequisite(target, 'strict-affinity', {
    title: 'strictAffinity is enabled in Calico IPAM',
    run(fleet) {
      if (isAbsent(fleet)) return skipped(notInstalled);
      // The object exists only after it was set: without it, the default applies.
      const verdicts = affinity(fleet);
      if (verdicts[0]?.outcome !== 'unknown' || ipPools(fleet.cluster).length === 0) return verdicts;
      return fail('strictAffinity is not set and is off by default: Linux nodes may borrow addresses of Windows nodes.')
        .because({
          section: 'cluster',
          object: 'IPAMConfiguration default',
          field: 'spec.strictAffinity',
          seen: null,
          expected: true,
        })
        .fixedBy(manual(setAffinity));
    },
    explain: {
      meaning:
        'Windows nodes can only use addresses of their own blocks, and no other node may use them. Without strictAffinity, Linux nodes borrow addresses from them.',
      why: 'It is off by default.',
      see: ["kubectl get ipamconfigurations default -o jsonpath='{.spec.strictAffinity}'"],
      fix: [setAffinity],
      sources: [operatorGuide],
    },
  });

export const encapsulation = (target: Installation, mode: 'vxlan' | 'bgp') =>
  clusterPrerequisite(target, 'encapsulation', {
    title: mode === 'vxlan' ? 'IP pools use VXLAN, not IPIP' : 'IP pools use no encapsulation',
    run(fleet) {
      if (isAbsent(fleet)) return skipped(notInstalled);
      const all = ipPools(fleet.cluster);
      if (all.length === 0) return unknown('No Calico IPPool was read.');
      if (mode === 'vxlan') return pools(fleet);
      const wrong = all.filter(
        ({ipip, vxlan, nodeSelector}) => (ipip !== 'Never' || vxlan !== 'Never') && !/linux/i.test(nodeSelector),
      );
      if (wrong.length === 0) return undefined;
      return fail(
        `Pool ${names(wrong.map(({name}) => name))} uses encapsulation, but with BGP, Windows nodes support only unencapsulated routes.`,
      )
        .because(
          ...wrong.map(({name, ipip, vxlan}) => ({
            section: 'cluster',
            object: `IPPool ${name}`,
            field: 'spec.ipipMode, spec.vxlanMode',
            seen: `${ipip}, ${vxlan}`,
            expected: 'Never, Never',
          })),
        )
        .fixedBy(
          manual(
            ...wrong.map(
              ({name}) =>
                `kubectl patch ippool ${shellText(name)} --type merge -p '{"spec":{"ipipMode":"Never","vxlanMode":"Never"}}'`,
            ),
          ),
        );
    },
    explain: {
      meaning:
        'Windows supports neither IPIP, which is the default of Calico, nor VXLAN mode CrossSubnet. With BGP, it supports no encapsulation at all.',
      why: 'The pools were created for Linux nodes.',
      see: [
        'kubectl get ippools -o custom-columns=NAME:.metadata.name,CIDR:.spec.cidr,IPIP:.spec.ipipMode,VXLAN:.spec.vxlanMode',
      ],
      fix: [
        `VXLAN: kubectl patch ippool POOL --type merge -p '{"spec":{"ipipMode":"Never","vxlanMode":"Always"}}'`,
        `BGP: kubectl patch ippool POOL --type merge -p '{"spec":{"ipipMode":"Never","vxlanMode":"Never"}}'`,
      ],
      sources: [limits],
    },
  });

export const onePoolType = (target: Installation) =>
  clusterPrerequisite(target, 'one-pool-type', {
    title: 'All pools use the same encapsulation',
    run({cluster}) {
      const all = ipPools(cluster);
      const kinds = Map.groupBy(all, ({ipip, vxlan}) =>
        vxlan !== 'Never' ? 'VXLAN' : ipip !== 'Never' ? 'IPIP' : 'none',
      );
      if (kinds.size < 2) return undefined;
      const summary = [...kinds].map(([kind, its]) => `${kind} (${names(its.map(({name}) => name))})`).join(', ');
      return fail(`The pools use different encapsulations: ${summary}. Windows nodes support only one.`)
        .because({
          section: 'cluster',
          object: 'IPPool',
          field: 'encapsulation',
          seen: summary,
          expected: 'the same in all pools',
        })
        .fixedBy(
          manual(
            ...(kinds.get('IPIP') ?? [])
              .concat(kinds.get('none') ?? [])
              .map(
                ({name}) =>
                  `kubectl patch ippool ${shellText(name)} --type merge -p '{"spec":{"ipipMode":"Never","vxlanMode":"Always"}}'`,
              ),
          ),
        );
    },
    explain: {
      meaning: 'A Windows node has one network for all pods, so all pools must use the same encapsulation.',
      why: 'Pools were added over time.',
      see: ['kubectl get ippools -o wide'],
      fix: ['Give all pools the same encapsulation.'],
    },
  });
