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

  it('names a load balancer by its Service, with the ID at the end', () => {
    const changed = flannel().section('hnsPolicyLists', lists => {
      lists.find(isDns(udp)).State = 1;
    });
    const [evidence] = onFirst(changed, id)[0]?.evidence ?? [];
    expect(evidence?.object).toMatch(/^kube-system\/kube-dns:53\/udp \([0-9a-f-]{36}\)$/);
    expect(facts(evidence ? [evidence] : [])[0]?.found).toEqual(['load balancer kube-system/kube-dns:53/udp State: 1']);
  });

  it('requires only the ports of the Service', () => {
    const changed = without(isDns(tcp)).object('Service', 'kube-dns', service => {
      service.spec.ports = service.spec.ports.filter(({name}: Raw) => name !== 'dns-tcp');
    });
    expect(onFirst(changed, id)[0]?.outcome).toBe('pass');
  });

  it('requires none if no DNS pod is ready: kube-proxy then creates none', () => {
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

  it('requires none on an Azure CNI node without pods, which has no network yet', () => {
    const empty = (name: string) =>
      scenario('11-azure-cni-after-reboot')
        .removeObjects(({kind, spec}) => kind === 'Pod' && spec.nodeName === 'akswnp000001' && !spec.hostNetwork)
        .verdicts(name);
    expect(empty(id).map(({outcome}) => outcome)).toEqual(['info']);
  });
});

