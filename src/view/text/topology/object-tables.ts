import type {NodeSubject} from '../../../model/check.js';
import type {Result} from '../../../model/result.js';
import {addressTexts} from '../../../services/inspect/topology.js';
import {type TroubleFinder, troubleFinder} from '../../../services/inspect/trouble.js';
import {balancedServices} from '../../../snapshot/balancer-names.js';
import {same} from '../../../snapshot/hns.js';
import type {LoadBalancer} from '../../../snapshot/load-balancers.js';
import {shortName} from './draw.js';

/** A table with a sign before rows that findings name. */
export interface NodeTable {
  readonly id: 'adapters' | 'loadBalancers' | 'services';
  readonly title: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Tables for data that does not fit into the drawing. A section that was not read has no table. */
export function nodeTables(subject: NodeSubject, results: readonly Result[]): NodeTable[] {
  const trouble = troubleFinder(results);
  return [adapterTable(subject, trouble), loadBalancerTable(subject, trouble), serviceTable(subject, trouble)].filter(
    table => table !== undefined,
  );
}

function adapterTable({node}: NodeSubject, trouble: TroubleFinder): NodeTable | undefined {
  return (
    node.netAdapters && {
      id: 'adapters',
      title: 'Adapters',
      headings: ['', 'NAME', 'STATE', 'SPEED', 'MTU', 'MAC', 'ADDRESSES'],
      rows: node.netAdapters.map(adapter => {
        const addresses = addressTexts(node, adapter);
        const {name, status = '-', speed = '-', mtu, mac = '-'} = adapter;
        const bare = addresses.map(text => text.split('/')[0]);
        const broken = trouble('netAdapters', name) ?? trouble('netIPAddresses', name, ...bare);
        return [
          signFor(broken),
          shortName(name),
          status,
          speed,
          mtu === undefined ? '-' : String(mtu),
          mac,
          addresses.join(', ') || '-',
        ];
      }),
    }
  );
}

function loadBalancerTable(subject: NodeSubject, trouble: TroubleFinder): NodeTable | undefined {
  const {hnsPolicyLists} = subject.node;
  return (
    hnsPolicyLists && {
      id: 'loadBalancers',
      title: 'Load balancers',
      headings: ['', 'SERVICE', 'ADDRESS', 'PORTS', 'TO', 'STATE'],
      rows: hnsPolicyLists.map(balancer => [
        signFor(trouble('hnsPolicyLists', balancer.id)),
        balancedServices(subject.cluster, balancer).join(', ') || '-',
        balancer.vips.join(', ') || 'node ports',
        balancer.ports
          .map(({protocol, external, internal}) => `${external ?? '?'}→${internal ?? '?'}/${protocol}`)
          .join(', '),
        targets(subject, balancer),
        balancer.state === undefined || balancer.state === 2 ? 'applied' : `state ${balancer.state}`,
      ]),
    }
  );
}

function serviceTable({node}: NodeSubject, trouble: TroubleFinder): NodeTable | undefined {
  return (
    node.services && {
      id: 'services',
      title: 'Windows services',
      headings: ['', 'NAME', 'STATE', 'START', 'STARTED AT'],
      rows: node.services.map(({name, state, startMode = '-', startedAt}) => [
        signFor(trouble('services', name)),
        name,
        state,
        startMode,
        startedAt === undefined ? '-' : new Date(startedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
      ]),
    }
  );
}

function targets({node}: NodeSubject, {endpointIds}: LoadBalancer): string {
  const known = node.hnsEndpoints?.filter(({id}) => endpointIds.some(one => same(one, id))) ?? [];
  const gone = endpointIds.length - known.length;
  const texts = [...known.map(({ip, name}) => ip ?? shortName(name)), ...(gone > 0 ? [`${gone} unknown`] : [])];
  return texts.join(', ') || 'none';
}

function signFor(trouble: ReturnType<TroubleFinder>): string {
  if (!trouble) return '';
  return trouble.severity === 'error' ? '✗' : '!';
}
