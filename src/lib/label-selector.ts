type Labels = Readonly<Record<string, string>>;

/** A label selector as Kubernetes writes it: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Throws on text that is none. */
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
    const values = list.split(',').map(value => value.trim());
    return labels => values.includes(labels[key] ?? '\0') === (operator === 'in');
  }
  const pair = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(term);
  if (pair) {
    const [, key = '', operator, value] = pair;
    return labels => (labels[key] === value) === (operator !== '!=');
  }
  const presence = /^(!?)\s*([^=!\s]+)$/.exec(term);
  if (!presence) throw new Error(`unable to parse requirement: found '${term}', expected: an operator`);
  const [, not, key = ''] = presence;
  return labels => key in labels === (not === '');
}