describe('kube-proxy/dangling-load-balancer', () => {
  const id = 'kube-proxy/dangling-load-balancer';

  it('finds a load balancer with an endpoint that HNS does not have', () => {
    const changed = flannel().node(node => {
      node.sections.hnsEndpoints = node.sections.hnsEndpoints.filter(({IPAddress}: Raw) => IPAddress !== '10.244.2.4');
    });
    expect(onFirst(changed, id)[0]?.message).toMatch(/^1 of 5 load balancers/);
  });

  it('finds a remote endpoint that no load balancer uses, but not one that backs a Service now', () => {
    const forgotten = (ip: string) =>
      flannel().section('hnsEndpoints', endpoints => {
        const remote = endpoints.find(({IsRemoteEndpoint}: Raw) => IsRemoteEndpoint);
        endpoints.push({...remote, ID: 'AAAAAAAA-0000-0000-0000-000000000000', IPAddress: ip});
      });
    expect(onFirst(forgotten('10.244.0.99'), id)[0]?.message).toMatch(/10\.244\.0\.99/);
    expect(onFirst(forgotten('10.244.0.2'), id)[0]?.outcome).toBe('pass');
  });

  it('does not report the source VIP or the Calico endpoint as unused', () => {
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

describe('the load balancer of the cluster DNS', () => {
  const id = 'kube-proxy/dns-load-balancer';
  const dns = (change: (service: Raw) => void) => flannel().object('Service', 'kube-dns', change);

  it('is reported with each protocol that has none', () => {
    const none = onFirst(
      without(({Policies}) => Policies[0].ExternalPort === 53),
      id,
    )[0];
    expect(none?.message).toBe(
      'The cluster DNS (10.96.0.10) has no load balancer for UDP and TCP port 53 on this node, so its pods cannot resolve names.',
    );
    expect(none?.evidence.map(({object, seen}) => [object, seen])).toEqual([
      ['kube-system/kube-dns:53/udp', null],
      ['kube-system/kube-dns:53/tcp', null],
    ]);
  });

  it('is reported with its state where HNS did not apply it', () => {
    const changed = flannel().section('hnsPolicyLists', lists => {
      lists.find(isDns(tcp)).State = 3;
    });
    const found = onFirst(changed, id)[0];
    expect(found?.message).toMatch(/has a load balancer that HNS did not apply on this node/);
    expect(found?.evidence).toMatchObject([{field: 'State', seen: 3, expected: 2}]);
  });

  it('is not one for another port, or for another Service', () => {
    const other = (policy: object) =>
      flannel().section('hnsPolicyLists', lists => Object.assign(lists.find(isDns(udp)).Policies[0], policy));
    expect(onFirst(other({ExternalPort: 54}), id)[0]?.outcome).toBe('fail');
    expect(onFirst(other({VIPs: ['10.96.0.11']}), id)[0]?.outcome).toBe('fail');
  });

  it('is for TCP where the Service does not say', () => {
    const changed = without(isDns(udp)).object('Service', 'kube-dns', ({spec}) => {
      spec.ports = [{port: 53}];
    });
    expect(onFirst(changed, id)[0]?.outcome).toBe('pass');
  });

  const found = (changed: Scenario) => onFirst(changed, id)[0]?.outcome;

  it.each([
    ['without its label, by its name', (service: Raw) => Object.assign(service.metadata, {labels: {}}), 'pass'],
    ['of CoreDNS', (service: Raw) => Object.assign(service.metadata, {labels: {}, name: 'coredns'}), 'info'],
    [
      'of RKE2',
      (service: Raw) => Object.assign(service.metadata, {labels: {}, name: 'rke2-coredns-rke2-coredns'}),
      'info',
    ],
    [
      'with another name',
      (service: Raw) => Object.assign(service.metadata, {labels: {}, name: 'my-coredns'}),
      'unknown',
    ],
    ['in another namespace', (service: Raw) => Object.assign(service.metadata, {namespace: 'apps'}), 'unknown'],
    [
      'of OpenShift',
      (service: Raw) => Object.assign(service.metadata, {labels: {}, namespace: 'openshift-dns', name: 'dns-default'}),
      'info',
    ],
    [
      'without an address',
      (service: Raw) => Object.assign(service.spec, {clusterIP: 'None', clusterIPs: ['None']}),
      'unknown',
    ],
    [
      'for another port',
      (service: Raw) => Object.assign(service.spec, {ports: [{port: 5353, protocol: 'UDP'}]}),
      'unknown',
    ],
  ])('is that of a Service %s', (_, change, outcome) => {
    expect(found(dns(change))).toBe(outcome);
  });

  it('has the address that is of IPv4', () => {
    expect(
      found(
        dns(({spec}) => {
          spec.clusterIPs = ['fd00::a', '10.96.0.10'];
        }),
      ),
    ).toBe('pass');
    expect(
      found(
        dns(({spec}) => {
          delete spec.clusterIPs;
        }),
      ),
    ).toBe('pass');
  });

  it('is asked for while one pod is ready, and where nothing was read of any', () => {
    const none = () => without(({Policies}) => Policies[0].ExternalPort === 53);
    const slices = (change: (endpoint: Raw, index: number) => void) =>
      found(none().object('EndpointSlice', /^kube-dns/, ({endpoints}) => endpoints.forEach(change)));
    expect(
      slices((endpoint, index) => {
        endpoint.conditions.ready = index === 1;
      }),
    ).toBe('fail');
    expect(
      slices(endpoint => {
        delete endpoint.conditions;
      }),
    ).toBe('fail');
    expect(
      slices(endpoint => {
        endpoint.addresses = [];
      }),
    ).toBe('info');
    expect(found(none().removeObjects(({kind}) => kind === 'EndpointSlice'))).toBe('fail');
  });
});

describe('endpoints that kube-proxy has left behind', () => {
  const id = 'kube-proxy/dangling-load-balancer';
  const remote = (change: object) =>
    onFirst(
      flannel().section('hnsEndpoints', endpoints => {
        const its = endpoints.find(({IsRemoteEndpoint}: Raw) => IsRemoteEndpoint);
        endpoints.push({...its, ID: 'AAAAAAAA-0000-0000-0000-000000000000', IPAddress: '10.244.0.99', ...change});
      }),
      id,
    );

  it('are reported with their addresses', () => {
    expect(remote({})).toMatchObject([
      {
        outcome: 'fail',
        severity: 'warning',
        message: 'No load balancer uses 1 remote endpoints (10.244.0.99): they are leftovers of kube-proxy.',
        evidence: [{section: 'hnsEndpoints', object: expect.stringMatching(/^aaaaaaaa-/i), seen: '10.244.0.99'}],
      },
    ]);
  });

  it.each([
    ['of this node', {IsRemoteEndpoint: false}],
    ['with the source VIP', {IPAddress: '10.244.1.2'}],
    ['of a plugin', {Name: 'cbr0_ep'}],
    ['of another network', {VirtualNetwork: 'BA8FD740-E441-464E-98E9-919FA563A650'}],
  ])('are not those %s', (_, change) => {
    expect(remote(change)).toMatchObject([{outcome: 'pass'}]);
  });

  it('may be of an unknown network', () => {
    expect(remote({VirtualNetwork: undefined})).toMatchObject([{outcome: 'fail'}]);
  });

  it('are an error where they have the address of a pod that runs here, which they take its traffic from', () => {
    const [found, ...others] = remote({IPAddress: '10.244.1.6'});
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: expect.stringMatching(/\(10\.244\.1\.6 of pod apps\/worker-\S+\)/),
      evidence: [{field: 'IsRemoteEndpoint', seen: '10.244.1.6 (remote)'}],
      remedy: {
        steps: [
          expect.stringMatching(/^Get-HnsEndpoint \| Where-Object ID -eq 'aaaaaaaa-\S+' \| Remove-HnsEndpoint$/i),
          expect.anything(),
        ],
      },
    });
  });

  it.each([
    ['has ended', ({status}: Raw) => Object.assign(status, {phase: 'Succeeded'})],
    ['uses the network of its node', ({spec}: Raw) => Object.assign(spec, {hostNetwork: true})],
    ['runs elsewhere', ({spec}: Raw) => Object.assign(spec, {nodeName: 'fl-win-b'})],
  ])('are only left behind where that pod %s', (_, change) => {
    const found = onFirst(
      flannel()
        .object('Pod', /^worker/, change)
        .section('hnsEndpoints', endpoints => {
          const its = endpoints.find(({IsRemoteEndpoint}: Raw) => IsRemoteEndpoint);
          endpoints.push({...its, ID: 'AAAAAAAA-0000-0000-0000-000000000000', IPAddress: '10.244.1.6'});
        }),
      id,
    );
    expect(found.map(({severity}) => severity)).toEqual(['warning']);
  });
});

describe('load balancers that send to nothing', () => {
  it('are reported with what they refer to', () => {
    const changed = flannel().section('hnsEndpoints', endpoints => {
      endpoints.splice(
        endpoints.findIndex(({IPAddress}: Raw) => IPAddress === '10.244.2.4'),
        1,
      );
    });
    expect(onFirst(changed, 'kube-proxy/dangling-load-balancer')).toMatchObject([
      {
        severity: 'warning',
        evidence: [
          {object: expect.stringMatching(/^apps\/web:80\/tcp/), seen: ['49ebe728-aba7-4498-9558-6f10175306a4']},
        ],
      },
    ]);
  });
});

describe('Services without a load balancer', () => {
  const id = 'kube-proxy/dangling-load-balancer';
  /** Services beside the three of the case, which have load balancers. */
  const lost = (count: number, change: (service: Raw) => void = () => undefined, ready = true) => {
    const changed = flannel();
    for (let i = 0; i < count; i += 1) {
      const name = `lost-${i}`;
      const service = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {name, namespace: 'apps', labels: {}},
        spec: {type: 'ClusterIP', clusterIP: `10.96.1.${i}`, clusterIPs: [`10.96.1.${i}`], ports: [{port: 80}]},
      };
      change(service);
      changed.addObject(service).addObject({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {name, namespace: 'apps', labels: {'kubernetes.io/service-name': name}},
        endpoints: [{addresses: ['10.244.2.4'], conditions: {ready}}],
        ports: [{port: 80}],
      });
    }
    return changed;
  };
  const outcome = (changed: Scenario) => onFirst(changed, id)[0]?.outcome;

  it('are reported where they are most of them', () => {
    expect(outcome(lost(3))).toBe('pass');
    expect(onFirst(lost(4), id)).toMatchObject([
      {
        outcome: 'fail',
        message: expect.stringMatching(/apps\/lost-0.*apps\/lost-3\.$/),
        evidence: [{field: 'count', seen: 5}],
      },
    ]);
  });

  it.each([
    [
      'another program serves',
      ({metadata}: Raw) => Object.assign(metadata.labels, {'service.kubernetes.io/service-proxy-name': 'x'}),
    ],
    ['stay on their node', ({spec}: Raw) => Object.assign(spec, {internalTrafficPolicy: 'Local'})],
    ['have no address', ({spec}: Raw) => Object.assign(spec, {clusterIP: 'None', clusterIPs: ['None']})],
  ])('are not those that %s', (_, change) => {
    expect(outcome(lost(4, change))).toBe('pass');
  });

  it('are not those without pods that are ready', () => {
    expect(outcome(lost(4, undefined, false))).toBe('pass');
  });

  it('are left to other checks where there is no load balancer at all, or no kube-proxy', () => {
    const none = lost(4).section('hnsPolicyLists', lists => lists.splice(0));
    expect(onFirst(none, id).some(({message}) => /^Most Services/.test(message))).toBe(false);
    const stopped = lost(4)
      .removeObjects(({kind, metadata}) => kind === 'Pod' && /^kube-proxy/.test(metadata.name))
      .section('processes', processes => {
        processes.splice(
          processes.findIndex(({Name}: Raw) => Name === 'kube-proxy.exe'),
          1,
        );
      });
    expect(outcome(stopped)).toBe('pass');
    stopped.section('services', services => services.push({Name: 'kubeproxy', State: 'Running'}));
    expect(outcome(stopped)).toBe('fail');
  });
});

describe('the Service of the cluster DNS', () => {
  const id = 'kube-proxy/dns-load-balancer';

  it('is not another one with its port, nor one of the same name elsewhere', () => {
    const other = (namespace: string, name: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {namespace, name, labels: {}},
      spec: {clusterIP: '10.96.9.9', clusterIPs: ['10.96.9.9'], ports: [{port: 53, protocol: 'UDP'}]},
    });
    const slice = (namespace: string, name: string) => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {namespace, name: `${name}-x`, labels: {'kubernetes.io/service-name': name}},
      endpoints: [{addresses: ['10.244.0.9'], conditions: {ready: true}}],
      ports: [{port: 53}],
    });
    for (const [namespace, name] of [
      ['apps', 'dns-default'],
      ['openshift-dns', 'upstream'],
      ['kube-system', 'coredns-extra'],
    ] as const) {
      const changed = flannel();
      changed.document.cluster.objects.unshift(other(namespace, name), slice(namespace, name));
      expect([name, onFirst(changed, id)[0]?.outcome]).toEqual([name, 'pass']);
    }
    const openshift = flannel()
      .addObject(other('openshift-dns', 'dns-default'))
      .addObject(slice('openshift-dns', 'dns-default'));
    expect(onFirst(openshift, id)[0]?.message).toContain('10.96.9.9');
  });

  it('has the pods of its own namespace', () => {
    const foreign = without(({Policies}) => Policies[0].ExternalPort === 53).object(
      'EndpointSlice',
      /^kube-dns/,
      ({metadata}) => {
        metadata.namespace = 'apps';
      },
    );
    expect(onFirst(foreign, id)[0]?.outcome).toBe('info');
  });

  it('may share a load balancer with other addresses and ports', () => {
    const shared = flannel().section('hnsPolicyLists', lists => {
      lists.find(isDns(udp)).Policies[0].VIPs = ['10.96.9.9', '10.96.0.10'];
    });
    expect(onFirst(shared, id)[0]?.outcome).toBe('pass');
  });
});
