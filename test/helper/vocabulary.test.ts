import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {condition, parameterKinds, type StepName, stepParameters} from '../../src/model/step.js';
import {hasUndo, isForEveryBoot} from '../../src/repair/steps/all.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {allSteps, nodeForEveryStep} from './every-step.js';

// The steps are defined twice more: in PowerShell for the node, and in helper/README.md for readers.

const textOf = (file: string) => readFileSync(new URL(`../../helper/${file}`, import.meta.url), 'utf8');
const names = Object.keys(stepParameters).toSorted() as StepName[];
const samples = new Map(allSteps(nodeForEveryStep()).map(step => [step.do, step]));

/** The parameters of a schema in the notation of `helper/steps/step.ps1`: `{id: 'guid', endpoints: 'guids?'}`. */
function kindsIn(shape: Readonly<Record<string, unknown>>): Record<string, string> {
  const kindOf = (schema: unknown): string => {
    const [kind] = Object.entries(parameterKinds).find(([, its]) => its === schema) ?? [];
    if (kind !== undefined) return kind;
    const {innerType} = (schema as {def: {innerType?: unknown}}).def;
    if (innerType === undefined) throw new Error('a parameter is of none of the kinds in parameterKinds');
    return `${kindOf(innerType)}?`;
  };
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, kindOf(schema)]));
}

/** `@{ id = 'guid'; name = 'name' }` */
function hashtable(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+) = '([\w?]+)'/g)].map(([, name = '', kind = '']) => [name, kind]));
}

describe('the vocabulary of the node', () => {
  const table = textOf('steps/step.ps1');
  const rows = [
    ...table.matchAll(/^ {8}'([\w.]+)' += @\{ Function = '([\w-]+)'; Undo = \$(true|false); With = (.*) \}$/gm),
  ];

  it('has the same steps, each with its own function', () => {
    expect(rows.map(([, name]) => name).toSorted()).toEqual(names);
    const functions = rows.map(([, , its]) => its);
    expect(new Set(functions).size).toBe(names.length);
    const defined = ['adapter', 'file', 'firewall', 'hns', 'ovs', 'service', 'switch', 'wait']
      .flatMap(file => [...textOf(`steps/${file}.ps1`).matchAll(/^function (Invoke-\w+Step) /gm)])
      .map(([, its]) => its);
    expect(defined.toSorted()).toEqual(functions.toSorted());
  });

  it.each(names.filter(name => name !== 'wait.until'))('has the parameters of %s, and their kinds', name => {
    const [, , , , parameters = ''] = rows.find(([, its]) => its === name) ?? [];
    const schema: unknown = stepParameters[name];
    expect(hashtable(parameters)).toEqual(kindsIn((schema as {shape: Record<string, unknown>}).shape));
  });

  it('supports the same wait conditions', () => {
    const conditions = [...table.matchAll(/^ {8}'(\w+)' += (@\{.*\})$/gm)].map(([, until, its = '']) => [
      until,
      hashtable(its),
    ]);
    const ours = condition.def.options.map(({shape: {until, ...rest}}) => [until.def.values[0], kindsIn(rest)]);
    expect(Object.fromEntries(conditions)).toEqual(Object.fromEntries(ours));
  });

  it('knows every parameter type', () => {
    const validate = textOf('plan/validate.ps1');
    for (const kind of Object.keys(parameterKinds)) expect(validate).toMatch(new RegExp(`'${kind}'|\\b${kind} = `));
  });

  it('has an undo for the same steps', () => {
    const undoable = rows.flatMap(([, name = '', , undo]) => (undo === 'true' ? [name] : []));
    expect(undoable.toSorted()).toEqual(names.filter(hasUndo));
  });

  it('allows the same steps at boot', () => {
    const [, list = ''] = /\$forBoots = @\((.*)\)$/m.exec(textOf('plan/boot-plan.ps1')) ?? [];
    const atBoot = [...list.matchAll(/'([\w.]+)'/g)].map(([, name]) => name);
    const ours = names.filter(name => {
      const sample = samples.get(name);
      return sample !== undefined && isForEveryBoot(sample);
    });
    expect(atBoot.toSorted()).toEqual(ours);
  });
});

describe("the table in the helper's README", () => {
  const rows = textOf('README.md')
    .split('\n')
    .filter(line => /^\| `\w+\.\w+`/.test(line) && !line.includes('.ps1`'))
    .flatMap(line => {
      const [, first = '', , undo = '', boot = ''] = line.split('|').map(cell => cell.trim());
      return [...first.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => ({name, undo, boot}));
    });

  it('has every step once', () => {
    expect(rows.map(({name}) => name).toSorted()).toEqual(names);
  });

  it('says which can be undone', () => {
    const undoable = rows.filter(({undo}) => !/^(none|not needed)\b/.test(undo)).map(({name}) => name);
    expect(undoable.toSorted()).toEqual(names.filter(hasUndo));
  });

  it('says which may run at boot', () => {
    const ours = names.filter(name => samples.has(name) && isForEveryBoot(samples.get(name) as never));
    expect(rows.flatMap(({name, boot}) => (boot.startsWith('yes') ? [name] : [])).toSorted()).toEqual(ours);
  });
});

it('the helper reads every section that the client knows, and no other', () => {
  const table = [...textOf('sections/table.ps1').matchAll(/^ {8}(\w+) += @\{ Function/gm)].map(([, name]) => name);
  expect(table.toSorted()).toEqual([...sectionNames].toSorted());
});
