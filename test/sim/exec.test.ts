import {createHash} from 'node:crypto';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {onRealApi} from '../apiserver/chosen-api.js';
import {hungOutput} from '../apiserver/kubelet.js';
import {type Cluster, cluster, collect, script} from './support.js';

let lab: Cluster;
let pod: string;
const node = () => {
  const found = lab.simulation.nodes.get('win-1');
  if (!found) throw new Error('no win-1');
  return found;
};
const messages = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

beforeAll(async () => {
  lab = await cluster('antrea-reboot');
  pod = await lab.helperPod();
});
afterAll(() => lab[Symbol.asyncDispose]());

/** The kubelets of the bridge support WebSockets, so a real server translates only for those that do not say so. */
const declare = (declaredFeatures: string[]) => lab.patch('/api/v1/nodes/win-1/status', {status: {declaredFeatures}});
const translates = () => !onRealApi || Number(lab.simulation.version.split('.')[1]) >= 30;

describe('exec', () => {
  it('answers with the hash of the mounted script, every section, and an end with the count of all lines', async () => {
    const {stdout, status, closeCode} = await lab.helper(pod, collect(sectionNames));
    const lines = messages(stdout);
    expect(lines[0]).toEqual({type: 'hello', protocol: 1, scriptHash: sha256(script), host: 'WIN-1'});
    expect(lines.slice(1, -1).map(({name}) => name)).toEqual(sectionNames);
    const body = stdout.slice(0, stdout.lastIndexOf('{"type":"end"'));
    expect(lines.at(-1)).toMatchObject({type: 'end', lines: sectionNames.length + 1, sha256: sha256(body)});
    expect(status).toMatchObject({status: 'Success'});
    expect(closeCode).toBe(1000);
  });

  it('sends long lines in pieces of 32 kB, as the real server does', async () => {
    node().change(state => {
      state.sections.plans = ['x'.repeat(100_000)];
    });
    const {stdout, largestMessage} = await lab.helper(pod, collect(['plans']));
    expect(messages(stdout)[1].data[0]).toHaveLength(100_000);
    expect(largestMessage).toBe(32 * 1024 + 1);
  });

  it.each(['v5.channel.k8s.io', 'v4.channel.k8s.io'])('supports %s', async protocol => {
    const result = await lab.exec(pod, ['hostname'], {protocols: [protocol]});
    expect(result).toMatchObject({protocol, stdout: 'WIN-1\r\n', status: {status: 'Success'}});
  });

  it('prefers v5, and rejects unknown protocols', async () => {
    const offered = ['v4.channel.k8s.io', 'v5.channel.k8s.io'];
    expect((await lab.exec(pod, ['hostname'], {protocols: offered})).protocol).toBe('v5.channel.k8s.io');
    await expect(lab.exec(pod, ['hostname'], {protocols: ['channel.k8s.io']})).rejects.toMatchObject({code: 400});
  });

  it('reports an exit code, and a program that does not exist', async () => {
    expect((await lab.exec(pod, ['cmd', '/c', 'exit 3'])).status).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: {causes: [{reason: 'ExitCode', message: '3'}]},
    });
    expect((await lab.exec(pod, ['nmap'])).status).toMatchObject({
      status: 'Failure',
      message: expect.stringContaining('executable file not found'),
    });
  });

  it('answers an unknown request with an error and an end', async () => {
    for (const [request, kind] of [
      [{protocol: 1, request: 'dance'}, 'UnknownRequest'],
      [{...collect([]), protocol: 99}, 'UnsupportedProtocol'],
    ] as const) {
      const lines = messages((await lab.helper(pod, request)).stdout);
      expect(lines.map(({type}) => type)).toEqual(['hello', 'error', 'end']);
      expect(lines[1]).toMatchObject({kind});
    }
  });

  it('requires the token, and a pod that exists and runs', async () => {
    const code = (pod: string) => lab.exec(pod, ['hostname']).then(undefined, error => error.code);
    expect(await code('nobody')).toBe(404);
  });

  it.each(['v4.channel.k8s.io', ...(onRealApi ? ['v5.channel.k8s.io'] : [])])(
    '%s with an unreachable kubelet is rejected before the upgrade if the server passes it through',
    async protocol => {
      node().fault({kubeletDown: true});
      try {
        await expect(lab.exec(pod, ['hostname'], {protocols: [protocol]})).rejects.toMatchObject({code: 500});
      } finally {
        node().fault({kubeletDown: false});
      }
    },
  );

  it('v5 with an unreachable kubelet is rejected after the upgrade if the server translates it', async ({skip}) => {
    skip(!translates(), 'the server translates v5 from 1.30 on');
    if (onRealApi) expect(await declare([])).toMatchObject({status: 200});
    node().fault({kubeletDown: true});
    try {
      const {stdout, status} = await lab.exec(pod, ['hostname']);
      expect(stdout).toBe('');
      expect(status).toMatchObject({
        reason: 'InternalError',
        code: 500,
        message: expect.stringMatching(
          /^Internal error occurred: error sending request: Post "https:.*\/exec\/lab\/.*\?command=hostname.*": .*connection (refused|reset by peer)$/,
        ),
      });
    } finally {
      node().fault({kubeletDown: false});
      if (onRealApi) await declare(['ExtendWebSocketsToKubelet']);
    }
  });

  it("v5 if the server translates it: it answers pings for a node that hangs, and reports the node's death as success", async ({
    skip,
  }) => {
    skip(!translates(), 'the server translates v5 from 1.30 on');
    if (onRealApi) expect(await declare([])).toMatchObject({status: 200});
    node().fault({helper: {kind: 'silent'}});
    const printed = onRealApi ? hungOutput : '';
    const open = Promise.withResolvers<() => Promise<void>>();
    const began = Promise.withResolvers<void>();
    try {
      const running = lab.helper(pod, collect(['os']), {
        onOpen: open.resolve,
        onOutput: text => text === printed && began.resolve(),
      });
      const ping = await open.promise;
      await began.promise;
      await ping();
      if (onRealApi) node().fault({kubeletDown: true});
      else lab.simulation.disconnect('win-1');
      const {stdout, status, closeCode} = await running;
      expect({stdout, closeCode}).toEqual({stdout: printed, closeCode: 1000});
      expect(status).toMatchObject({status: 'Success'});
    } finally {
      node().fault({kubeletDown: false, helper: undefined});
      if (onRealApi) await declare(['ExtendWebSocketsToKubelet']);
    }
  });

  it('ends with its pod', async () => {
    const doomed = await lab.helperPod('win-2');
    lab.simulation.nodes.get('win-2')?.fault({helper: {kind: 'silent'}});
    const began = Promise.withResolvers<void>();
    const running = lab.helper(doomed, collect(['os']), {onOutput: () => began.resolve()});
    await began.promise;
    await lab.delete(`/api/v1/namespaces/lab/pods/${doomed}`, {gracePeriodSeconds: 1});
    expect((await running).status).toMatchObject({reason: 'NonZeroExitCode'});
  });

  it.each([
    ['v4.channel.k8s.io', 1006, undefined],
    onRealApi ? ['v5.channel.k8s.io', 1006, undefined] : ['v5.channel.k8s.io', 1000, {status: 'Success'}],
  ])('%s: ends as the server does if the node loses its network', async (protocol, closeCode, status) => {
    node().fault({helper: {kind: 'silent'}});
    try {
      const running = lab.helper(pod, collect(['os']), {protocols: [protocol]});
      const timer = setInterval(() => lab.simulation.disconnect('win-1'), 20);
      const ended = await running.finally(() => clearInterval(timer));
      expect(ended.closeCode).toBe(closeCode);
      expect(ended.stdout).toBe('');
      if (status) expect(ended.status).toMatchObject(status);
      else expect(ended.status).toBeUndefined();
    } finally {
      node().fault({helper: undefined});
    }
  });
});

