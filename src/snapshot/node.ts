import type {NodeDump, SectionFailure} from './document.js';
import {type SectionName, sectionNames} from './section-names.js';
import {type Sections, sectionReaders} from './sections.js';
import {Unreadable} from './values.js';

/** What is known of one Windows node: each section normalised, or the reason why it is not there. */
export interface NodeModel extends Partial<Sections> {
  readonly name: string;
  readonly errors: Readonly<Partial<Record<SectionName, SectionFailure>>>;
}

/** Reads a node's part of a snapshot. A section that cannot be read becomes its own error; nothing throws. */
export function nodeModelOf(name: string, dump: NodeDump): NodeModel {
  const errors: Partial<Record<SectionName, SectionFailure>> = {};
  const sections: Partial<Record<SectionName, unknown>> = {};
  for (const section of sectionNames) {
    const failure = dump.errors[section];
    if (failure) {
      errors[section] = failure;
    } else if (section in dump.sections) {
      try {
        sections[section] = sectionReaders[section](dump.sections[section]);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        const where = error.path.join('.') || 'value';
        const message = `section ${section} is not what was expected: ${where}: ${error.message}`;
        errors[section] = {kind: 'Failed', message};
      }
    }
  }
  return {...(sections as Partial<Sections>), name, errors};
}

/** A node of which the helper read nothing. */
export function unreadNode(name: string): NodeModel {
  return {name, errors: {}};
}
