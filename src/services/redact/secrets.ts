/** The number of replacements by kind. */
export type Tally = Map<string, number>;

interface Rule {
  readonly kind: string;
  readonly pattern: RegExp;
  /** The match with its secret replaced; undefined leaves it as it is. */
  replace(mark: string, ...groups: readonly string[]): string | undefined;
}

const whole = (mark: string) => mark;

/** Names of settings whose values are secrets, in any case and notation: `clientSecret`, `API_KEY`, `--sa-token`. */
const secretName =
  '[\\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|account[-_]?key|private[-_]?key|' +
  'client[-_]?key|shared[-_]?key|encryption[-_]?key|signing[-_]?key|credentials?|connection[-_]?string|psk)' +
  '(?:[-_]?(?:data|value|base64|b64))?';

/** Names of settings that refer to secrets but do not contain them. */
const harmlessName =
  /(?:file|path|dir|name|namespace|ref|mount|ttl|expir\w*|timeout|url|endpoint|audience|issuer|type|count|id|policy|enabled?|required)$/i;

/** Values that describe a secret: "token: expired". */
const harmlessValue =
  /^(?:null|nil|none|true|false|yes|no|undefined|empty|unauthorized|forbidden|expired|invalid|missing|denied|required|unknown|rejected|hidden|\d{1,5}[smhd]?|<[^>]*>|\[[^\]]*\]|\*+)[.,;:]?$/i;

