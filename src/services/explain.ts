import {styleText} from 'node:util';
import {allChecks} from '../diagnose/engine.js';
import {WinError} from '../lib/errors.js';
import {nearestNames} from '../lib/nearest.js';
import type {Check} from '../model/check.js';
import {printDocument} from '../view/text/print.js';
import type {TextOptions} from '../view/text/report.js';
import {table} from '../view/text/table.js';
import {wrap} from '../view/text/wrap.js';
import {allPrerequisites} from './preflight/installable.js';

/** The words of one check, of an area, or the list of all. */
export function explain(name: string | undefined, format: string | undefined, options: TextOptions): string {
  const checks = name === undefined ? allChecks : named(name);
  if (format === 'json' || format === 'yaml') {
    return printDocument(
      {apiVersion: 'kubectl-win/v1', kind: 'CheckExplanationList', items: checks.map(document)},
      format,
    );
  }
  if (format === 'markdown') return markdown(checks);
  if (format === 'name') return checks.map(({id}) => `${id}\n`).join('');
  if (name === undefined) {
    return table(
      ['ID', 'SEVERITY', 'PLUGINS', 'TITLE'],
      checks.map(({id, severity, plugins, title}) => [id, severity, plugins, title]),
    );
  }
  return checks.map(check => page(check, options)).join('\n');
}

function named(name: string): readonly Check[] {
  // What preflight asks for is told by its name alone: it is no check of doctor.
  const all = [...allChecks, ...allPrerequisites];
  const found = all.filter(({id}) => id === name || id.startsWith(`${name}/`));
  if (found.length > 0) return found;
  const ids = all.map(({id}) => id as string);
  const [close] = nearestNames(name, [...ids, ...new Set(ids.map(id => id.split('/')[0] ?? id))]);
  throw new WinError(`there is no check "${name}".`, {
    next: [close ? `Did you mean "${close}"?` : 'List them with: kubectl win explain'],
  });
}

function document({id, title, severity, plugins, needs, explain: words}: Check) {
  return {id, title, severity, plugins, needs, ...words};
}

function page({id, title, severity, plugins, needs, explain: words}: Check, {colour, width}: TextOptions): string {
  const bold = (text: string) => (colour ? styleText('bold', text, {validateStream: false}) : text);
  const paragraph = (text: string) => wrap(text, {indent: 2, hang: 2, width});
  const items = (lines: readonly string[]) => lines.flatMap(line => wrap(line, {indent: 2, hang: 6, width}));
  const steps = (lines: readonly string[]) =>
    lines.flatMap((line, i) => wrap(`${i + 1}. ${line}`, {indent: 2, hang: 5, width}));
  return [
    `${bold(id)}  ${title}`,
    `  ${severity}; for ${plugins}; reads ${needs.join(', ')}`,
    '',
    bold('What it means'),
    ...paragraph(words.meaning),
    '',
    bold('Why it happens'),
    ...paragraph(words.why),
    '',
    bold('See it by hand'),
    ...items(words.see),
    '',
    bold('Fix it by hand'),
    ...steps(words.fix),
    ...(words.sources.length > 0 ? ['', bold('Sources'), ...items(words.sources)] : []),
    '',
  ].join('\n');
}

/** The same words as a page for `docs/`. */
function markdown(checks: readonly Check[]): string {
  const list = (items: readonly string[], mark: (i: number) => string) =>
    items.map((item, i) => `${mark(i)} ${item}\n`).join('');
  const section = (check: Check) => {
    const {id, title, severity, plugins, needs, explain: words} = check;
    return `## ${id}

**${title}** (${severity}; for ${plugins}; reads ${needs.map(need => `\`${need}\``).join(', ')})

${words.meaning}

Why: ${words.why}

See it by hand:

\`\`\`powershell
${words.see.join('\n')}
\`\`\`

Fix it by hand:

${list(words.fix, i => `${i + 1}.`)}
Sources:

${list(words.sources, () => '-')}`;
  };
  return `# Checks

What \`kubectl win doctor\` looks at. \`kubectl win explain ID\` prints the same words; \`npm run docs\` writes this page.

${checks.map(section).join('\n')}`;
}
