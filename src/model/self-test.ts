/** One assumption of the helper about Windows, and what is true on a node. */
export interface SelfTestAnswer {
  /** What it concerns: a section, a class, a cmdlet, HNS, a question that only Windows can answer. */
  readonly area: string;
  readonly name: string;
  /** `differs`: the assumption is wrong; `failed`: could not be determined; `info`: reported without an expectation. */
  readonly result: 'ok' | 'differs' | 'failed' | 'info';
  readonly seen?: string | undefined;
  readonly expected?: string | undefined;
  readonly ms: number;
}

/** The document of a self-test. It contains no names or addresses of the network and is safe to share. */
export interface SelfTestReport {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'SelfTest';
  readonly testedAt: string;
  readonly scriptHash: string;
  readonly answers: readonly SelfTestAnswer[];
}