describe('a helper with a fault', () => {
  const ask = async (helper: object) => {
    node().fault({helper: helper as never});
    try {
      return await lab.helper(pod, collect(['os', 'hnsNetworks', 'netAdapters', 'services']));
    } finally {
      node().fault({helper: undefined});
    }
  };

  it('cut: loses the connection after some lines', async () => {
    const {stdout, closeCode, status} = await ask({kind: 'cut', afterLines: 2});
    expect(messages(stdout)).toHaveLength(2);
    expect({closeCode, status}).toEqual({closeCode: 1006, status: undefined});
  });

  it('truncate: stops early and reports success', async () => {
    const {stdout, status} = await ask({kind: 'truncate', afterLines: 2});
    expect(messages(stdout)).toHaveLength(2);
    expect(status).toMatchObject({status: 'Success'});
  });

  it('halfLine: stops in the middle of a line', async () => {
    const {stdout, status} = await ask({kind: 'halfLine', afterLines: 2});
    expect(() => messages(stdout)).toThrow();
    expect(stdout.split('\n')).toHaveLength(3);
    expect(status).toMatchObject({status: 'Success'});
  });

  it('garbage: mixes valid lines with others', async () => {
    const lines = (await ask({kind: 'garbage'})).stdout.split('\n').filter(Boolean);
    const good = lines.filter(line => line.startsWith('{'));
    expect(good).toHaveLength(6);
    expect(lines.length).toBeGreaterThan(good.length);
  });

  it('onlyGarbage, empty: no valid line at all', async () => {
    expect((await ask({kind: 'onlyGarbage'})).stdout).not.toContain('{"type"');
    expect(await ask({kind: 'empty'})).toMatchObject({stdout: '', status: {status: 'Success'}});
  });

  it('wrongHash: runs a different script than the mounted one', async () => {
    const [hello] = messages((await ask({kind: 'wrongHash'})).stdout);
    expect(hello.scriptHash).not.toBe(sha256(script));
  });

  it('once: is correct the next time', async () => {
    node().fault({helper: {kind: 'empty', once: true}});
    expect((await lab.helper(pod, collect(['os']))).stdout).toBe('');
    expect(messages((await lab.helper(pod, collect(['os']))).stdout)).toHaveLength(3);
  });

  it('sectionErrors: cannot read some sections', async () => {
    node().fault({sectionErrors: {ovs: {kind: 'Timeout', message: 'ovs-vsctl did not answer'}}});
    const lines = messages((await lab.helper(pod, collect(['os', 'ovs']))).stdout);
    expect(lines[1]).toHaveProperty('data');
    expect(lines[2]).toMatchObject({name: 'ovs', error: {kind: 'Timeout', message: 'ovs-vsctl did not answer'}});
    node().fault({sectionErrors: {}});
  });
});

it('a different program can answer helper requests', async () => {
  const helper = {
    async run({stdout, scriptHash}: {stdout(bytes: Uint8Array): Promise<void>; scriptHash: string}) {
      await stdout(Buffer.from(`I am ${scriptHash}`));
      return 7;
    },
  };
  await using other = await cluster('antrea-healthy', {helper});
  const {stdout, status} = await other.helper(await other.helperPod(), collect(['os']));
  expect(stdout).toBe(`I am ${sha256(script)}`);
  expect(status.details.causes).toEqual([{reason: 'ExitCode', message: '7'}]);
});
