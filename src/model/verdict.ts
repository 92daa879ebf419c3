import type {Severity} from './check.js';
import type {Remedy} from './remedies.js';

/** One thing that was inspected: where, what was seen, and what should have been there. */
export interface Evidence {
  /** The section of the snapshot, or `cluster` for an object of the API. */
  readonly section: string;
  readonly object: string;
  readonly field?: string;
  readonly seen: unknown;
  readonly expected?: unknown;
}

/** How a finding hangs together with others of its node, as far as what was seen tells. All are ids of checks. */
export interface Links {
  /** Failures that this finding explains. */
  readonly explains: readonly string[];
  /** Failures that explain this one. */
  readonly follows: readonly string[];
  /** Checks that measure the same cause: where one of them fails, this finding only echoes it. */
  readonly echoes: readonly string[];
}

const noLinks: Links = {explains: [], follows: [], echoes: []};

/** What a check found in one place. Immutable: `because` and `fixedBy` give a new one. */
export class Verdict {
  readonly outcome: 'pass' | 'fail' | 'info' | 'unknown' | 'skipped';
  readonly message: string;
  readonly evidence: readonly Evidence[];
  readonly remedy: Remedy | undefined;
  /** Only where it differs from the check's own. */
  readonly severity: Severity | undefined;
  readonly links: Links;

  constructor(
    outcome: Verdict['outcome'],
    message: string,
    rest: {
      evidence?: readonly Evidence[];
      remedy?: Remedy | undefined;
      severity?: Severity | undefined;
      links?: Links;
    } = {},
  ) {
    this.outcome = outcome;
    this.message = message;
    this.evidence = rest.evidence ?? [];
    this.remedy = rest.remedy;
    this.severity = rest.severity;
    this.links = rest.links ?? noLinks;
  }

  because(...evidence: Evidence[]): Verdict {
    return new Verdict(this.outcome, this.message, {...this, evidence: [...this.evidence, ...evidence]});
  }

  fixedBy(remedy: Remedy): Verdict {
    return new Verdict(this.outcome, this.message, {...this, remedy});
  }

  as(severity: Severity): Verdict {
    return new Verdict(this.outcome, this.message, {...this, severity});
  }

  /** Says that this, as it was seen here, is why those checks fail. */
  explaining(...ids: string[]): Verdict {
    return this.#linked({explains: [...this.links.explains, ...ids]});
  }

  /** Says that this, as it was seen here, comes from what those checks find. */
  following(...ids: string[]): Verdict {
    return this.#linked({follows: [...this.links.follows, ...ids]});
  }

  /** Says which checks measure the same cause: they outrank this finding. */
  echoing(...ids: string[]): Verdict {
    return this.#linked({echoes: [...this.links.echoes, ...ids]});
  }

  #linked(links: Partial<Links>): Verdict {
    return new Verdict(this.outcome, this.message, {...this, links: {...this.links, ...links}});
  }

  /** The same finding, reported as information: it is not (yet) a fault. */
  asInfo(message: string): Verdict {
    return new Verdict('info', message, {evidence: this.evidence});
  }
}

export const fail = (message: string) => new Verdict('fail', message);
export const pass = (message: string) => new Verdict('pass', message);
export const info = (message: string) => new Verdict('info', message);
export const unknown = (message: string) => new Verdict('unknown', message);
/** There is nothing to diagnose: what this is about is not there, and another check says so. */
export const skipped = (message: string) => new Verdict('skipped', message);
