import {Text, type TextProps} from 'ink';
import {createContext, type ReactNode, useContext} from 'react';
import type {Tone} from '../dashboard/lines.js';

/** Whether colours are wanted: Ink itself does not know NO_COLOR. */
export const Coloured = createContext(true);

/** Looks by meaning: colours that read on light and dark grounds, and never the only sign. */
const looks: Readonly<Record<Tone, TextProps>> = {
  plain: {},
  dim: {dimColor: true},
  bold: {bold: true},
  error: {color: 'red', bold: true},
  warning: {color: 'yellow'},
  good: {color: 'green'},
  chosen: {color: 'cyan', bold: true},
};

export function Toned({tone, children}: {tone: Tone; children?: ReactNode}) {
  const {color, ...rest} = looks[tone];
  return (
    <Text {...rest} {...(useContext(Coloured) && color !== undefined && {color})}>
      {children}
    </Text>
  );
}
