import {describe, expect, it} from 'vitest';
import {facts} from '../../../src/view/text/doctor/evidence-facts.js';
import {healthy, type Scenario, scenario} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw sections
type Raw = any;
const flannel = () => healthy('06-flannel-overlay-healthy');
const onFirst = (changed: Scenario, id: string) => changed.verdicts(id).filter(({node}) => node === 'fl-win-a');
const isDns =
  (protocol: number) =>
  ({Policies}: Raw) =>
    Policies[0].ExternalPort === 53 && Policies[0].Protocol === protocol;
const tcp = 6;
const udp = 17;
const without = (matches: (list: Raw) => boolean) =>
  flannel().node(node => {
    node.sections.hnsPolicyLists = node.sections.hnsPolicyLists.filter((list: Raw) => !matches(list));
  });

describe('kube-proxy/dns-load-balancer', () => {
  const id = 'kube-proxy/dns-load-balancer';

  it.each([
    ['UDP', udp],
    ['TCP', tcp],
  ])('finds that there is none for %s', (name, protocol) => {
    expect(onFirst(without(isDns(protocol)), id)[0]?.message).toMatch(new RegExp(`10\\.96\\.0\\.10.*${name} port 53`));
  });

  it('finds one that HNS did not apply', () => {
    const changed = flannel().section('hnsPolicyLists', lists => {
      lists.find(isDns(udp)).State = 1;
    });
    expect(onFirst(changed, id)[0]?.outcome).toBe('fail');
  });

  it('names a load balancer by its Service, with the id at the end', () => {
    const changed = flannel().section('hnsPolicyLists', lists => {
      lists.find(isDns(udp)).State = 1;
    });
    const [evidence] = onFirst(changed, id)[0]?.evidence ?? [];
    expect(evidence?.object).toMatch(/^kube-system\/kube-dns:53\/udp \([0-9a-f-]{36}\)$/);
    expect(facts(evidence ? [evidence] : [])[0]?.found).toEqual(['load balancer kube-system/kube-dns:53/udp State: 1']);
  });

  it('asks only for what the Service has', () => {
    const changed = without(isDns(tcp)).object('Service', 'kube-dns', service => {
      service.spec.ports = service.spec.ports.filter(({name}: Raw) => name !== 'dns-tcp');
    });
    expect(onFirst(changed, id)[0]?.outcome).toBe('pass');
  });

  it('asks for none when no DNS pod is ready: kube-proxy makes none then', () => {
    const changed = without(({Policies}) => Policies[0].ExternalPort === 53).object(
      'EndpointSlice',
      /^kube-dns/,
      slice => {
        for (const endpoint of slice.endpoints) endpoint.conditions.ready = false;
      },
    );
    expect(onFirst(changed, id)[0]?.outcome).toBe('info');
  });

  it('reads load balancers of HNS v2, which have no state', () => {
    const changed = flannel().node(node => {
      node.sections.hnsPolicyLists = node.sections.hnsPolicyLists.map((list: Raw) => ({
        ID: list.ID,
        HostComputeEndpoints: list.References.map((reference: string) => reference.split('/')[2]),
        SourceVIP: list.Policies[0].SourceVIP,
        FrontendVIPs: list.Policies[0].VIPs,
        PortMappings: [
          {Protocol: list.Policies[0].Protocol, InternalPort: 53, ExternalPort: list.Policies[0].ExternalPort},
        ],
      }));
    });
    expect(onFirst(changed, id)[0]?.outcome).toBe('pass');
  });

  it('asks for none on a node of Azure CNI that has no pods, and so no network yet', () => {
    const empty = (name: string) =>
      scenario('11-azure-cni-after-reboot')
        .removeObjects(({kind, spec}) => kind === 'Pod' && spec.nodeName === 'akswnp000001' && !spec.hostNetwork)
        .verdicts(name);
    expect(empty(id).map(({outcome}) => outcome)).toEqual(['info']);
  });
});

describe('kube-proxy/dangling-load-balancer', () => {
  const id = 'kube-proxy/dangling-load-balancer';

  it('finds a load balancer that refers to an endpoint HNS does not have', () => {
    const changed = flannel().node(node => {
      node.sections.hnsEndpoints = node.sections.hnsEndpoints.filter(({IPAddress}: Raw) => IPAddress !== '10.244.2.4');
    });
    expect(onFirst(changed, id)[0]?.message).toMatch(/^1 of 5 load balancers/);
  });

  it('finds a remote endpoint that no load balancer uses, but not one that is behind a Service now', () => {
    const forgotten = (ip: string) =>
      flannel().section('hnsEndpoints', endpoints => {
        const remote = endpoints.find(({IsRemoteEndpoint}: Raw) => IsRemoteEndpoint);
        endpoints.push({...remote, ID: 'AAAAAAAA-0000-0000-0000-000000000000', IPAddress: ip});
      });
    expect(onFirst(forgotten('10.244.0.99'), id)[0]?.message).toMatch(/10\.244\.0\.99/);
    expect(onFirst(forgotten('10.244.0.2'), id)[0]?.outcome).toBe('pass');
  });

  it('takes neither the source VIP nor the endpoint of Calico for forgotten', () => {
    expect(healthy('09-calico-vxlan-healthy').outcomes(id)).toEqual(['pass', 'pass']);
  });

  it('finds that most Services have lost their load balancers', () => {
    const many = Array.from({length: 4}, (_, index) => index);
    const changed = many.reduce(
      (changing, index) =>
        changing
          .addObject({
            apiVersion: 'v1',
            kind: 'Service',
            metadata: {name: `lost-${index}`, namespace: 'apps', labels: {}},
            spec: {
              type: 'ClusterIP',
              clusterIP: `10.96.1.${index}`,
              clusterIPs: [`10.96.1.${index}`],
              ports: [{port: 80}],
            },
          })
          .addObject({
            apiVersion: 'discovery.k8s.io/v1',
            kind: 'EndpointSlice',
            metadata: {
              name: `lost-${index}`,
              namespace: 'apps',
              labels: {'kubernetes.io/service-name': `lost-${index}`},
            },
            endpoints: [{addresses: ['10.244.2.4']}],
            ports: [{port: 80}],
          }),
      flannel(),
    );
    expect(onFirst(changed, id)[0]?.message).toMatch(/Most Services.*apps\/lost-0/);
  });
});
