import type {ExitCode} from '../lib/errors.js';
import {type Format, isDocument, isJsonPath, type TextOptions, type View} from '../view/view.js';

/** What a command gives back: what it found or did, what renders that, and what it comes to. */
export interface Answer<Result = unknown> {
  readonly result: Result;
  readonly view: View<Result>;
  /** 0 where it says nothing. */
  readonly exitCode?: ExitCode;
}

/** A result in the format that was asked for: the one place that knows them all. */
export async function printed(
  {result, view}: Answer,
  format: Format | undefined = 'text',
  options: TextOptions,
): Promise<string> {
  if (isJsonPath(format)) {
    const {printJsonPath} = await import('../lib/jsonpath.js');
    return printJsonPath(format.slice('jsonpath='.length), documentOf({result, view}));
  }
  if (!isDocument(format)) return (view[format] ?? view.text)(result, options);
  // What writes YAML is loaded for those who want a document.
  const {printDocument} = await import('../view/text/print.js');
  const many = format === 'yaml' ? view.documents?.(result) : undefined;
  if (many) return many.map(one => printDocument(one, 'yaml')).join('---\n');
  return printDocument(documentOf({result, view}), format);
}

/** The answer of a command that has printed all it has to say. */
export const told = (exitCode: ExitCode): Answer => ({result: undefined, view: {text: () => ''}, exitCode});

export const documentOf = ({result, view}: Answer): unknown => (view.document ? view.document(result) : result);
