import {escapeXml} from '../../lib/markup.js';
import type {Part, Topology} from '../../services/inspect/part.js';
import {aboutPart, headline, shortName, signOf} from '../text/topology/draw.js';

interface Box {
  readonly part: Part;
  readonly depth: number;
  readonly row: number;
  /** The row of its parent. */
  readonly on: number | undefined;
}

const step = 44;
const height = 36;
const indent = 28;
const width = 900;
const letter = 6.6;

/** A node's network as a picture: one box per part, below and to the right of its parent. */
export function topologySvg(topology: Topology): string {
  const boxes = placed(topology.parts);
  const tall = boxes.length * step;
  return [
    `<svg class="topology" viewBox="0 0 ${width} ${tall}" role="img" aria-label="${escapeXml(`Network of ${headline(topology)}`)}">`,
    ...boxes.map(line),
    ...boxes.map(drawn),
    '</svg>',
  ].join('\n');
}

function placed(parts: readonly Part[]): Box[] {
  const boxes: Box[] = [];
  const place = (part: Part, depth: number, on: number | undefined) => {
    const row = boxes.length;
    boxes.push({part, depth, row, on});
    for (const child of part.parts) place(child, depth + 1, row);
  };
  for (const part of parts) place(part, 0, undefined);
  return boxes;
}

const left = ({depth}: Box) => depth * indent;
const top = ({row}: Box) => row * step;

function line(box: Box): string {
  if (box.on === undefined) return '';
  const x = left(box) - indent / 2;
  const y = top(box) + height / 2;
  return `<path fill="none" stroke="gray" d="M${x} ${box.on * step + height}V${y}H${left(box)}"/>`;
}

function drawn(box: Box): string {
  const {part} = box;
  const sign = signOf(part);
  const look = sign === '✗ ' ? 'error' : sign === '! ' ? 'warning' : 'plain';
  const room = Math.floor((width - left(box) - 24) / letter);
  const name = cut(`${sign}${shortName(part.name)}`, room);
  const findings = part.trouble?.findings.join(', ') ?? '';
  const about = [aboutPart(part), findings].filter(Boolean).join(' · ');
  return [
    `<g class="${look}${part.missing ? ' missing' : ''}">`,
    `<title>${escapeXml([part.name, about].join('\n'))}</title>`,
    // Without the style sheet, an outline is drawn instead of a black bar.
    `<rect fill="none" stroke="gray" x="${left(box)}" y="${top(box)}" width="${width - left(box) - 1}" height="${height}" rx="5"/>`,
    `<text class="name" x="${left(box) + 10}" y="${top(box) + 15}">${escapeXml(name)}</text>`,
    `<text class="about" x="${left(box) + 10}" y="${top(box) + 29}">${escapeXml(cut(about, room))}</text>`,
    '</g>',
  ].join('');
}

const cut = (text: string, room: number) => (text.length <= room ? text : `${text.slice(0, room - 1)}…`);
