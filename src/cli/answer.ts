import type {ExitCode} from '../lib/errors.js';
import {type Format, isDocument, isJsonPath, type TextOptions, type View} from '../view/view.js';

/** What a command returns: its result, the view that renders it, and the exit code. */
export interface Answer<Result = unknown> {
  readonly result: Result;
  readonly view: View<Result>;
  /** Default: 0. */
  readonly exitCode?: ExitCode;
}

/** A result in the requested format. */
export async function printed(answer: Answer, format: Format | undefined, options: TextOptions): Promise<string> {
  let text = '';
  for await (const piece of pieces(answer, format, options)) text += piece;
  return text;
}

/** The same in pieces, as they are written. Only this function handles all formats. */
export async function* pieces(
  {result, view}: Answer,
  format: Format | undefined = 'text',
  options: TextOptions,
): AsyncGenerator<string> {
  // Everything is already printed (`alreadyPrinted`).
  if (result === undefined) return;
  if (isJsonPath(format)) {
    const {printJsonPath} = await import('../lib/jsonpath.js');
    return yield printJsonPath(format.slice('jsonpath='.length), documentOf({result, view}));
  }
  if (!isDocument(format)) return yield (view[format] ?? view.text)(result, options);
  // Load the YAML library only if a document is requested.
  const {documentPieces} = await import('../view/text/print.js');
  const many = (format === 'yaml' ? view.documents?.(result) : undefined) ?? [documentOf({result, view})];
  for (const [index, document] of many.entries()) {
    if (index > 0) yield '---\n';
    yield* documentPieces(document, format);
  }
}

/** The answer of a command that has already printed its output. */
export const alreadyPrinted = (exitCode: ExitCode): Answer => ({result: undefined, view: {text: () => ''}, exitCode});

export const documentOf = ({result, view}: Answer): unknown => (view.document ? view.document(result) : result);
