import {plain, valueText} from '../../../lib/untrusted.js';
import type {Evidence} from '../../../model/verdict.js';
import {isIpv4} from '../../../snapshot/addresses.js';
import type {SectionName} from '../../../snapshot/section-names.js';

/** Evidence as text: what was found, and what was expected instead. */
export interface Fact {
  readonly found: readonly string[];
  readonly expected: string | undefined;
}

/** The kind of the objects of a section; none if the objects name their kind themselves. */
const nouns: Partial<Record<SectionName | 'cluster', string>> = {
  hnsNetworks: 'HNS network',
  hnsEndpoints: 'HNS endpoint',
  hnsPolicyLists: 'load balancer',
  hnsNamespaces: 'HNS namespace',
  netAdapters: 'adapter',
  netIPAddresses: 'adapter',
  netIPInterfaces: 'adapter',
  netRoutes: 'route',
  netNats: 'NAT',
  adapterBindings: 'adapter',
  vmSwitches: 'switch',
  vfpPorts: 'port',
  services: 'service',
  processes: 'process',
  windowsFeatures: 'Windows feature',
  hotfixes: 'update',
  drivers: 'driver',
  scheduledTasks: 'task',
  plans: 'plan',
};

/** Found and expected, with repetitions folded. */
export function facts(evidence: readonly Evidence[]): Fact[] {
  const byExpectation = Map.groupBy(evidence, ({expected}) => expectation(expected));
  return [...byExpectation].map(([expected, same]) => ({found: folded(same), expected}));
}

/** Undefined if the object should not exist: the finding itself shows that. */
function expectation(expected: unknown): string | undefined {
  if (expected === undefined) return undefined;
  const text = shortened(valueText(expected));
  return text === 'none' || text === 'no such line' ? undefined : text;
}

/** Reports the same fact about several objects once: "4 interfaces (br-int, …): No such device". */
function folded(evidence: readonly Evidence[]): string[] {
  const alike = Map.groupBy(evidence, one =>
    JSON.stringify([one.section, one.field, kindOf(one), withoutIds(withoutName(one))]),
  );
  return [...alike.values()].map(same => {
    const [first] = same;
    if (first === undefined || same.length === 1) return first ? line(first) : '';
    const names = [...new Set(same.map(nameOf))];
    if (names.length === 1) return `${line(first)} (${same.length} times)`;
    const shown = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
    const what = `${names.length} ${plural(kindOf(first) || 'object')} (${shortened(shown)})`;
    return `${[what, first.field].filter(Boolean).join(' ')}: ${shortened(withoutName(first))}`;
  });
}

function line(one: Evidence): string {
  const where = [kindOf(one), nameOf(one), one.field].filter(Boolean).join(' ');
  const seen = seenText(one);
  // An error of HNS names it already.
  return shortened(seen.startsWith(`${where} `) ? seen : `${where}: ${seen}`);
}

function seenText({seen}: Evidence): string {
  return seen === null || seen === undefined ? 'missing' : valueText(seen);
}

function kindOf(one: Evidence): string {
  const noun = nouns[one.section as SectionName] ?? '';
  const object = plain(one.object);
  if (one.section === 'netIPAddresses' && isIpv4(object)) return 'address';
  if (noun !== '') return /^(all|HNS)\b/.test(object) ? '' : noun;
  const [, kind] = /^(\p{L}+) \S+$/u.exec(object) ?? [];
  return kind ?? '';
}

/** The object without its kind, if it starts with it. */
function nameOf(one: Evidence): string {
  // The Service identifies a load balancer; drop its id.
  const object = one.section === 'hnsPolicyLists' ? plain(one.object).replace(guidAtEnd, '') : plain(one.object);
  const kind = kindOf(one);
  const word = kind.split(' ').at(-1) ?? '';
  const named = word !== '' && object.toLowerCase().startsWith(`${word.toLowerCase()} `);
  return named ? object.slice(word.length + 1) : object;
}

/** The value without the name of its object, which OVS repeats in its errors. */
function withoutName(one: Evidence): string {
  const name = nameOf(one);
  return name === '' ? seenText(one) : seenText(one).replaceAll(name, '').replace(/ {2,}/g, ' ').trim();
}

const guidAtEnd = / \([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)$/i;

function plural(kind: string): string {
  const word = /^[A-Z][a-z]/.test(kind) && !kind.startsWith('Windows') ? kind.toLowerCase() : kind;
  if (/(s|x|ch|sh)$/.test(word)) return `${word}es`;
  return `${word}s`;
}

const containerId = /\b([0-9a-f]{12})[0-9a-f]{28,}(?![0-9a-f])/gi;
const withoutIds = (text: string): string => text.replace(containerId, '…');

const milliseconds = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+(?=Z)/g;

/** Shortens container ids from 64 to 12 digits, as container tools do, and times to seconds. */
export function shortened(text: string): string {
  return text.replace(containerId, '$1…').replace(milliseconds, '$1');
}
