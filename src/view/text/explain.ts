import {styleText} from 'node:util';
import type {Check} from '../../model/check.js';
import type {ExplainResult} from '../../services/explain.js';
import type {TextOptions, View} from '../view.js';
import {table} from './table.js';
import {wrap} from './wrap.js';

/** The words of checks; their names alone where all were asked for. */
export const explainView: View<ExplainResult> = {
  text: ({checks, all}, options) => (all ? checkTable(checks) : checks.map(check => page(check, options)).join('\n')),
  name: ({checks}) => checks.map(({id}) => `${id}\n`).join(''),
  markdown: ({checks}) => markdown(checks),
  document: ({checks}) => ({
    apiVersion: 'kubectl-win/v1',
    kind: 'CheckExplanationList',
    items: checks.map(({id, title, severity, plugins, needs, explain}) => ({
      ...{id, title, severity, plugins, needs},
      ...explain,
    })),
  }),
};

/** Checks with whom each is for, how bad it is, and what it reads. */
export const checkListView: View<readonly Check[]> = {
  text: checkTable,
  name: checks => checks.map(({id}) => `${id}\n`).join(''),
  document: checks => ({
    apiVersion: 'kubectl-win/v1',
    kind: 'CheckList',
    items: checks.map(({id, title, severity, plugins, needs}) => ({id, title, severity, plugins, needs})),
  }),
};

function checkTable(checks: readonly Check[]): string {
  return table(
    ['ID', 'SEVERITY', 'PLUGINS', 'TITLE'],
    checks.map(({id, severity, plugins, title}) => [id, severity, plugins, title]),
  );
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
