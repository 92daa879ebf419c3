import {describe, expect, it} from 'vitest';
import {healthy} from '../support.js';

const id = 'cni/api-server-override';

const antrea = (change: (conf: string) => string) =>
  healthy('01-antrea-healthy').object('ConfigMap', 'antrea-windows-config', ({data}) => {
    data['antrea-agent.conf'] = change(data['antrea-agent.conf']);
  });

const flannel = (change: (container: {env: {name: string; value?: string}[]; envFrom?: unknown[]}) => void) =>
  healthy('06-flannel-overlay-healthy').object('DaemonSet', 'kube-flannel-ds-windows-amd64', ({spec}) =>
    change(spec.template.spec.containers[0]),
  );

describe(id, () => {
  it.each([
    ['is commented out', '#kubeAPIServerOverride: ""'],
    ['is empty', 'kubeAPIServerOverride: ""'],
  ])('finds that the address for Antrea %s, and names the one to set', (_, line) => {
    const [finding] = antrea(conf => conf.replace(/^kubeAPIServerOverride:.*$/m, line)).verdicts(id);
    expect(finding).toMatchObject({outcome: 'fail', severity: 'error', node: undefined});
    expect(finding?.remedy).toMatchObject({
      steps: [expect.stringContaining('https://10.21.40.11:6443'), expect.anything()],
    });
  });

  it('finds the ClusterIP used as the API server address', () => {
    const circular = antrea(conf => conf.replace('https://10.21.40.11:6443', 'https://10.96.0.1:443'));
    expect(circular.failures(id)).toEqual([expect.stringContaining('ClusterIP')]);
  });

  it('does not apply if kube-proxy handles the Services', () => {
    const old = antrea(conf => conf.replace(/^kubeAPI.*$/m, '').replace('proxyAll: true', 'proxyAll: false'));
    expect(old.outcomes(id)).toEqual(['pass']);
  });

  it('does not apply if the agent is a service with its own kubeconfig', () => {
    const service = antrea(conf => conf.replace(/^kubeAPI.*$/m, '')).removeObjects(
      ({kind, metadata}) => kind === 'DaemonSet' && metadata.name === 'antrea-agent-windows',
    );
    expect(service.outcomes(id)).toEqual(['skipped']);
  });

  it('is undetermined without the configuration', () => {
    const unread = healthy('01-antrea-healthy').removeObjects(
      ({metadata}) => metadata.name === 'antrea-windows-config',
    );
    expect(unread.outcomes(id)).toEqual(['unknown']);
  });

  it('finds that flanneld uses the ClusterIP', () => {
    const unset = flannel(container => {
      container.env = container.env.filter(({name}) => !name.startsWith('KUBERNETES_'));
    });
    const [finding] = unset.verdicts(id);
    expect(finding?.outcome).toBe('fail');
    expect(finding?.remedy).toMatchObject({
      steps: [
        'kubectl -n kube-flannel set env daemonset/kube-flannel-ds-windows-amd64 KUBERNETES_SERVICE_HOST=10.90.12.10 KUBERNETES_SERVICE_PORT=6443',
      ],
    });
  });

  it('accepts an address that flanneld reads from a ConfigMap', () => {
    const fromMap = flannel(container => {
      container.env = [];
      container.envFrom = [{configMapRef: {name: 'kubernetes-services-endpoint'}}];
    });
    expect(fromMap.outcomes(id)).toEqual(['pass']);
  });

  it.each([
    ['kubernetes', 'fail'],
    ['https://kubernetes:443', 'fail'],
    ['https://kubernetes.default.svc:443/', 'fail'],
    ['https://my-kubernetes:6443', 'pass'],
    ['https://kubernetes-api.example:6443', 'pass'],
    ['10.21.40.11:6443', 'pass'],
  ])('knows the Service by its name: %s', (address, outcome) => {
    expect(antrea(conf => conf.replace('https://10.21.40.11:6443', address)).outcomes(id)).toEqual([outcome]);
  });

  it('names the port of the API server, or its usual one', () => {
    const remedy = (port: number | undefined) => {
      const [finding] = antrea(conf => conf.replace(/^kubeAPIServerOverride:.*$/m, ''))
        .object('EndpointSlice', 'kubernetes', slice => {
          slice.ports = port === undefined ? [] : [{port}];
          slice.endpoints[0].addresses = ['fd00::1', '10.21.40.11'];
        })
        .verdicts(id);
      return JSON.stringify(finding?.remedy);
    };
    expect(remedy(16443)).toContain('https://10.21.40.11:16443');
    expect(remedy(undefined)).toContain('https://10.21.40.11:6443');
  });
});
