/** ASCII replacements for signs. One column each, so that tables stay aligned. */
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

/** Sequences that move the cursor or erase. Such text is drawn in place, so its width must not change. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences for terminals begin with the escape character
const movesCursor = /\u001b\[[?\d;]*[A-HJKfhl]/;

/** Replaces this program's signs with ASCII. Names in other scripts are left unchanged. */
export function asciiText(text: string): string {
  return text
    .replace(drawn, sign => signs[sign] ?? sign)
    .replace(/[\u2800-\u28ff]/g, '*')
    .replace(/(?<=\w)…(?=\w)/g, '~')
    .replaceAll('…', movesCursor.test(text) ? '.' : '...');
}

/** Whether the locale is set and not UTF-8. Without a locale, most terminals support UTF-8. */
export function wantsAscii(env: NodeJS.ProcessEnv): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
}

/** A stream that writes its text in ASCII. */
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
