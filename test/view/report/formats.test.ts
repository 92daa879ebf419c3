import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {Log} from 'sarif';
import {expect, test} from 'vitest';
import {validateXML} from 'xmllint-wasm';
import {diagnose} from '../../../src/diagnose/diagnose.js';
import type {DoctorReport} from '../../../src/diagnose/report.js';
import {publishedSchema, type SchemaName} from '../../../src/services/schema.js';
import {nodesFromFile} from '../../../src/session/snapshot-file.js';
import {sectionNames} from '../../../src/snapshot/section-names.js';
import {sectionReaders} from '../../../src/snapshot/sections.js';
import {type Reader, readIfPossible} from '../../../src/snapshot/values.js';
import {html} from '../../../src/view/report/html.js';
import {junit} from '../../../src/view/report/junit.js';
import {prometheus} from '../../../src/view/report/prometheus.js';
import {sarif} from '../../../src/view/report/sarif.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const files = ['test/fixtures/cases', 'test/fixtures/references'].flatMap(folder =>
  readdirSync(join(root, folder))
    .filter(file => /(?<!\.expect)\.json$/.test(file))
    .map(file => join(root, folder, file)),
);

/** Every kind of report: of healthy nodes, of unhealthy ones, and of one that could not be read. */
const reports: DoctorReport[] = await Promise.all(
  files.map(async file => diagnose({...(await nodesFromFile(file, [])), selection: {}, now: new Date()})),
);
const [first] = reports;
const failures = new Map([[first?.nodes[0]?.name ?? '', 'No pod <started> & "ran".']]);
const unread = diagnose({...(await nodesFromFile(files[0] ?? '', [])), failures, selection: {}, now: new Date()});
const all = [...reports, unread];

/** The schema without additional properties, to find a field that the schema lacks. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  return 'properties' in own && !('additionalProperties' in own) ? {...own, additionalProperties: false} : own;
}

function validator(name: SchemaName, close = closed) {
  const ajv = new Ajv2020({allErrors: true, strict: false});
  addFormats.default(ajv);
  const validate = ajv.compile(close(publishedSchema(name)) as object);
  return (document: unknown) => {
    validate(JSON.parse(JSON.stringify(document)));
    return validate.errors ?? [];
  };
}

test('every report is valid for its published schema, which names every field', () => {
  const errorsOf = validator('report');
  expect(all.flatMap(report => errorsOf(report))).toEqual([]);
  expect(errorsOf({...first, kind: 'Report'})).not.toEqual([]);
  expect(errorsOf({...first, surprise: 1})).not.toEqual([]);
});

test('a reader of the published schema accepts fields of later versions', () => {
  expect(validator('report', schema => schema)({...first, surprise: 1})).toEqual([]);
});

test('every snapshot is valid for its published schema', () => {
  const errorsOf = validator('snapshot', schema => schema);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) expect(errorsOf(JSON.parse(readFileSync(file, 'utf8'))), file).toEqual([]);
  expect(errorsOf({apiVersion: 'kubectl-win/v1', kind: 'Snapshot', nodes: []})).not.toEqual([]);
});

type Json = Record<string, unknown>;

/** The schemas of the sections in the schema of a snapshot. */
function sectionSchemas(schema: unknown, key = ''): Json | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if (key === 'sections' && 'properties' in schema) return schema.properties as Json;
  for (const [name, one] of Object.entries(schema)) {
    const found = sectionSchemas(one, name);
    if (found) return found;
  }
  return undefined;
}

/** The document with one value replaced or removed, at every place. */
function* variants(value: unknown, others: readonly unknown[]): Generator<unknown> {
  yield* others;
  if (Array.isArray(value)) for (const one of variants(value[0], others)) yield [one];
  else if (typeof value === 'object' && value !== null) {
    for (const [name, own] of Object.entries(value)) {
      for (const one of variants(own, others)) yield {...value, [name]: one};
      yield Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
    }
  }
}

test('the program reads every section that is valid for the published schema, which accepts what nodes report', () => {
  const {$defs, ...published} = publishedSchema('snapshot');
  const schemas = sectionSchemas(published) ?? {};
  expect(Object.keys(schemas).sort()).toEqual([...sectionNames].sort());
  const nodes = files.flatMap(file =>
    Object.values(JSON.parse(readFileSync(file, 'utf8')).nodes as Record<string, {sections: Json}>),
  );
  const others = [null, '', {}, [], 'low', '12', 12, true, 'True', '2026-03-02T09:12:50Z', {a: 1}, [{}], ['x']];
  const ajv = new Ajv2020({strict: false});
  const unread: string[] = [];
  let refused = 0;
  for (const name of sectionNames) {
    const fits = ajv.compile({...(schemas[name] as Json), $defs});
    const said = nodes.map(({sections}) => sections[name]).filter(section => section !== undefined);
    for (const section of said) expect(fits(section), `${name} ${JSON.stringify(fits.errors)}`).toBe(true);
    const longest = said.toSorted((one, other) => JSON.stringify(other).length - JSON.stringify(one).length)[0];
    for (const changed of variants(longest, others)) {
      if (!fits(changed)) refused += 1;
      else if (readIfPossible(sectionReaders[name] as Reader<unknown>, changed) === undefined)
        unread.push(`${name}: ${JSON.stringify(changed).slice(0, 200)}`);
    }
  }
  expect(unread).toEqual([]);
  expect(refused).toBeGreaterThan(1000);
});

