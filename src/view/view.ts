/** How text is laid out for its reader. */
export interface TextOptions {
  readonly colour: boolean;
  /** Columns to wrap at; undefined: lines are left whole, for pipes. */
  readonly width?: number | undefined;
  /** Also what passed, what does not apply, and what must hold before and after each step. */
  readonly verbose?: boolean;
}

/** How one kind of result looks in each format of `-o`. A format that it leaves out looks as text. */
export interface View<Result> {
  text(result: Result, options: TextOptions): string;
  wide?(result: Result, options: TextOptions): string;
  short?(result: Result, options: TextOptions): string;
  name?(result: Result): string;
  markdown?(result: Result): string | Promise<string>;
  /** One page that needs nothing else. */
  html?(result: Result): string | Promise<string>;
  junit?(result: Result): string | Promise<string>;
  sarif?(result: Result): string | Promise<string>;
  prometheus?(result: Result): string | Promise<string>;
  mermaid?(result: Result): string;
  dot?(result: Result): string;
  /** What `-o json` and `-o yaml` print: the result itself where it is left out. */
  document?(result: Result): unknown;
  /** Several documents for `-o yaml`, where one list is not what a program that reads YAML wants. */
  documents?(result: Result): readonly unknown[];
  /** What a person should know besides the result, on standard error. */
  notes?(result: Result, format: Format): string;
}

export type NamedFormat =
  | 'text'
  | 'wide'
  | 'short'
  | 'name'
  | 'markdown'
  | 'html'
  | 'junit'
  | 'sarif'
  | 'prometheus'
  | 'mermaid'
  | 'dot'
  | 'json'
  | 'yaml';

/** A template over what `-o json` prints, as kubectl has it. */
export type JsonPathFormat = `jsonpath=${string}`;

export type Format = NamedFormat | JsonPathFormat;

export const isJsonPath = (format: string | undefined): format is JsonPathFormat =>
  format?.startsWith('jsonpath=') ?? false;

/** Whether people read it: then a screen may move beside it. */
export const isForPeople = (format: Format | undefined): boolean =>
  format === undefined || format === 'text' || format === 'wide' || format === 'short';

export const isDocument = (format: Format | undefined): format is 'json' | 'yaml' =>
  format === 'json' || format === 'yaml';
