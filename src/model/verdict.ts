import type {Severity} from './check.js';
import type {Remedy} from './remedies.js';

/** One observation: where, what was found, and what was expected. */
export interface Evidence {
  /** The section of the snapshot, or `cluster` for an API object. */
  readonly section: string;
  readonly object: string;
  readonly field?: string;
  readonly seen: unknown;
  readonly expected?: unknown;
}

/** How a finding relates to others on its node, as far as the evidence shows. All values are check ids. */
export interface Links {
  /** Failures that this finding explains. */
  readonly explains: readonly string[];
  /** Failures that explain this one. */
  readonly follows: readonly string[];
  /** Checks that measure the same cause: if one of them fails, this finding is only a consequence. */
  readonly echoes: readonly string[];
}

const noLinks: Links = {explains: [], follows: [], echoes: []};

/** What a check found in one place. Immutable: `because` and `fixedBy` return a copy. */
export class Verdict {
  readonly outcome: 'pass' | 'fail' | 'info' | 'unknown' | 'skipped';
  readonly message: string;
  readonly evidence: readonly Evidence[];
  readonly remedy: Remedy | undefined;
  /** Set only if it differs from the severity of the check. */
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

  /** Marks this finding as the cause of failures of those checks. */
  explaining(...ids: string[]): Verdict {
    return this.#linked({explains: [...this.links.explains, ...ids]});
  }

  /** Marks this finding as caused by failures of those checks. */
  following(...ids: string[]): Verdict {
    return this.#linked({follows: [...this.links.follows, ...ids]});
  }

  /** Names the checks that measure the same cause: they take precedence over this finding. */
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
/** Not applicable: the object does not exist, and another check reports that. */
export const skipped = (message: string) => new Verdict('skipped', message);
