// Draws the content of a terminal as SVG.

const cell = {width: 8.4, height: 18};
const edge = 16;

export const themes = {
  dark: {
    ground: '#16181d',
    ink: '#d7dae0',
    palette: ['#5c6370', '#ff6b6b', '#7bd88f', '#f2c55c', '#6cb6ff', '#d2a8ff', '#56d4dd', '#d7dae0'],
  },
  light: {
    ground: '#ffffff',
    ink: '#24292f',
    palette: ['#24292f', '#cf222e', '#116329', '#9a6700', '#0550ae', '#8250df', '#1b7c83', '#6e7781'],
  },
};

const font = `font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14"`;

/** An SVG of this many columns and rows, around the drawn content. */
export function frame({columns, rows, theme = themes.dark, style = ''}, body) {
  const width = columns * cell.width + 2 * edge;
  const height = rows * cell.height + 2 * edge;
  const border = theme === themes.light ? ' stroke="#d0d7de"' : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${font}>
${style}<rect width="100%" height="100%" rx="8" fill="${theme.ground}"${border}/>
${body}
</svg>
`;
}

/** Lines of a terminal, starting at a row. */
export function drawLines(lines, {columns, theme = themes.dark, from = 0}) {
  return lines.flatMap((line, y) => runsOf(line, columns, theme).map(run => drawRun(run, y + from, theme))).join('\n');
}

/** A line that was typed at a prompt. */
export function drawPrompt(text, theme = themes.dark) {
  const look = {colour: theme.palette[6], bold: true, dim: false, inverse: false};
  return drawRun({x: 0, text: `$ ${text}`, cells: text.length + 2, look}, 0, theme);
}

/** Adjacent cells with the same look are one run. */
function runsOf(line, columns, theme) {
  const runs = [];
  for (let x = 0; x < columns; x += 1) {
    const one = line.getCell(x);
    if (!one || one.getWidth() === 0) continue;
    const look = lookOf(one, theme);
    const before = runs.at(-1);
    const text = one.getChars() || ' ';
    if (before && before.key === JSON.stringify(look)) {
      before.text += text;
      before.cells += one.getWidth();
    } else runs.push({x, text, cells: one.getWidth(), look, key: JSON.stringify(look)});
  }
  return runs.filter(({text, look}) => text.trim() !== '' || look.inverse);
}

function lookOf(one, {palette, ink}) {
  const colour = one.isFgPalette() ? palette[one.getFgColor() % 8] : ink;
  return {colour, bold: Boolean(one.isBold()), dim: Boolean(one.isDim()), inverse: Boolean(one.isInverse())};
}

function drawRun({x, text, cells, look}, y, {ground}) {
  const left = edge + x * cell.width;
  const top = edge + y * cell.height;
  const width = cells * cell.width;
  const box = look.inverse
    ? `<rect x="${left.toFixed(1)}" y="${top}" width="${width.toFixed(1)}" height="${cell.height}" fill="${look.colour}" shape-rendering="crispEdges"/>`
    : '';
  const attributes = [
    `x="${left.toFixed(1)}" y="${top + 13}" textLength="${width.toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"`,
    `fill="${look.inverse ? ground : look.colour}"`,
    look.bold ? 'font-weight="bold"' : '',
    look.dim ? 'opacity="0.65"' : '',
  ];
  return `${box}<text ${attributes.filter(Boolean).join(' ')}>${escaped(text)}</text>`;
}

function escaped(text) {
  return text.replace(/[&<>]/g, character => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[character]);
}
