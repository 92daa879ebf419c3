import {createHash} from 'node:crypto';
import type {DoctorReport} from '../../diagnose/report.js';
import {plain, valueText} from '../../lib/untrusted.js';
import {remedySteps} from '../../model/remedies.js';
import type {Result} from '../../model/result.js';
import {gapOf, type Place, placesOf} from './places.js';

/** SARIF 2.1.0: findings are results; what could not be read is a notification of the run. */
export function sarif(report: DoctorReport): string {
  const places = placesOf(report);
  const told = places.flatMap(place => place.results.filter(isTold).map(result => ({place, result})));
  const rules = [...new Map(told.map(({result}) => [result.id, result])).values()];
  const ruleIndex = new Map(rules.map(({id}, i) => [id, i]));
  const gaps = gapsOf(report, places);
  const document = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'kubectl win',
            informationUri: 'https://github.com/kubectl-win/kubectl-win',
            rules: rules.map(ruleOf),
          },
        },
        invocations: [
          {
            executionSuccessful: gaps.length === 0,
            endTimeUtc: report.generatedAt,
            toolExecutionNotifications: gaps.map(text => ({level: 'error', message: {text}})),
          },
        ],
        results: told.map(({place, result}) => resultOf(place, result, ruleIndex.get(result.id) ?? 0)),
      },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const isTold = ({outcome, suppressed}: Result) => outcome === 'fail' || suppressed !== undefined;

function gapsOf({cluster}: DoctorReport, places: readonly Place[]): string[] {
  const ofNodes = places.flatMap(({name, node}) => {
    const gap = node && gapOf(node);
    return gap === undefined ? [] : [plain(`${name}: not fully inspected: ${gap}`)];
  });
  return [...(cluster.unread ?? []).map(list => plain(`not read from the cluster: ${list}`)), ...ofNodes];
}

const ruleOf = ({id, title, docs}: Result) => ({
  id,
  name: id.replace(/(?:^|[/-])(\w)/g, (_, letter: string) => letter.toUpperCase()),
  shortDescription: {text: title},
  help: {text: docs},
  properties: {tags: ['kubernetes', 'windows', id.split('/')[0] ?? id]},
});

function resultOf({name, node}: Place, result: Result, ruleIndex: number) {
  const {id, severity, evidence, remedy, suppressed, causedBy} = result;
  const message = plain(result.message);
  const place = node ? `nodes/${encodeURIComponent(name)}` : 'cluster';
  return {
    ruleId: id,
    ruleIndex,
    level: severity === 'error' ? 'error' : severity === 'warning' ? 'warning' : 'note',
    message: {text: [message, ...remedySteps(remedy).map(step => `Fix: ${plain(step)}`)].join('\n')},
    locations: [
      {
        physicalLocation: {artifactLocation: {uri: place}},
        logicalLocations: [{name: plain(name), fullyQualifiedName: place, kind: 'resource'}],
      },
    ],
    // The same problem keeps its fingerprint between runs, so that it is not reported as new.
    partialFingerprints: {
      'placeAndCheck/v1': createHash('sha256')
        .update(JSON.stringify([place, id, message]))
        .digest('hex'),
    },
    ...(suppressed !== undefined && {suppressions: [{kind: 'external', justification: plain(suppressed)}]}),
    properties: {
      evidence: evidence.map(({section, object, field, seen, expected}) => ({
        ...{section, object: plain(object), ...(field !== undefined && {field}), found: valueText(seen)},
        ...(expected !== undefined && {expected: valueText(expected)}),
      })),
      ...(causedBy && {causedBy}),
    },
  };
}
