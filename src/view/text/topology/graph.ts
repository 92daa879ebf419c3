import {plain} from '../../../lib/untrusted.js';
import type {Part, Topology} from '../../../services/inspect/part.js';
import {aboutPart, headline, shortName, signOf} from './draw.js';

interface Vertex {
  readonly id: string;
  readonly label: readonly string[];
  readonly look: 'error' | 'warning' | 'plain';
}

interface Graph {
  readonly vertices: readonly Vertex[];
  readonly edges: readonly (readonly [string, string])[];
}

/** Mermaid, for a ticket or a README. */
export function mermaid(topology: Topology): string {
  const {vertices, edges} = graphOf(topology.parts);
  return lines(
    '---',
    `title: ${JSON.stringify(headline(topology))}`,
    '---',
    'flowchart TD',
    ...vertices.map(({id, label, look}) => `  ${id}["${label.map(mermaidText).join('<br>')}"]${mermaidClass[look]}`),
    ...edges.map(([from, to]) => `  ${from} --> ${to}`),
    '  classDef error stroke:#d1242f,stroke-width:3px',
    '  classDef warning stroke:#bf8700,stroke-width:3px',
  );
}

/** Graphviz. */
export function dot(topology: Topology): string {
  const {vertices, edges} = graphOf(topology.parts);
  return lines(
    'digraph node {',
    `  label=${dotText([headline(topology)])};`,
    '  labelloc=t;',
    '  node [shape=box, fontname="sans-serif"];',
    ...vertices.map(({id, label, look}) => `  ${id} [label=${dotText(label)}${dotLook[look]}];`),
    ...edges.map(([from, to]) => `  ${from} -> ${to};`),
    '}',
  );
}

const mermaidClass = {error: ':::error', warning: ':::warning', plain: ''};
const dotLook = {error: ', color="#d1242f", penwidth=3', warning: ', color="#bf8700", penwidth=3', plain: ''};

function graphOf(parts: readonly Part[]): Graph {
  const vertices: Vertex[] = [];
  const edges: [string, string][] = [];
  const add = (part: Part, above: string | undefined) => {
    const id = `p${vertices.length + 1}`;
    const sign = signOf(part);
    vertices.push({
      id,
      label: [`${sign}${shortName(part.name)}`, aboutPart(part), ...(part.trouble?.findings ?? [])],
      look: sign === '✗ ' ? 'error' : sign === '! ' ? 'warning' : 'plain',
    });
    if (above !== undefined) edges.push([above, id]);
    for (const child of part.parts) add(child, id);
  };
  for (const part of parts) add(part, undefined);
  return {vertices, edges};
}

/** Names come from nodes and are untrusted: escape what Mermaid would interpret. */
function mermaidText(text: string): string {
  return plain(text).replace(/[#&"<>`\\]/g, character => `#${character.codePointAt(0)};`);
}

function dotText(label: readonly string[]): string {
  return `"${label.map(text => plain(text).replace(/["\\]/g, '\\$&')).join('\\n')}"`;
}

function lines(...all: string[]): string {
  return all.map(line => `${line}\n`).join('');
}
