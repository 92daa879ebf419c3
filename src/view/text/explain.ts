import {styleText} from 'node:util';
import type {Check} from '../../model/check.js';
import type {ExplainResult} from '../../services/explain.js';
import type {TextOptions, View} from '../view.js';
import {Page} from './page.js';
import {table} from './table.js';
import {wrap} from './wrap.js';

/** The explanation of a check, or a list of checks. */
export const explainView: View<ExplainResult> = {
  text: ({checks, listed}, options) =>
    listed ? checkTable(checks) : checks.map(check => page(check, options)).join('\n'),
  name: ({checks}) => checks.map(({id}) => `${id}\n`).join(''),
  markdown: ({checks}) => markdown(checks),
  document: ({checks}) => ({
    apiVersion: 'kubectl-win/v1',
    kind: 'CheckExplanationList',
    items: checks.map(({id, title, failure, severity, plugins, needs, explain}) => ({
      ...{id, title, failure, severity, plugins, needs},
      ...explain,
    })),
  }),
};

/** Checks with their severity and plugins. */
export const checkListView: View<readonly Check[]> = {
  text: checkTable,
  name: checks => checks.map(({id}) => `${id}\n`).join(''),
  document: checks => ({
    apiVersion: 'kubectl-win/v1',
    kind: 'CheckList',
    items: checks.map(({id, title, failure, severity, plugins, needs}) => ({
      ...{id, title, failure, severity, plugins, needs},
    })),
  }),
};

function checkTable(checks: readonly Check[]): string {
  return table(
    ['ID', 'SEVERITY', 'PLUGINS', 'TITLE'],
    checks.map(({id, severity, plugins, title}) => [id, severity, plugins, title]),
  );
}

function page(check: Check, {colour, width}: TextOptions): string {
  const {id, failure, explain: words} = check;
  const bold = (text: string) => (colour ? styleText('bold', text, {validateStream: false}) : text);
  const paragraph = (text: string) => wrap(text, {indent: 2, hang: 2, width});
  const items = (lines: readonly string[]) => lines.flatMap(line => wrap(line, {indent: 2, hang: 6, width}));
  const steps = (lines: readonly string[]) =>
    lines.flatMap((line, i) => wrap(`${i + 1}. ${line}`, {indent: 2, hang: 5, width}));
  const head = new Page({colour, width});
  head.edged(0, bold(failure), colour ? styleText('dim', id, {validateStream: false}) : id);
  return [
    head.text().trimEnd(),
    ...paragraph(attributes(check, need => need)),
    '',
    bold('What it means'),
    ...paragraph(words.meaning),
    '',
    bold('Why it happens'),
    ...paragraph(words.why),
    '',
    bold('Inspect it manually'),
    ...items(words.see),
    '',
    bold('Repair it manually'),
    ...steps(words.fix),
    ...(words.sources.length > 0 ? ['', bold('Sources'), ...items(words.sources)] : []),
    '',
  ].join('\n');
}

/** What is checked, the severity, the plugins, and the sections that are read. */
function attributes({title, severity, plugins, needs}: Check, mark: (need: string) => string): string {
  const reads = needs.length > 0 ? ` Reads ${needs.map(mark).join(', ')}.` : '';
  return `Checks: ${title}. Severity: ${severity}. Plugins: ${plugins}.${reads}`;
}

/** The same explanations as a page for `docs/`. */
function markdown(checks: readonly Check[]): string {
  const list = (items: readonly string[], mark: (i: number) => string) =>
    items.map((item, i) => `${mark(i)} ${item}\n`).join('');
  const section = (check: Check) => {
    const {id, failure, explain: words} = check;
    return `## ${id}

**${failure}**

${attributes(check, need => `\`${need}\``)}

${words.meaning}

Why: ${words.why}

Inspect it manually:

\`\`\`powershell
${words.see.join('\n')}
\`\`\`

Repair it manually:

${list(words.fix, i => `${i + 1}.`)}
Sources:

${list(words.sources, () => '-')}`;
  };
  return `# Checks

The checks of \`kubectl win doctor\`. \`kubectl win explain ID\` prints the same text; \`npm run docs\` regenerates this page.

${checks.map(section).join('\n')}`;
}
