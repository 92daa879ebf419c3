/** How text is laid out for whoever reads it. */
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
  markdown?(result: Result): string;
  mermaid?(result: Result): string;
  dot?(result: Result): string;
  /** What `-o json` and `-o yaml` print: the result itself where it is left out. */
  document?(result: Result): unknown;
  /** Several documents for `-o yaml`, where one list is not what a program that reads YAML wants. */
  documents?(result: Result): readonly unknown[];
  /** What a person should know besides the result, on standard error. */
  notes?(result: Result, format: Format): string;
}

export type Format = 'text' | 'wide' | 'short' | 'name' | 'markdown' | 'mermaid' | 'dot' | 'json' | 'yaml';

export const isDocument = (format: Format | undefined): format is 'json' | 'yaml' =>
  format === 'json' || format === 'yaml';
