import {isFailure} from '../../../../diagnose/failures.js';
import {byRootCause, type Finding} from '../../../../diagnose/root-causes.js';
import {plain} from '../../../../lib/untrusted.js';
import {stringWidth} from '../../../../lib/width.js';
import {remedySteps} from '../../../../model/remedies.js';
import type {CheckedNode, Result} from '../../../../model/result.js';
import {type Content, type ScreenLine, type Tone, type Viewport, wrapped} from '../content.js';
import {evidenceText} from '../evidence.js';

/** What is wrong: root causes with their consequences folded, then what else there is to know. */
export function findings(
  {results, ofCluster}: Pick<CheckedNode, 'results' | 'ofCluster'>,
  {finding, unfolded, width, focus}: Viewport,
  incomplete?: string,
): Content {
  const lines: ScreenLine[] = [];
  let [from, to] = [0, 0];
  for (const [i, one] of byRootCause(results, ofCluster).entries()) {
    const start = lines.length;
    lines.push(...findingLines(one, {chosen: focus === 'content' && i === finding, open: unfolded.has(i), width}));
    if (i === finding) [from, to] = [start, lines.length];
  }
  if (incomplete !== undefined) lines.push(...wrapped('warning', `? Not fully inspected: ${plain(incomplete)}`, width));
  else if (lines.length === 0)
    lines.push([
      ['good', '✓ '],
      ['plain', 'Nothing wrong found.'],
    ]);
  return {lines: [...lines, [], ...otherLines(results, width)], from, to};
}

interface Look {
  readonly chosen: boolean;
  readonly open: boolean;
  readonly width: number;
}

/** Folded: what is wrong. Unfolded: also by what it is known, what to do, and what else it explains. */
function findingLines(finding: Finding, {chosen, open, width}: Look): ScreenLine[] {
  const {root, explains, ofCluster} = finding;
  // A folded cause looks as bad as the worst of what it explains.
  const tone = [root, ...explains].some(result => isFailure(result, 'error')) ? 'error' : 'warning';
  const title = ofCluster ? `${root.title} (whole cluster)` : root.title;
  const fits = stringWidth(root.id) + stringWidth(title) + 5 <= width;
  const head: ScreenLine = [
    [chosen ? 'chosen' : 'plain', chosen ? '›' : ' '],
    [tone, tone === 'error' ? '✗ ' : '! '],
    [chosen ? 'chosen' : 'bold', root.id],
    ['dim', fits ? `  ${title}` : ''],
  ];
  const text = wrapped('plain', plain(root.message), width, 3, 3);
  return [head, ...text, ...(open ? unfoldedLines(finding, width) : foldedLine(finding, width))];
}

function foldedLine({explains}: Finding, width: number): ScreenLine[] {
  const more =
    explains.length === 0 ? '' : `, and ${explains.length} finding${explains.length === 1 ? '' : 's'} that it explains`;
  return wrapped('dim', `▸ Enter: evidence and fix${more}`, width, 3);
}

function unfoldedLines({root, explains}: Finding, width: number): ScreenLine[] {
  const steps = remedySteps(root.remedy);
  return [
    ...root.evidence.flatMap(evidence => labelled('dim', evidenceText(evidence), width)),
    ...steps.flatMap((step, i) => labelled('good', `${i === 0 ? 'fix ' : '    '} ${plain(step)}`, width)),
    ...(root.remedy?.cutsNetwork ? labelled('dim', "     cuts the node's network for a moment", width) : []),
    ...(explains.length > 0 ? wrapped('dim', 'explains', width, 3) : []),
    ...explains.flatMap(other => explained(other, width)),
  ];
}

const labelWidth = 'seen '.length;

/** A label in its own tone, and what it stands for in the ink of the terminal. */
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

/** Findings to know, those that are lived with, and what could not be determined, grouped by the reason. */
function otherLines(results: readonly Result[], width: number): ScreenLine[] {
  const of = (outcome: Result['outcome']) => results.filter(result => result.outcome === outcome);
  const unknown = Map.groupBy(of('unknown'), ({message}) => plain(message));
  return [
    ...of('info').flatMap(({id, message}) => wrapped('plain', `i ${id}  ${plain(message)}`, width)),
    ...results.flatMap(({id, suppressed}) =>
      suppressed === undefined ? [] : wrapped('dim', `- ${id}  suppressed: ${plain(suppressed)}`, width),
    ),
    ...[...unknown].flatMap(([reason, same]) =>
      wrapped('warning', `? ${same.map(({id}) => id).join(', ')}  ${reason}`, width),
    ),
    [['dim', `${of('pass').length} checks passed`]],
  ];
}
