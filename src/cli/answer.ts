import type {ExitCode} from '../lib/errors.js';
import {type Format, isDocument, isJsonPath, type TextOptions, type View} from '../view/view.js';

/** What a command gives back: what it found or did, what renders that, and what it comes to. */
export interface Answer<Result = unknown> {
  readonly result: Result;
  readonly view: View<Result>;
  /** 0 where it says nothing. */
  readonly exitCode?: ExitCode;
}

/** A result in the format that was asked for. */
export async function printed(answer: Answer, format: Format | undefined, options: TextOptions): Promise<string> {
  let text = '';
  for await (const piece of pieces(answer, format, options)) text += piece;
  return text;
}

/** The same piece by piece, as it is written: the one place that knows all formats. */
export async function* pieces(
  {result, view}: Answer,
  format: Format | undefined = 'text',
  options: TextOptions,
): AsyncGenerator<string> {
  // All is said already (`told`): nothing is no document.
  if (result === undefined) return;
  if (isJsonPath(format)) {
    const {printJsonPath} = await import('../lib/jsonpath.js');
    return yield printJsonPath(format.slice('jsonpath='.length), documentOf({result, view}));
  }
  if (!isDocument(format)) return yield (view[format] ?? view.text)(result, options);
  // What writes YAML is loaded for those who want a document.
  const {documentPieces} = await import('../view/text/print.js');
  const many = (format === 'yaml' ? view.documents?.(result) : undefined) ?? [documentOf({result, view})];
  for (const [index, document] of many.entries()) {
    if (index > 0) yield '---\n';
    yield* documentPieces(document, format);
  }
}

/** The answer of a command that has printed all it has to say. */
export const told = (exitCode: ExitCode): Answer => ({result: undefined, view: {text: () => ''}, exitCode});

export const documentOf = ({result, view}: Answer): unknown => (view.document ? view.document(result) : result);
