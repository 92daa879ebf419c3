import {isFailure} from '../../../../diagnose/failures.js';
import {byRootCause, type Finding} from '../../../../diagnose/root-causes.js';
import {plain} from '../../../../lib/untrusted.js';
import {stringWidth} from '../../../../lib/width.js';
import {remedySteps} from '../../../../model/remedies.js';
import type {CheckedNode, Result} from '../../../../model/result.js';
import {facts, shortened} from '../../../text/doctor/evidence-facts.js';
import {type Content, type ScreenLine, type Tone, type Viewport, wrapped} from '../content.js';

/** Root causes with their consequences folded, then notes, suppressed findings and undetermined checks. */
export function findings(
  {results, ofCluster}: Pick<CheckedNode, 'results' | 'ofCluster'>,
  {finding, unfolded, width, focus, roomy = false}: Viewport,
  incomplete?: string,
): Content {
  const lines: ScreenLine[] = [];
  const starts: number[] = [];
  let [from, to] = [0, 0];
  for (const [i, one] of byRootCause(results, ofCluster).entries()) {
    const start = lines.length;
    starts.push(start);
    const look = {chosen: focus === 'content' && i === finding, open: unfolded.has(i), width, roomy};
    lines.push(...findingLines(one, look));
    if (i === finding) [from, to] = [start, lines.length];
  }
  if (incomplete !== undefined)
    lines.push(...wrapped('warning', `? Not fully inspected: ${plain(incomplete)}`, width, 1, 3), []);
  else if (lines.length === 0)
    lines.push(
      [
        ['good', ' ✓ '],
        ['plain', 'No problems found.'],
      ],
      [],
    );
  return {lines: [...lines, ...otherLines(results, width)], from, to, starts};
}

interface Look {
  readonly chosen: boolean;
  readonly open: boolean;
  readonly width: number;
  readonly roomy: boolean;
}

/** Folded: the problem and its fix. Unfolded: also the evidence and the consequences. */
function findingLines(finding: Finding, {chosen, open, width, roomy}: Look): ScreenLine[] {
  const {root, explains, ofCluster} = finding;
  // A folded cause has the highest severity of its consequences.
  const tone = [root, ...explains].some(result => isFailure(result, 'error')) ? 'error' : 'warning';
  const title = ofCluster ? `${root.title} (whole cluster)` : root.title;
  const mark: ScreenLine = [
    [chosen ? 'chosen' : 'plain', chosen ? '›' : ' '],
    [tone, tone === 'error' ? '✗ ' : '! '],
  ];
  const gap = width - 3 - stringWidth(title) - stringWidth(root.id);
  const [first = [], ...rest] = wrapped(chosen ? 'chosen' : 'bold', title, width - 3, 0, 0);
  // The id, for `explain`, is at the end of the line if it fits, otherwise with the evidence.
  const head: ScreenLine[] = [
    [...mark, ...first, ['dim', gap >= 2 ? `${' '.repeat(gap)}${root.id}` : '']],
    ...rest.map((line): ScreenLine => [['plain', '   '], ...line]),
  ];
  const text = wrapped('plain', shortened(plain(root.message)), width, 3, 3);
  const fix = fixLines(finding, width);
  return [
    ...head,
    ...text,
    ...(roomy && fix.length > 0 ? [[]] : []),
    ...fix,
    ...(open ? unfoldedLines(finding, width, gap < 2) : foldedLine(finding, width)),
    [],
  ];
}

/** The fix, directly below the problem, folded or not. */
function fixLines({root}: Finding, width: number): ScreenLine[] {
  return [
    ...remedySteps(root.remedy).flatMap((step, i) =>
      labelled('accent', `${(i === 0 ? 'Fix' : '').padEnd(labelWidth)}${plain(step)}`, width),
    ),
    ...(root.remedy?.cutsNetwork
      ? labelled('dim', `${' '.repeat(labelWidth)}interrupts the node's network`, width)
      : []),
  ];
}

function foldedLine({explains}: Finding, width: number): ScreenLine[] {
  const more = explains.length === 0 ? '' : `, ${explains.length} consequence${explains.length === 1 ? '' : 's'}`;
  return wrapped('dim', `▸ Enter: evidence${more}`, width, 3);
}

function unfoldedLines({root, explains}: Finding, width: number, withId: boolean): ScreenLine[] {
  const line = (label: string, text: string) => labelled('dim', `${label.padEnd(labelWidth)}${text}`, width);
  return [
    ...(withId ? line('Check', root.id) : []),
    ...facts(root.evidence).flatMap(({found, expected}) => [
      ...found.flatMap((one, i) => line(i === 0 ? 'Found' : '', one)),
      ...(expected === undefined ? [] : line('Expected', expected)),
    ]),
    ...(explains.length > 0 ? line('Explains', '') : []),
    ...explains.flatMap(other => explained(other, width)),
  ];
}

const labelWidth = 'Expected  '.length;

/** A label in its own tone, and its value in the terminal's default colour. */
function labelled(tone: Tone, text: string, width: number): ScreenLine[] {
  const [first = [], ...more] = wrapped('plain', text, width, 3, 3 + labelWidth);
  const [[, line] = ['plain', '']] = first;
  const label = line.slice(0, 3 + labelWidth);
  return [
    [
      [tone, label],
      ['plain', line.slice(label.length)],
    ],
    ...more,
  ];
}

function explained(other: Result, width: number): ScreenLine[] {
  const error = isFailure(other, 'error');
  return wrapped(
    error ? 'error' : 'warning',
    `${error ? '✗' : '!'} ${other.id}  ${plain(other.message)}`,
    width,
    5,
    7,
  ).map(
    ([[tone, text] = ['plain', ''] as const], i): ScreenLine =>
      i === 0
        ? [
            [tone, text.slice(0, 7)],
            ['plain', text.slice(7)],
          ]
        : [['plain', text]],
  );
}

/** Notes, suppressed findings, and undetermined checks grouped by reason. */
function otherLines(results: readonly Result[], width: number): ScreenLine[] {
  const of = (outcome: Result['outcome']) => results.filter(result => result.outcome === outcome);
  const unknown = Map.groupBy(of('unknown'), ({message}) => plain(message));
  return [
    ...of('info').flatMap(({id, message}) => wrapped('plain', `i ${id}  ${plain(message)}`, width, 1, 3)),
    ...results.flatMap(({id, suppressed}) =>
      suppressed === undefined ? [] : wrapped('dim', `- ${id}  suppressed: ${plain(suppressed)}`, width, 1, 3),
    ),
    ...[...unknown].flatMap(([reason, same]) =>
      wrapped('warning', `? ${same.map(({id}) => id).join(', ')}  ${reason}`, width, 1, 3),
    ),
    [
      ['good', ' ✓ '],
      ['dim', `${of('pass').length} passed`],
    ],
  ];
}
