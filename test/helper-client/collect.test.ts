import {describe, expect, it} from 'vitest';
import {collect, type NodeCollectOptions} from '../../src/helper/collect-sections.js';
import {apiError} from '../../src/kube/api-errors.js';
import {resolveConnection} from '../../src/kube/kubeconfig.js';
import {ExitCode, WinError} from '../../src/lib/errors.js';
import fc from '../seeded.js';
import {endOf, hello, scriptedChannel, section, sectionError, whole} from './channel.js';

const options = (more: Partial<NodeCollectOptions> = {}): NodeCollectOptions => ({
  sections: ['os', 'ovs'],
  deadlineMs: 1000,
  sectionTimeoutMs: 500,
  pauseMs: 0,
  ...more,
});

const os = section('os', {CSName: 'WIN-1'});
const ovs = sectionError('ovs', 'NotInstalled', 'ovs-vsctl.exe was not found');
const healthy = {output: whole(hello, os, ovs)};

async function failure(work: Promise<unknown>): Promise<WinError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    reason => reason,
  );
  if (error instanceof WinError) return error;
  throw error;
}

describe('a complete answer', () => {
  it('gives sections and errors, and reports them as they arrive', async () => {
    const seen: unknown[] = [];
    const channel = scriptedChannel(healthy);
    const collected = await collect(channel, options({onSection: (name, error) => seen.push([name, error?.kind])}));
    expect(collected.read()).toEqual({
      sections: {os: {CSName: 'WIN-1'}},
      errors: {ovs: {kind: 'NotInstalled', message: 'ovs-vsctl.exe was not found'}},
    });
    expect(collected).toMatchObject({noise: [], host: 'WIN-1', ms: 7, ageMs: undefined, interrupted: undefined});
    expect(['os', 'ovs', 'files'].map(name => collected.section(name))).toEqual([
      {CSName: 'WIN-1'},
      undefined,
      undefined,
    ]);
    expect(seen).toEqual([
      ['os', undefined],
      ['ovs', 'NotInstalled'],
    ]);
    expect(channel.requests).toEqual([
      {protocol: 1, request: 'collect', deadlineMs: 1000, sectionTimeoutMs: 500, sections: ['os', 'ovs'], probes: []},
    ]);
  });

  it('is understood with any chunk boundaries', async () => {
    const bytes = Buffer.from(whole(hello, section('os', {Caption: 'Größe 漢字 🪟'}), ovs));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({min: 0, max: bytes.length}), {maxLength: 12}), async cuts => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const {read, interrupted} = await collect(scriptedChannel({output: pieces}), options());
        expect(read().sections).toEqual({os: {Caption: 'Größe 漢字 🪟'}});
        expect(interrupted).toBeUndefined();
      }),
      {numRuns: 50},
    );
  });

  it('keeps other output as noise, which has no effect', async () => {
    const lines = [hello, os, ovs];
    const output = ['Windows PowerShell', ...lines, '{"not": "ours"}', '', endOf(lines), 'bye'].join('\r\n');
    const {interrupted, noise} = await collect(scriptedChannel({output: `${output}\r\n`}), options());
    expect(interrupted).toBeUndefined();
    expect(noise).toEqual(['Windows PowerShell', '{"not": "ours"}']);
  });

  it('keeps every digit of numbers that JavaScript cannot hold', async () => {
    const line = '{"type":"section","name":"os","ms":1,"data":{"id":18446744073709551615,"n":12,"f":1.5e300}}';
    const {read} = await collect(scriptedChannel({output: whole(hello, line, ovs)}), options());
    expect(read().sections).toEqual({os: {id: '18446744073709551615', n: 12, f: 1.5e300}});
  });

  it('reports a section without an answer as failed', async () => {
    const {read} = await collect(scriptedChannel({output: whole(hello, os)}), options());
    expect(read().errors).toEqual({ovs: {kind: 'Failed', message: 'The helper did not return this section.'}});
  });

  it('does not mistake an inherited property name for a section', async () => {
    const {read} = await collect(scriptedChannel({output: whole(hello, os, ovs, section('__proto__', 1))}), options());
    expect(Object.keys(read().sections)).toEqual(['os']);
  });

  const rows = Array.from({length: 500}, (_, index) => ({Name: `Größe ${index}`, Id: index}));

  it('has long sections, which are the same as short ones', async () => {
    const seen: unknown[] = [];
    const onSection = (name: string, error: unknown) => seen.push([name, error]);
    const output = whole(hello, section('os', rows), ovs);
    const collected = await collect(scriptedChannel({output}), options({onSection}));
    expect(collected.interrupted).toBeUndefined();
    expect(collected.read().sections).toEqual({os: rows});
    expect(collected.section('os')).toEqual(rows);
    expect(collected.mentions('os', 'Größe 499')).toBe(true);
    expect(collected.mentions('os', 'Größe 500')).toBe(false);
    expect(seen).toEqual([
      ['os', undefined],
      ['ovs', expect.anything()],
    ]);
  });

  it.each([
    [
      'is not JSON',
      `{"type":"section","name":"os","ms":1,"data":[${'1,'.repeat(3000)}`,
      /^The section .* is not valid/,
    ],
    ['is nested too deep', section('os', null).replace('null', '['.repeat(5000) + ']'.repeat(5000)), /too large/],
    ['has an error too', section('os', rows).replace(/}$/, ',"error":{"kind":"Timeout","message":"late"}}'), /^late$/],
  ])('reports a long section that %s as not read, and keeps the others', async (_, line, message) => {
    const output = whole(hello, line, section('hnsNetworks', []));
    const collected = await collect(scriptedChannel({output}), options({sections: ['os', 'hnsNetworks']}));
    const {sections, errors} = collected.read();
    expect(sections).toEqual({hnsNetworks: []});
    expect(errors).toEqual({os: {kind: expect.any(String), message: expect.stringMatching(message)}});
    expect(collected.section('os')).toBeUndefined();
  });
});

