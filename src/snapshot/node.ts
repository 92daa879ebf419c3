import type {NodeDump, SectionFailure} from './document.js';
import {type SectionName, sectionNames} from './section-names.js';
import {type Sections, sectionSchemas} from './sections.js';

/** What is known of one Windows node: each section normalised, or the reason why it is not there. */
export interface NodeModel extends Partial<Sections> {
  readonly name: string;
  readonly errors: Readonly<Partial<Record<SectionName, SectionFailure>>>;
}

/** Reads a node's part of a snapshot. A section that cannot be read becomes an error of its own; nothing throws. */
export function nodeModelOf(name: string, dump: NodeDump): NodeModel {
  const errors: Partial<Record<SectionName, SectionFailure>> = {};
  const sections: Partial<Record<SectionName, unknown>> = {};
  for (const section of sectionNames) {
    const failure = dump.errors[section];
    if (failure) {
      errors[section] = failure;
    } else if (section in dump.sections) {
      const parsed = sectionSchemas[section].safeParse(dump.sections[section]);
      if (parsed.success) sections[section] = parsed.data;
      else
        errors[section] = {
          kind: 'Failed',
          message: `section ${section} is not what was expected: ${firstIssue(parsed.error)}`,
        };
    }
  }
  return {...(sections as Partial<Sections>), name, errors};
}

/** A node of which the helper read nothing. */
export function unreadNode(name: string): NodeModel {
  return {name, errors: {}};
}

function firstIssue(error: {issues: {path: PropertyKey[]; message: string}[]}): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.') || 'value'}: ${issue.message}` : 'unreadable';
}
