import {scriptHash} from '../helper/script.js';
import {selfTest} from '../helper/self-test.js';
import {nameOfNode, selectNodes} from '../kube/select-nodes.js';
import {ExitCode} from '../lib/errors.js';
import type {SelfTestReport} from '../model/self-test.js';
import {type InspectOptions, withInspection} from '../session/inspection.js';
import {type OpenProgress, withProgress} from '../session/progress.js';
import {withHelperOn} from './cleanup/node-connection.js';

/** Runs the helper's self-test on one node: does its Windows provide what the helper requires? */
export function testNode(options: InspectOptions, open: OpenProgress, signal: AbortSignal): Promise<SelfTestReport> {
  return withProgress(open, progress =>
    withInspection(options, progress, signal, async inspection => {
      const [node] = await selectNodes(inspection.client, options, {signal: inspection.signal});
      const answers = node
        ? await withHelperOn(inspection, nameOfNode(node), channel => selfTest(channel, inspection.signal))
        : [];
      const testedAt = new Date().toISOString();
      return {apiVersion: 'kubectl-win/v1', kind: 'SelfTest', testedAt, scriptHash, answers};
    }),
  );
}

export const selfTestExitCode = ({answers}: SelfTestReport): ExitCode =>
  answers.every(({result}) => result === 'ok' || result === 'info') ? ExitCode.ok : ExitCode.problems;
