import {eachInTime} from '../lib/time-limit.js';
import type {NodeDump, SectionFailure} from './document.js';
import {type SectionName, sectionNames} from './section-names.js';
import {type Sections, sectionReaders} from './sections.js';
import {Unreadable} from './values.js';

/** The data of one Windows node: each section normalised, or the reason why it is missing. */
export interface NodeModel extends Partial<Sections> {
  readonly name: string;
  readonly errors: Readonly<Partial<Record<SectionName, SectionFailure>>>;
}

/** Reads a node's part of a snapshot. A section that cannot be read becomes its own error; nothing throws. */
export function nodeModelOf(name: string, dump: NodeDump): NodeModel {
  const present = sectionNames.filter(section => dump.errors[section] ?? section in dump.sections);
  const read = eachInTime(
    present,
    section => readSection(section, dump),
    (section, seconds): ReadSection => failed(section, `could not be parsed within ${seconds} s`),
  );
  const sections = Object.fromEntries(read.flatMap(({section, value, error}) => (error ? [] : [[section, value]])));
  const errors = Object.fromEntries(read.flatMap(({section, error}) => (error ? [[section, error]] : [])));
  return {...(sections as Partial<Sections>), name, errors};
}

interface ReadSection {
  readonly section: SectionName;
  readonly value?: unknown;
  readonly error?: SectionFailure;
}

function readSection(section: SectionName, dump: NodeDump): ReadSection {
  const error = dump.errors[section];
  if (error) return {section, error};
  try {
    return {section, value: sectionReaders[section](dump.sections[section])};
  } catch (cause) {
    if (!(cause instanceof Unreadable)) throw cause;
    const where = cause.path.join('.') || 'value';
    return failed(section, `has an unexpected format: ${where}: ${cause.message}`);
  }
}

const failed = (section: SectionName, what: string): ReadSection => ({
  section,
  error: {kind: 'Failed', message: `section ${section} ${what}`},
});

/** A node that the helper did not read. */
export function unreadNode(name: string): NodeModel {
  return {name, errors: {}};
}
