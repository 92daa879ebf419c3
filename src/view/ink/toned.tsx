import {Text, type TextProps} from 'ink';
import {createContext, useContext} from 'react';
import type {Tone} from './dashboard/content.js';

/** Whether to use colours: Ink does not support NO_COLOR. */
export const Coloured = createContext(true);

interface Look {
  /** The style of the sign before the words. */
  readonly sign: TextProps;
  readonly words: TextProps;
}

/**
 * Styles by tone. Colours that are hard to read on a light or dark background are used for signs only; words keep the
 * terminal's colour, and nothing is shown by colour alone.
 */
const looks: Readonly<Record<Tone, Look>> = {
  plain: {sign: {}, words: {}},
  dim: {sign: {dimColor: true}, words: {dimColor: true}},
  bold: {sign: {bold: true}, words: {bold: true}},
  error: {sign: {color: 'red', bold: true}, words: {color: 'red', bold: true}},
  warning: {sign: {color: 'yellow', bold: true}, words: {}},
  good: {sign: {color: 'green', bold: true}, words: {}},
  chosen: {sign: {color: 'cyan', bold: true}, words: {bold: true}},
  // For keys, labels and the selection. Only for short words, because cyan is faint on a light background.
  accent: {sign: {color: 'cyan', bold: true}, words: {color: 'cyan', bold: true}},
  match: {sign: {underline: true, bold: true}, words: {underline: true, bold: true}},
  selectedMatch: {sign: {inverse: true}, words: {inverse: true}},
};

const signs = /^\s*[✓✗!?›…↶]/;

export function Toned({tone, children}: {tone: Tone; children: string}) {
  const coloured = useContext(Coloured);
  const [sign = ''] = signs.exec(children) ?? [];
  const look = looks[tone];
  return (
    <Text>
      <Text {...inked(look.sign, coloured)}>{sign}</Text>
      <Text {...inked(look.words, coloured)}>{children.slice(sign.length)}</Text>
    </Text>
  );
}

function inked({color, ...rest}: TextProps, coloured: boolean): TextProps {
  return coloured && color !== undefined ? {...rest, color} : rest;
}
