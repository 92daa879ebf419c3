import * as z from 'zod/mini';
import '../lib/zod-messages.js';

// What Windows prints is not what was meant: one object for a list of one, numbers as text, "True", /Date(…)/.
// These schemas bear that, and yield one form. What they cannot read they refuse, so that nothing wrong passes for absent.

/** What a schema reads, made into what the model has. */
export function shaped<T extends z.core.SomeType, Shape>(schema: T, shape: (value: z.output<T>) => Shape) {
  return z.pipe(schema, z.transform(shape));
}

const optionals = new WeakMap<z.core.SomeType, z.ZodMiniType>();

/**
 * A value that may be absent: Windows leaves a property out, or writes null, an empty object or empty text for it.
 * One for each schema, however often it is asked for: to make a schema takes longer than to read with it.
 */
export function optional<T extends z.ZodMiniType>(schema: T): z.ZodMiniType<z.output<T> | undefined> {
  const made = optionals.get(schema) ?? makeOptional(schema);
  optionals.set(schema, made);
  return made as z.ZodMiniType<z.output<T> | undefined>;
}

function makeOptional(schema: z.ZodMiniType): z.ZodMiniType {
  const isAbsent = (value: unknown) =>
    value === null || isEmptyObject(value) || (value === '' && !schema.safeParse('').success);
  return z.pipe(
    z.transform((value: unknown): unknown => (isAbsent(value) ? undefined : value)),
    z.optional(schema),
  );
}

export const text = z.union([z.string(), shaped(z.number(), String), shaped(z.boolean(), String)]);

export const number = z.union([z.number(), shaped(z.string().check(z.trim(), z.regex(/^-?\d+(\.\d+)?$/)), Number)]);

export const flag = z.union([
  z.boolean(),
  shaped(z.literal([0, 1]), value => value === 1),
  shaped(z.string().check(z.trim(), z.regex(/^(true|false|yes|no|enabled|disabled)$/i)), value =>
    /^(true|yes|enabled)$/i.test(value),
  ),
]);

/** A list, also where PowerShell made one object of a list of one, or nothing of an empty one. */
export function list<T extends z.core.SomeType>(item: T) {
  return z.pipe(
    z.transform((value: unknown) => {
      if (value === null || value === undefined || value === '' || isEmptyObject(value)) return [];
      return Array.isArray(value) ? value.filter(entry => entry !== null) : [value];
    }),
    z.array(item),
  );
}

/** A list in one comma-separated text, as HNS v1 writes DNS servers, or a real list. */
export const commaList = shaped(z.union([z.array(text), shaped(text, value => value.split(','))]), items =>
  items.map(item => item.trim()).filter(item => item !== ''),
);

/** A time as text: ConvertTo-Json of 5.1 may wrap it as `{value, DateTime}`, and YAML readers make a Date of it. */
const timeText = z.union([
  z.string(),
  shaped(z.object({value: z.string()}), ({value}) => value),
  shaped(z.date(), value => value.toISOString()),
]);

/** Milliseconds since 1970 of an ISO 8601 time or of `/Date(…)/`. */
export const time = z.pipe(
  timeText,
  z.transform((value, context) => {
    const epoch = /^\\?\/Date\((-?\d+)(?:[+-]\d{4})?\)\\?\/$/.exec(value)?.[1];
    const milliseconds = epoch === undefined ? Date.parse(value) : Number(epoch);
    if (Number.isNaN(new Date(milliseconds).getTime())) {
      context.issues.push({code: 'custom', message: `${JSON.stringify(value)} is not a time`, input: value});
      return z.NEVER;
    }
    return milliseconds;
  }),
);

/** A GUID without braces and in lower case: HNS itself mixes both. */
export const guid = shaped(z.string(), normalGuid);

/** A MAC address with colons and in lower case. */
export const mac = shaped(z.string(), normalMac);

/** An enumeration that comes as its name or, from `ConvertTo-Json` of 5.1, as its number. */
export function named(names: Readonly<Record<number, string>>) {
  return shaped(text, value => names[Number(value)] ?? value);
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

function isEmptyObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date) return false;
  return Object.keys(value).length === 0;
}
