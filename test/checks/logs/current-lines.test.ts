import {describe, expect, it} from 'vitest';
import {currentLines, lineTime, startPattern} from '../../../src/checks/logs/current-lines.js';

const start = startPattern(['antrea-agent']);
const texts = (...lines: string[]) => currentLines(lines.join('\r\n'), start).map(({text}) => text);

describe('the time of a line', () => {
  it.each([
    ['2026-03-04T10:02:33.123Z|00001|vswitchd|INFO|text', '2026-03-04T10:02:33Z'],
    ['2026/03/04 10:02:33 text', '2026-03-04T10:02:33Z'],
    ['time="2026-12-31T23:59:59+01:00" level=error', '2026-12-31T23:59:59Z'],
    ['E0304 10:02:33.123456    1234 file.go:1] text', '2031-03-04T10:02:33Z'],
  ])('is parsed in the format of the log: %s', (line, time) => {
    expect(new Date(lineTime(line, 2031) ?? Number.NaN).toISOString()).toBe(new Date(time).toISOString());
  });

  it.each([
    'at 2026-03-04T10:02:33Z text',
    '2026-03-04',
    '26-03-04T10:02:33',
    'X0304 10:02:33',
    'text E0304 10:02:33',
    '',
  ])('is not parsed elsewhere: %s', line => {
    expect(lineTime(line, 2031)).toBeUndefined();
  });
});

describe('the current lines of a log', () => {
  it('are those of its last half hour, and following lines without a time', () => {
    const last = '2026-03-04T10:30:00 last';
    expect(texts('2026-03-04T09:59:59 old', '  of the old one', '2026-03-04T10:00:00 new', '  of it', last)).toEqual([
      '2026-03-04T10:00:00 new',
      '  of it',
      last,
    ]);
  });

  it('are all lines if none has a time, except blank ones', () => {
    expect(texts('one', '', '   ', 'two')).toEqual(['one', 'two']);
  });

  it('are limited in number and length', () => {
    const many = Array.from({length: 2500}, (_, i) => `line ${i}`);
    expect(texts(...many)).toEqual(many.slice(-2000));
    expect(texts('x'.repeat(3000))[0]).toHaveLength(2000);
  });

  const overtaken = (...lines: string[]) => currentLines(lines.join('\n'), start).map(its => its.overtaken);

  it('are superseded by a later success', () => {
    expect(overtaken('failed', 'Created HNS network x', 'failed again')).toEqual([true, false, false]);
  });

  it.each(['Starting antrea-agent', 'Log file created at: 2026', 'Starting kube-proxy', 'starting the kubeproxy'])(
    'are superseded by a start that is longer ago than a retry takes: %s',
    words => {
      const at = (time: string) => overtaken('I0304 10:00:00 failed', `I0304 10:01:00 ${words}`, `I0304 ${time} last`);
      expect(at('10:03:00')).toEqual([false, false, false]);
      expect(at('10:03:01')).toEqual([true, false, false]);
    },
  );

  it('are not superseded by a start at an unknown time, or of another program', () => {
    expect(overtaken('failed', 'Starting antrea-agent', 'I0304 10:30:00 last')).toEqual([false, false, false]);
    expect(overtaken('I0304 10:00:00 failed', 'I0304 10:01:00 Starting nginx', 'I0304 10:09:00 last')).toEqual([
      false,
      false,
      false,
    ]);
  });
});
