import {plain} from '../../lib/untrusted.js';
import type {Facts} from '../command-facts.js';
import {type Candidate, complete} from './complete.js';
import {sourcesFor} from './sources.js';

/** cobra's directives, which kubectl passes to the shell. */
const directives = {files: 0, noFiles: 4};

/** The answer to kubectl: one candidate per line, then the directive for the shell. Never an error. */
export async function answer(words: readonly string[], commands: Facts): Promise<string> {
  try {
    const {candidates, files} = await complete(words, commands, sourcesFor(words));
    return [...candidates.map(line), `:${files ? directives.files : directives.noFiles}`, ''].join('\n');
  } catch {
    return `:${directives.noFiles}\n`;
  }
}

function line({value, description}: Candidate): string {
  const text = description?.replace(/\s+/g, ' ').trim();
  return text ? `${plain(value)}\t${plain(text)}` : plain(value);
}
