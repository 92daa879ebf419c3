/** Layout of text output. */
export interface TextOptions {
  readonly colour: boolean;
  /** Columns to wrap at; undefined: no wrapping, for pipes. */
  readonly width?: number | undefined;
  /** Also show passed and skipped checks, and the conditions before and after each step. */
  readonly verbose?: boolean;
}

/** Renders one kind of result in each format of `-o`. Formats that are left out fall back to text. */
export interface View<Result> {
  text(result: Result, options: TextOptions): string;
  wide?(result: Result, options: TextOptions): string;
  short?(result: Result, options: TextOptions): string;
  name?(result: Result): string;
  markdown?(result: Result): string | Promise<string>;
  /** A self-contained page. */
  html?(result: Result): string | Promise<string>;
  junit?(result: Result): string | Promise<string>;
  sarif?(result: Result): string | Promise<string>;
  prometheus?(result: Result): string | Promise<string>;
  mermaid?(result: Result): string;
  dot?(result: Result): string;
  /** The document for `-o json` and `-o yaml`; default: the result itself. */
  document?(result: Result): unknown;
  /** Several documents for `-o yaml` instead of one list. */
  documents?(result: Result): readonly unknown[];
  /** Notes about the result, printed to stderr. */
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

/** A kubectl-style template that is applied to the output of `-o json`. */
export type JsonPathFormat = `jsonpath=${string}`;

export type Format = NamedFormat | JsonPathFormat;

export const isJsonPath = (format: string | undefined): format is JsonPathFormat =>
  format?.startsWith('jsonpath=') ?? false;

/** Whether the format is for people, so that a live display may be shown. */
export const isForPeople = (format: Format | undefined): boolean =>
  format === undefined || format === 'text' || format === 'wide' || format === 'short';

export const isDocument = (format: Format | undefined): format is 'json' | 'yaml' =>
  format === 'json' || format === 'yaml';
