// Windows writes values in several forms: a single object instead of a list of one, numbers as text, "True", /Date(…)/.
// These readers accept all of them and return one form. They reject what they cannot read, so that invalid data is not
// treated as absent. They are plain functions: a node has tens of thousands of values, and zod schemas took half of the
// time of a diagnosis.

/** Returns the normal form of a value, or throws `Unreadable`. */
export type Reader<T> = (value: unknown) => T;

/** The type that a reader returns. */
export type Read<R> = R extends Reader<infer T> ? T : never;

type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schemas of the input of readers. Used only to publish schemas, not for reading. */
const schemas = new WeakMap<Reader<unknown>, () => JsonSchema>();

/** A reader with the JSON Schema of its input. */
export function described<T>(read: Reader<T>, schema: () => JsonSchema): Reader<T> {
  schemas.set(read, schema);
  return read;
}

export function jsonSchemaOf(read: Reader<unknown>): JsonSchema {
  const schema = schemas.get(read);
  if (!schema) throw new Error('This reader has no schema.');
  return schema();
}

/** Shared definitions of the schemas. */
export const valueSchemas: Readonly<Record<string, JsonSchema>> = {
  nothing: {description: 'How Windows writes an absent value.', enum: [null, '', {}]},
  text: {type: ['string', 'number', 'boolean']},
  number: {anyOf: [{type: 'number'}, {type: 'string', pattern: '^\\s*-?\\d+(\\.\\d+)?\\s*$'}]},
  flag: {
    anyOf: [
      {type: 'boolean'},
      {enum: [0, 1]},
      {
        type: 'string',
        pattern: `^\\s*(?:${['true', 'yes', 'enabled', 'false', 'no', 'disabled'].map(inAnyCase).join('|')})\\s*$`,
      },
    ],
  },
  time: {
    description: 'ISO 8601, /Date(milliseconds)/, or an object with one of them as "value".',
    anyOf: [
      {$ref: '#/$defs/timeText'},
      {type: 'object', properties: {value: {$ref: '#/$defs/timeText'}}, required: ['value']},
    ],
  },
  timeText: {
    type: 'string',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d|^\\\\?/Date\\(-?\\d+([+-]\\d{4})?\\)\\\\?/$',
  },
};

function inAnyCase(word: string): string {
  return word.replace(/./g, letter => `[${letter.toUpperCase()}${letter}]`);
}

const valueSchema = (name: string) => () => ({$ref: `#/$defs/${name}`});

/** A value does not have the expected form. */
export class Unreadable extends Error {
  /** Where in a section, from the outside in. */
  readonly path: readonly (string | number)[];

  constructor(message: string, path: readonly (string | number)[] = []) {
    super(message);
    this.path = path;
  }

  static at(place: string | number, error: unknown): unknown {
    return error instanceof Unreadable ? new Unreadable(error.message, [place, ...error.path]) : error;
  }
}

function refuse(expected: string, value: unknown): never {
  const found = value === undefined ? 'it is missing' : `found ${JSON.stringify(value).slice(0, 80)}`;
  throw new Unreadable(`expected ${expected}, ${found}`);
}

