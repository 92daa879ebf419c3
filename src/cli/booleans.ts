import {own} from '../lib/own.js';

interface Flag {
  readonly type: string;
}

const words: Readonly<Record<string, boolean>> = {true: true, t: true, 1: true, false: false, f: false, 0: false};

/** kubectl accepts `--flag=true` and `--flag=false` for boolean flags; oclif accepts only the bare flag. */
export function withoutBooleanValues(argv: readonly string[], flags: Readonly<Record<string, Flag>>): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.flatMap((word, index) => {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/.exec(word) ?? [];
    const given = own(words, value.toLowerCase());
    if (index >= end || given === undefined || own(flags, name)?.type !== 'boolean') return [word];
    return given ? [`--${name}`] : [];
  });
}
