import {z} from 'zod';

// What Windows prints is not what was meant: one object for a list of one, numbers as text, "True", /Date(…)/.
// These schemas bear that, and yield one form. What they cannot read they refuse, so that nothing wrong passes for absent.

/** A value that may be absent: Windows leaves a property out, or writes null, an empty object or empty text for it. */
export function optional<T extends z.ZodType>(schema: T) {
  const bearsEmptyText = schema.safeParse('').success;
  return z.preprocess(
    value => (value === null || isEmptyObject(value) || (value === '' && !bearsEmptyText) ? undefined : value),
    schema.optional(),
  );
}

export const text = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]);

export const number = z.union([
  z.number(),
  z
    .string()
    .trim()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
]);

export const flag = z.union([
  z.boolean(),
  z.literal([0, 1]).transform(value => value === 1),
  z
    .string()
    .trim()
    .regex(/^(true|false|yes|no|enabled|disabled)$/i)
    .transform(value => /^(true|yes|enabled)$/i.test(value)),
]);

/** A list, also where PowerShell made one object of a list of one, or nothing of an empty one. */
export function list<T extends z.ZodType>(item: T) {
  return z.preprocess(value => {
    if (value === null || value === undefined || value === '' || isEmptyObject(value)) return [];
    return Array.isArray(value) ? value.filter(entry => entry !== null) : [value];
  }, z.array(item));
}

/** A list in one comma-separated text, as HNS v1 writes DNS servers, or a real list. */
export const commaList = z
  .union([z.array(text), text.transform(value => value.split(','))])
  .transform(items => items.map(item => item.trim()).filter(item => item !== ''));

/** A time as text: ConvertTo-Json of 5.1 may wrap it as `{value, DateTime}`, and YAML readers make a Date of it. */
const timeText = z.union([
  z.string(),
  z.looseObject({value: z.string()}).transform(({value}) => value),
  z.date().transform(value => value.toISOString()),
]);

/** Milliseconds since 1970 of an ISO 8601 time or of `/Date(…)/`. */
export const time = timeText.transform((value, context) => {
  const epoch = /^\\?\/Date\((-?\d+)(?:[+-]\d{4})?\)\\?\/$/.exec(value)?.[1];
  const milliseconds = epoch === undefined ? Date.parse(value) : Number(epoch);
  if (Number.isNaN(new Date(milliseconds).getTime())) {
    context.addIssue({code: 'custom', message: `${JSON.stringify(value)} is not a time`});
    return z.NEVER;
  }
  return milliseconds;
});

/** A GUID without braces and in lower case: HNS itself mixes both. */
export const guid = z.string().transform(normalGuid);

/** A MAC address with colons and in lower case. */
export const mac = z.string().transform(normalMac);

/** An enumeration that comes as its name or, from `ConvertTo-Json` of 5.1, as its number. */
export function named(names: Readonly<Record<number, string>>) {
  return text.transform(value => names[Number(value)] ?? value);
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
