import {own} from './own.js';

type Labels = Readonly<Record<string, string>>;

/** Parses a Kubernetes label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Throws if it is not valid. */
export function labelSelector(text: string): (labels: Labels) => boolean {
  const terms = text
    .split(/,(?![^(]*\))/)
    .map(term => term.trim())
    .filter(term => term !== '')
    .map(parseTerm);
  return labels => terms.every(term => term(labels));
}

function parseTerm(term: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map(value => labelValue(value.trim()));
    labelKey(key);
    return labels => values.includes(own(labels, key) ?? '\0') === (operator === 'in');
  }
  const pair = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(term);
  if (pair) {
    const [, key = '', operator, value = ''] = pair;
    labelKey(key);
    labelValue(value);
    return labels => (own(labels, key) === value) === (operator !== '!=');
  }
  const presence = /^(!?)\s*([^=!\s]+)$/.exec(term);
  if (!presence) throw new Error(`unable to parse requirement: found '${term}', expected: an operator`);
  const [, not, key = ''] = presence;
  labelKey(key);
  return labels => (own(labels, key) !== undefined) === (not === '');
}

const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** A name with an optional DNS prefix before a slash. */
function labelKey(key: string): void {
  const [own = '', prefix, ...more] = key.split('/').reverse();
  const isKey =
    name.test(own) && more.length === 0 && (prefix === undefined || /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(prefix));
  if (!isKey) throw unparsed(key);
}

function labelValue(value: string): string {
  if (value !== '' && !name.test(value)) throw unparsed(value);
  return value;
}

function unparsed(text: string): Error {
  return new Error(`unable to parse requirement: found '${text}', expected: identifier`);
}
