/** Signs that every terminal has, for those that are drawn elsewhere: one column each, so that tables stay tables. */
const signs: Readonly<Record<string, string>> = {
  '✓': '+',
  '✗': 'x',
  '✖': 'x',
  '›': '>',
  '▸': '>',
  '▾': 'v',
  '→': '>',
  '←': '<',
  '↑': '^',
  '↓': 'v',
  '↶': '<',
  '⏎': '>',
  '·': '.',
  '●': '*',
  '─': '-',
  '━': '-',
  '│': '|',
  '┃': '|',
  '├': '|',
  '└': '`',
  '┌': '+',
  '┐': '+',
  '┘': '+',
  '┬': '+',
  '┰': '+',
  '┴': '+',
  '┸': '+',
  '█': '#',
  '░': '.',
};

const drawn = new RegExp(`[${Object.keys(signs).join('')}]`, 'g');

/** What moves the cursor, or erases: the text is drawn in place, so its width must not change. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences for terminals begin with the escape character
const movesCursor = /\u001b\[[?\d;]*[A-HJKfhl]/;

/** A text of this program in ASCII. What nodes are called in other scripts is left as it is. */
export function asciiText(text: string): string {
  return text
    .replace(drawn, sign => signs[sign] ?? sign)
    .replace(/[\u2800-\u28ff]/g, '*')
    .replace(/(?<=\w)…(?=\w)/g, '~')
    .replaceAll('…', movesCursor.test(text) ? '.' : '...');
}

/** Whether the locale has no UTF-8. One that is not set says nothing: most of those terminals draw everything. */
export function wantsAscii(env: NodeJS.ProcessEnv): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
}

/** A stream whose text is written in ASCII. */
export function asciiStream<Stream extends NodeJS.WritableStream>(stream: Stream): Stream {
  return new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'write')
        return (chunk: string | Uint8Array, ...rest: []) =>
          target.write(typeof chunk === 'string' ? asciiText(chunk) : chunk, ...rest);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