/** The value, or undefined if the reader rejects it. */
export function readIfPossible<T>(read: Reader<T>, value: unknown): T | undefined {
  if (value === undefined) return undefined;
  try {
    return read(value);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** A reader whose result is converted to the form of the model. */
export function shaped<T, Shape>(read: Reader<T>, shape: (value: T) => Shape): Reader<Shape> {
  return described(
    value => shape(read(value)),
    () => jsonSchemaOf(read),
  );
}

/** Reads the first of two forms that matches. */
export function either<One, Other>(one: Reader<One>, other: Reader<Other>): Reader<One | Other> {
  return described(
    value => {
      const read = readIfPossible(one, value);
      return read === undefined ? other(value) : read;
    },
    () => ({anyOf: [jsonSchemaOf(one), jsonSchemaOf(other)]}),
  );
}

/** Maps any of these literal values to their meaning. */
export function meaning<T>(values: readonly unknown[], meant: T): Reader<T> {
  return described(
    value => (values.includes(value) ? meant : refuse(values.join(' or '), value)),
    () => ({enum: values}),
  );
}

export const anything: Reader<unknown> = described(
  value => value,
  () => ({}),
);

export type Fields = Readonly<Record<string, unknown>>;

export const fields: Reader<Fields> = described(
  value => (isFields(value) ? value : refuse('an object', value)),
  () => ({type: 'object'}),
);

/** An object with these properties; others are ignored. */
export function object<Properties extends Readonly<Record<string, Reader<unknown>>>>(
  properties: Properties,
): Reader<{[Name in keyof Properties]: Read<Properties[Name]>}> {
  const readers = Object.entries(properties);
  const read = (value: unknown) => {
    const its = fields(value);
    const result: Record<string, unknown> = {};
    let place = '';
    try {
      for (const [name, read] of readers) {
        place = name;
        result[name] = read(its[name]);
      }
    } catch (error) {
      throw Unreadable.at(place, error);
    }
    return result as {[Name in keyof Properties]: Read<Properties[Name]>};
  };
  return described(read, () => {
    const required = readers.filter(([, one]) => !acceptsAbsent(one)).map(([name]) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(readers.map(([name, one]) => [name, jsonSchemaOf(one)])),
      ...(required.length > 0 && {required}),
    };
  });
}

function acceptsAbsent(read: Reader<unknown>): boolean {
  try {
    read(undefined);
    return true;
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/** A value that may be absent: Windows leaves a property out, or writes null, an empty object or empty text for it. */
export function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return described(
    value => {
      if (!isNothing(value)) return read(value);
      return value === '' ? readIfPossible(read, value) : undefined;
    },
    () => ({anyOf: [jsonSchemaOf(read), {$ref: '#/$defs/nothing'}]}),
  );
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

export const text: Reader<string> = described(value => textOf(value) ?? refuse('text', value), valueSchema('text'));

export const number: Reader<number> = described(value => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value)) return Number(value);
  return refuse('a number', value);
}, valueSchema('number'));

export const flag: Reader<boolean> = described(value => {
  if (typeof value === 'boolean') return value;
  const normal = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (normal === 1 || normal === 'true' || normal === 'yes' || normal === 'enabled') return true;
  if (normal === 0 || normal === 'false' || normal === 'no' || normal === 'disabled') return false;
  return refuse('true or false', value);
}, valueSchema('flag'));

/** A list. PowerShell may write a list of one as a single object, and an empty list as nothing. */
export function list<T>(read: Reader<T>): Reader<T[]> {
  return described(
    value => {
      if (isNothing(value)) return [];
      return each(Array.isArray(value) ? value.filter(item => item !== null) : [value], read);
    },
    () => ({
      anyOf: [
        {type: 'array', items: {anyOf: [jsonSchemaOf(read), {type: 'null'}]}},
        {description: 'A list of one, as PowerShell may write it.', ...jsonSchemaOf(read)},
        {$ref: '#/$defs/nothing'},
      ],
    }),
  );
}

/** A list that is always written as a list. */
export function wholeList<T>(read: Reader<T>): Reader<T[]> {
  return described(
    value => (Array.isArray(value) ? each(value, read) : refuse('a list', value)),
    () => ({type: 'array', items: jsonSchemaOf(read)}),
  );
}

function each<T>(items: readonly unknown[], read: Reader<T>): T[] {
  return items.map((item, index) => {
    try {
      return read(item);
    } catch (error) {
      throw Unreadable.at(index, error);
    }
  });
}

/** A comma-separated text, as HNS v1 writes DNS servers, or a list. */
export const commaList: Reader<string[]> = described(
  value => {
    const items = Array.isArray(value) ? value.map(text) : text(value).split(',');
    return items.map(item => item.trim()).filter(item => item !== '');
  },
  () => ({anyOf: [{type: 'array', items: jsonSchemaOf(text)}, jsonSchemaOf(text)]}),
);

/**
 * A time as text: ConvertTo-Json of PowerShell 5.1 may wrap it as `{value, DateTime}`, and YAML parsers return a Date.
 */
function timeText(value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  const written = isFields(value) ? value.value : value;
  return typeof written === 'string' ? written : refuse('a time', value);
}

/** Milliseconds since 1970 of an ISO 8601 time or of `/Date(…)/`. */
export const time: Reader<number> = described(value => {
  const written = timeText(value);
  const parsed = Date.parse(written);
  if (!Number.isNaN(parsed)) return parsed;
  const epoch = /^\\?\/Date\((-?\d+)(?:[+-]\d{4})?\)\\?\/$/.exec(written)?.[1];
  const milliseconds = new Date(Number(epoch)).getTime();
  return Number.isNaN(milliseconds) ? refuse('a time', value) : milliseconds;
}, valueSchema('time'));

/** The same with the UTC offset in milliseconds, if the text has one. */
export const zonedTime: Reader<{at: number; offset: number | undefined}> = described(value => {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(timeText(value)) ?? [];
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return {at: time(value), offset: sign === undefined ? undefined : sign === '-' ? 0 - ahead : ahead};
}, valueSchema('time'));

/** A GUID without braces, in lower case: HNS mixes both forms. */
export const guid: Reader<string> = described(
  value => (typeof value === 'string' ? normalGuid(value) : refuse('a GUID', value)),
  () => ({type: 'string'}),
);

/** A MAC address with colons, in lower case. */
export const mac: Reader<string> = described(
  value => (typeof value === 'string' ? normalMac(value) : refuse('a MAC address', value)),
  () => ({type: 'string'}),
);

/** An enumeration, written as a name or (ConvertTo-Json of PowerShell 5.1) as a number. */
export function named(names: Readonly<Record<number, string>>): Reader<string> {
  return described(
    value => {
      const written = text(value);
      // Empty text is not zero.
      return written === '' ? written : (names[Number(written)] ?? written);
    },
    () => ({...jsonSchemaOf(text), description: `One of ${Object.values(names).join(', ')}, or its number.`}),
  );
}

export function normalGuid(value: string): string {
  return value
    .trim()
    .replace(/^\{|\}$/g, '')
    .toLowerCase();
}

export function normalMac(value: string): string {
  const digits = value.replace(/[^0-9a-f]/gi, '').toLowerCase();
  return digits.match(/../g)?.join(':') ?? '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (!isFields(value) || value instanceof Date) return false;
  for (const _ in value) return false;
  return true;
}
