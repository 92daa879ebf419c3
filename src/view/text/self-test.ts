import type {SelfTestAnswer, SelfTestReport} from '../../model/self-test.js';
import type {View} from '../view.js';
import {table} from './table.js';

/** The answers of a self-test as a table, and the number of each result. */
export const selfTestView: View<SelfTestReport> = {text: ({answers}) => render(answers)};

function render(answers: readonly SelfTestAnswer[]): string {
  const rows = answers.map(({result, area, name, ms, seen = '', expected}) => [
    result,
    area,
    name,
    String(ms),
    expected === undefined ? seen : `${seen} (expected: ${expected})`,
  ]);
  const count = (wanted: SelfTestAnswer['result']) => answers.filter(({result}) => result === wanted).length;
  const summary = `${count('ok')} ok, ${count('differs')} different, ${count('failed')} failed, ${count('info')} info.\n`;
  return `${table(['RESULT', 'AREA', 'NAME', 'MS', 'FOUND'], rows)}\n${summary}`;
}
