/** One thing that the helper takes Windows for, and how it is on a node. */
export interface SelfTestAnswer {
  /** Where it belongs: a section, a class, a cmdlet, HNS, a question that only Windows can answer. */
  readonly area: string;
  readonly name: string;
  /** `differs`: Windows is otherwise; `failed`: it could not be found out; `info`: told without an expectation. */
  readonly result: 'ok' | 'differs' | 'failed' | 'info';
  readonly seen?: string | undefined;
  readonly expected?: string | undefined;
  readonly ms: number;
}

/** The document of a self-test. It holds no names or addresses of the network: anyone may see it. */
export interface SelfTestReport {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'SelfTest';
  readonly testedAt: string;
  readonly scriptHash: string;
  readonly answers: readonly SelfTestAnswer[];
}
