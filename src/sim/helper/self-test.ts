import {sectionNames} from '../../snapshot/section-names.js';
import type {JsonObject} from '../json.js';
import {at} from '../json.js';
import {failureOf} from '../windows/derived.mjs';
import {reportedSection} from './collect.js';
import type {ProgramRun} from './program.js';

/** Answers `selftest` from the state of the node. */
export async function selfTest({state}: ProgramRun, reply: (message: JsonObject) => Promise<void>): Promise<void> {
  const tell = (area: string, name: string, result: string, seen: string) =>
    reply({type: 'selftest', area, name, result, seen, ms: 2 + (name.length % 7) * 6});
  for (const name of sectionNames.filter(section => section !== 'probes')) {
    const error = failureOf(state.errors, name);
    if (error)
      await tell('section', name, error.kind === 'NotInstalled' ? 'info' : 'failed', `${error.kind}: ${error.message}`);
    else await tell('section', name, 'ok', `${JSON.stringify(reportedSection(state, name) ?? null).length} characters`);
  }
  await tell('platform', 'windows', 'info', String(at(state.sections.os, 'Version')));
  await tell('platform', 'powershell', 'info', 'simulated');
}