/** Replaces the value of a setting and keeps its quotes. */
function setting(mark: string, before: string, name: string, between: string, value: string): string | undefined {
  const bare = value.replace(/^(["'])(.*)\1$/s, '$2');
  if (harmlessName.test(name) || harmlessValue.test(bare) || bare.length < 3) return undefined;
  const quote = /^["']/.exec(value)?.[0] ?? '';
  return `${before}${name}${between}${quote}${mark}${quote}`;
}

const wholeSecretName = new RegExp(`^${secretName}$`, 'i');

/** Whether a value of an object is a secret, by the name of its member. */
export const isSecretSetting = (name: string, value: string): boolean =>
  wholeSecretName.test(name) && setting('', '', name, '', value) !== undefined;

export function replacedSetting(tally: Tally): string {
  count(tally, 'secret setting');
  return mark('secret setting');
}

/** In the order in which they run: secrets with a recognisable form first, then those recognisable only by their name. */
const rules: readonly Rule[] = [
  {
    kind: 'private key',
    pattern: /-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----[\s\S]*?(?:-----END \1PRIVATE KEY-----|$)/g,
    replace: whole,
  },
  {
    kind: 'JSON Web Token',
    pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g,
    replace: whole,
  },
  {
    kind: 'password in a URL',
    pattern: /\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s/@:"'<>]*):([^\s@"'<>]+)@/gi,
    replace: (mark, scheme = '') => `${scheme}${mark}@`,
  },
  {
    kind: 'token in a URL',
    pattern:
      /([?&;](?:sig|signature|token|access_token|id_token|api[-_]?key|code|x-amz-(?:signature|security-token|credential))=)([^&\s"'<>#]+)/gi,
    replace: (mark, name = '') => `${name}${mark}`,
  },
  {
    kind: 'authorization header',
    pattern:
      /\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|negotiate|ntlm|digest)?\s*)([^\s"',;]{6,})/gi,
    replace: (mark, name = '') => `${name}${mark}`,
  },
  {
    kind: 'bearer token',
    pattern: /\b(bearer\s+)([\w.~+/=-]{12,})/gi,
    replace: (mark, name = '') => `${name}${mark}`,
  },
  {
    kind: 'cloud key',
    pattern:
      /\b(?:A(?:KIA|SIA)[0-9A-Z]{16}|AIza[\w-]{35}|gh[pousr]_\w{30,}|github_pat_\w{30,}|glpat-[\w-]{18,}|xox[abeoprs]-[\w-]{10,}|sk_live_\w{16,}|dop_v1_[0-9a-f]{40,})/g,
    replace: whole,
  },
  {
    kind: 'cloud key',
    pattern: /\b((?:account|shared)(?:access)?key=)([^;"'\s]{8,})/gi,
    replace: (mark, name = '') => `${name}${mark}`,
  },
  {
    kind: 'bootstrap token',
    pattern: /\b[a-z0-9]{6}\.[a-z0-9]{16}\b(?!\.)/g,
    replace: mark => mark,
  },
  {
    // JSON, also inside a string with escaped quotes.
    kind: 'secret setting',
    pattern: new RegExp(
      `((\\\\*)["'])(${secretName})(\\2["']\\s*:\\s*)(\\2"(?:[^"\\\\]|\\\\[^"])*?\\2"|\\2'[^']*\\2')`,
      'gi',
    ),
    replace: (mark, before = '', slashes = '', name = '', between = '', value = '') => {
      const inner = value.slice(slashes.length, value.length - slashes.length);
      const replaced = setting(mark, before, name, between, inner);
      return replaced && slashes ? replaced.replace(/(["'])([^"']*)\1$/, `${slashes}$1$2${slashes}$1`) : replaced;
    },
  },
  {
    // A registry's credentials: {"auths": {"host": {"auth": "…"}}}, containerd's auth = "…".
    kind: 'registry credential',
    pattern: /((["']?)\bauth\2\s*[:=]\s*)(["'])([A-Za-z0-9+/=_-]{8,})\3/g,
    replace: (mark, name = '', _, quote = '') => `${name}${quote}${mark}${quote}`,
  },
  {
    kind: 'cloud metadata',
    pattern: /((["']?)\b(?:user|custom)[-_]?data\2\s*[:=]\s*)(["']?)([A-Za-z0-9+/=_-]{16,})\3/gi,
    replace: (mark, name = '', _, quote = '') => `${name}${quote}${mark}${quote}`,
  },
  {
    // An argument of a command line: --token=x, --token x, /password:x, -Password 'x'.
    kind: 'secret argument',
    pattern: new RegExp(
      `((?:^|[\\s"'])(?:--?|/))(${secretName})((?:=|:|\\s+))("[^"\\r\\n]*"|'[^'\\r\\n]*'|[^\\s"'-][^\\s"']*)`,
      'gim',
    ),
    replace: (mark, before = '', name = '', between = '', value = '') => setting(mark, before, name, between, value),
  },
  {
    // YAML, TOML, INI, .env, PowerShell: one setting per line, or several separated by semicolons.
    kind: 'secret setting',
    pattern: new RegExp(
      `((?:^|[;,{(\\s])(?:\\$(?:env:)?|export\\s+|set\\s+|-\\s+)?["']?)(${secretName})(["']?[ \\t]*(?::|=>?)[ \\t]*)("[^"\\r\\n]*"|'[^'\\r\\n]*'|[^\\s"',;)}]+)`,
      'gim',
    ),
    replace: (mark, before = '', name = '', between = '', value = '') => setting(mark, before, name, between, value),
  },
  {
    // Kubernetes: {name: DB_PASSWORD, value: …}, in YAML and in JSON.
    kind: 'secret setting',
    pattern: new RegExp(
      `(["']?name["']?\\s*:\\s*["']?)(${secretName})(["']?\\s*,?\\s*["']?value["']?\\s*:\\s*)("[^"\\r\\n]*"|'[^'\\r\\n]*'|[^\\s"',}]+)`,
      'gi',
    ),
    replace: (mark, before = '', name = '', between = '', value = '') => setting(mark, before, name, between, value),
  },
  {
    kind: 'secret setting',
    pattern: new RegExp(`(<(${secretName})>)([^<]{3,})(</\\2>)`, 'gi'),
    replace: (mark, before = '', name = '', _ = '', after = '') =>
      harmlessName.test(name) ? undefined : `${before}${mark}${after}`,
  },
];

const encoded = /(?<![\w+/=-])[A-Za-z0-9+/_-]{24,}={0,2}(?![\w+/=-])/g;

/**
 * Removes secrets from text. Base64 is decoded, also as UTF-16 (PowerShell): if it contains a secret, all of it is removed.
 * Each rule reads the text in one pass, without backtracking.
 */
export function withoutSecrets(text: string, tally: Tally): string {
  const decoded = text.replace(encoded, blob => {
    if (!hidesSecret(blob)) return blob;
    count(tally, 'encoded secret');
    return mark('encoded secret');
  });
  const without = rules.reduce((all, rule) => applied(rule, all, tally), decoded);
  return withoutEndOfKey(without, tally);
}

const keyEnd = /-----END [A-Z0-9 ]*PRIVATE KEY-----/;
/** Longer than any key. */
const longestKey = 16 * 1024;

/** Only the end of a log is read, which may start inside a key. All complete keys are already removed when this runs. */
function withoutEndOfKey(text: string, tally: Tally): string {
  const end = keyEnd.exec(text);
  if (!end) return text;
  let from = end.index;
  while (from > 0 && end.index - from < longestKey && /[\w+/=\\\s]/.test(text.charAt(from - 1))) from -= 1;
  count(tally, 'private key');
  return `${text.slice(0, from)}${mark('private key')}${text.slice(end.index + end[0].length)}`;
}

function applied({kind, pattern, replace}: Rule, text: string, tally: Tally): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const groups = rest.slice(
      0,
      rest.findIndex(one => typeof one === 'number'),
    ) as string[];
    if (isMark(match)) return match;
    const replaced = replace(mark(kind), ...groups);
    if (replaced === undefined || replaced === match) return match;
    count(tally, kind);
    return replaced;
  });
}

/** A single word, so that the text can still be parsed. */
const mark = (kind: string) => `[removed:${kind.replaceAll(' ', '-')}]`;

/** Values that an earlier rule replaced are not replaced again. */
const isMark = (match: string) => /\[removed:[\w-]+\]["']?$/.test(match);

function count(tally: Tally, kind: string): void {
  tally.set(kind, (tally.get(kind) ?? 0) + 1);
}

function hidesSecret(blob: string): boolean {
  // Decompressing would cost too much, and no check reads compressed data.
  if (/^H4sI/.test(blob)) return true;
  const bytes = Buffer.from(blob, 'base64');
  const texts = [bytes.toString('utf8'), bytes.toString('utf16le')];
  return texts.some(text => isText(text) && rules.some(rule => shows(rule, text)));
}

/** In binary data a match would be a coincidence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters do not occur in text
const isText = (text: string) => text.length > 6 && !/[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text);

function shows({pattern, replace}: Rule, text: string): boolean {
  for (const [match, ...groups] of text.matchAll(pattern)) {
    const replaced = replace('', ...groups.map(group => group ?? ''));
    if (replaced !== undefined && replaced !== match) return true;
  }
  return false;
}