describe('an incomplete answer', () => {
  const cut = {
    output: `${hello}\n${os}\n`,
    outcome: {status: 'lost', why: 'the connection was closed (code 1006)'} as const,
  };

  it('is requested again, and the second one counts', async () => {
    const channel = scriptedChannel(cut, healthy);
    const seen: string[] = [];
    const {interrupted, read} = await collect(channel, options({onSection: name => seen.push(name)}));
    expect(channel.requests).toHaveLength(2);
    expect(interrupted).toBeUndefined();
    expect(read().errors).toMatchObject({ovs: {kind: 'NotInstalled'}});
    expect(seen).toEqual(['os', 'ovs']);
  });

  it('keeps what arrived if it is incomplete twice, and names what is missing', async () => {
    const channel = scriptedChannel(cut);
    const collected = await collect(channel, options());
    expect(channel.requests).toHaveLength(2);
    expect(collected.read().sections).toEqual({os: {CSName: 'WIN-1'}});
    expect(collected.interrupted).toBe(
      'it ended after 2 lines, without the last one (the connection was closed (code 1006))',
    );
    expect(collected.read().errors.ovs).toEqual({
      kind: 'Failed',
      message: `The answer was interrupted: ${collected.interrupted}.`,
    });
  });

  it.each([
    [
      'a line is missing although the command succeeded',
      [hello, os, endOf([hello, os, ovs])].join('\n'),
      'received 2 of 3 lines',
    ],
    [
      'a line was altered',
      [hello, os.replace('WIN', 'LIN'), endOf([hello, os])].join('\n'),
      'its 2 lines were altered in transit',
    ],
    ['a line has the wrong format', whole(hello, os, '{"type":"section","name":7}'), 'line 3 is invalid'],
    ['it stops inside a line', `${hello}\n${os}\n${ovs.slice(0, 20)}`, 'it ended after 2 lines, without the last one'],
  ])('is detected if %s', async (_, output, fault) => {
    const {interrupted} = await collect(scriptedChannel({output: `${output}\n`}), options());
    expect(interrupted).toBe(fault);
  });

  it.each([
    ['nothing came', {output: ''}, 'nothing was received'],
    ['only garbage arrived', {output: 'Access \u001b[31mdenied\n'}, 'only other text was received: "Access denied"'],
    [
      'PowerShell did not start',
      {output: '', stderr: 'not\r\nfound', outcome: {status: 'exit', code: 1} as const},
      'nothing was received (exit code 1; not found)',
    ],
    ['only a greeting arrived', {output: `${hello}\n`}, 'it ended after 1 line, without the last one'],
  ])('fails if %s twice', async (_, attempt, fault) => {
    const channel = scriptedChannel(attempt);
    const error = await failure(collect(channel, options()));
    expect(error.message).toBe(`The answer of win-1 was interrupted: ${fault}.`);
    expect(error.exit).toBe(ExitCode.uninspected);
    expect(channel.requests).toHaveLength(2);
  });

  it('never waits forever for a silent node', async () => {
    const error = await failure(collect(scriptedChannel({output: '', hangs: true}), options({helloTimeoutMs: 20})));
    expect(error.message).toContain('no greeting within 0.02s');
  });

  it('never waits forever for a node that greets and then hangs', async () => {
    const hanging = {output: `${hello}\n${os}\n`, hangs: true};
    const {interrupted} = await collect(scriptedChannel(hanging), options({deadlineMs: 10, marginMs: 10}));
    expect(interrupted).toContain('it took too long');
  });

  it('is requested again if the kubelet was unreachable', async () => {
    const connection = resolveConnection({server: 'https://a'}, {HOME: '/nowhere'});
    let tries = 0;
    const good = scriptedChannel(healthy);
    const channel = {
      node: 'win-1',
      exec: (given: Parameters<typeof good.exec>[0]) => {
        tries += 1;
        if (tries === 1) throw apiError(500, 'error dialing backend', connection);
        return good.exec(given);
      },
    };
    const {interrupted} = await collect(channel, options());
    expect(interrupted).toBeUndefined();
  });

  it('is not requested again after the user gives up', async () => {
    const controller = new AbortController();
    const channel = scriptedChannel({output: `${hello}\n`, hangs: true});
    const collecting = collect(channel, options({signal: controller.signal}));
    controller.abort(new Error('Ctrl-C'));
    await expect(collecting).rejects.toThrow('Ctrl-C');
    expect(channel.requests).toHaveLength(1);
  });
});

describe('an untrusted helper', () => {
  it.each([
    ['runs another script', {type: 'hello', protocol: 1, scriptHash: 'abc', host: 'x'}, 'runs a different script'],
    ['uses another protocol', {type: 'hello', protocol: 9, scriptHash: 'abc', host: 'x'}, 'uses protocol 9'],
  ])('is rejected immediately if it %s', async (_, greeting, message) => {
    const channel = scriptedChannel({output: whole(JSON.stringify(greeting), os, ovs)});
    const error = await failure(collect(channel, options()));
    expect(error.message).toContain(message);
    expect(error.exit).toBe(ExitCode.uninspected);
    expect(channel.requests).toHaveLength(1);
  });

  it('is quoted if it refuses the request', async () => {
    const refusal = JSON.stringify({type: 'error', kind: 'BadRequest', message: 'No \u001b]0;x\u0007such section.'});
    const channel = scriptedChannel({output: whole(hello, refusal)});
    const error = await failure(collect(channel, options()));
    expect(error).toMatchObject({kind: 'BadRequest', message: 'The helper on win-1 refused: No such section.'});
    expect(channel.requests).toHaveLength(1);
  });
});