test('JUnit reports are valid for the common schema', async () => {
  const schema = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8');
  const xml = all.map((report, i) => ({fileName: `${i}.xml`, contents: junit(report)}));
  const {valid, errors} = await validateXML({xml, schema});
  expect(errors.map(({message}) => message)).toEqual([]);
  expect(valid).toBe(true);
  const broken = junit(unread).replace('<testcase ', '<testcase surprise="1" ');
  expect(await validateXML({xml: broken, schema})).toMatchObject({valid: false});
});

test('SARIF reports have the types of the SARIF 2.1.0 schema', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-sarif-'));
  const logs = all.map((report, i) => `export const log${i}: Log = ${sarif(report)};`);
  writeFileSync(join(folder, 'logs.ts'), `import type {Log} from 'sarif';\n${logs.join('\n')}`);
  const paths = {sarif: [join(root, 'node_modules/@types/sarif')]};
  const compilerOptions = {strict: true, noEmit: true, skipLibCheck: true, types: [], module: 'esnext', paths};
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({compilerOptions: {...compilerOptions, moduleResolution: 'bundler'}, files: ['logs.ts']}),
  );
  const compile = () =>
    promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).then(
      () => '',
      ({stdout}: {stdout: string}) => stdout,
    );
  try {
    expect(await compile()).toBe('');
    const broken = readFileSync(join(folder, 'logs.ts'), 'utf8').replace('"ruleId"', '"ruleName"');
    writeFileSync(join(folder, 'logs.ts'), broken);
    expect(await compile()).toMatch(/ruleName/);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
});

/** What `promtool check metrics` and a strict parser would report. */
function promtool(text: string): string[] {
  const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\n]|\\\\["\\\\n])*"';
  const sample = new RegExp(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(${label}(?:,${label})*)\\})? (-?\\d+(?:\\.\\d+)?)$`);
  const [helped, typed, closed, seen] = [new Set(), new Set(), new Set(), new Set()];
  const wrong: string[] = text.endsWith('\n') ? [] : ['does not end with a newline'];
  let current = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const [, keyword, about = ''] = /^# (HELP|TYPE) ([a-z][a-z0-9_]*) \S/.exec(line) ?? [];
    const [, name = about, labels = ''] = keyword ? [] : (sample.exec(line) ?? []);
    if (name === '') wrong.push(`cannot be parsed: ${line}`);
    if (name !== current) closed.add(current);
    current = name;
    if (closed.has(name)) wrong.push(`${name}: not in one group`);
    if (keyword) {
      const known = keyword === 'HELP' ? helped : typed;
      if (known.has(name)) wrong.push(`${name}: second ${keyword}`);
      known.add(name);
      if (keyword === 'TYPE' && !/ gauge$/.test(line)) wrong.push(`${name}: ${line}`);
      // A gauge must not have the name suffix of counters, histograms and summaries.
      if (/_(?:total|count|sum|bucket)$/.test(name)) wrong.push(`${name}: not the name of a gauge`);
      continue;
    }
    if (!helped.has(name) || !typed.has(name)) wrong.push(`${name}: no HELP or TYPE before it`);
    const series = `${name}{${labels}}`;
    if (seen.has(series)) wrong.push(`${series}: twice`);
    seen.add(series);
  }
  return wrong;
}

test('Prometheus text passes the checks of promtool', () => {
  for (const report of all) expect(promtool(prometheus(report))).toEqual([]);
  const text = prometheus(unread);
  expect(promtool(text.trimEnd())).not.toEqual([]);
  expect(promtool(text.replace(/^# TYPE kubectl_win_node_healthy.*\n/m, ''))).not.toEqual([]);
  expect(promtool(`${text}${text.split('\n').at(-2)}\n`)).not.toEqual([]);
  expect(promtool(text.replaceAll('node="', 'node="a"b'))).not.toEqual([]);
});

test('an HTML report loads nothing, and its policy allows everything in it', () => {
  for (const report of all) {
    const page = html(report, new Map());
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    const style = createHash('sha256').update(/<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '');
    expect(policy).toBe(`default-src 'none'; img-src data:; style-src 'sha256-${style.digest('base64')}'`);
    expect(page).not.toMatch(/<(?:script|img|iframe|object|embed)\b| style="| on\w+="|@import|url\(/i);
    // The empty icon keeps browsers from requesting one.
    expect(page.match(/<link\b[^>]*>/g)).toEqual(['<link rel="icon" href="data:,">']);
  }
});

test('a node that could not be read is not a successful run in SARIF', () => {
  const runs = (report: DoctorReport) => (JSON.parse(sarif(report)) as Log).runs;
  expect(runs(unread)[0]?.invocations?.[0]).toMatchObject({
    executionSuccessful: false,
    toolExecutionNotifications: [{message: {text: expect.stringContaining('No pod <started>')}}],
  });
});
