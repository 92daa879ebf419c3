// The parts that are mutated together, and their tests: fast tests that start no process, of the same area and of all
// checks together.
const everyCheck = ['test/checks/cases.test.ts', 'test/diagnose/references.test.ts'];
const acrossAreas = 'test/checks/{harm,lasting}.test.ts';
const everyRepair = [
  'test/repair/{boot,node,plan,steps}/**/*.test.ts',
  'test/repair/cordon.test.ts',
  'test/plugins/*/cleanup.test.ts',
  'test/diagnose/fixes.test.ts',
];
const area = (name, ...tests) => ({
  name: `checks/${name}`,
  mutate: `src/checks/${name}/**/*.ts`,
  tests: [`test/checks/${name}/**/*.test.ts`, ...tests, ...everyCheck],
});

/** Checks and cleanups of single plugins. What a footprint lists is data; tunnel settings are no part of either. */
const ofPlugins = (name, folders) => ({
  name: `plugins/${name}`,
  mutate: `src/plugins/${folders}/!(footprint|tunnel-setting).ts`,
  tests: [
    `test/plugins/${folders}/*.test.ts`,
    'test/plugins/detection.test.ts',
    'test/checks/{cni,tunnel}/*.test.ts',
    ...everyCheck,
  ],
});

export const parts = [
  {
    name: 'wire',
    mutate: 'src/helper/{wire,line-splitter,answer-reader,protocol}.ts',
    tests: ['test/helper-client/answer-reader.test.ts'],
  },
  {name: 'repair/steps', mutate: 'src/repair/steps/*.ts', tests: everyRepair},
  {name: 'repair/plan', mutate: 'src/repair/plan/*.ts', tests: everyRepair},
  {name: 'repair/boot, node', mutate: 'src/repair/{boot,node}/*.ts', tests: everyRepair},
  area('hns', 'test/checks/cni/host-endpoint.test.ts', acrossAreas),
  area('ovs', 'test/plugins/{antrea,kube-ovn}/*.test.ts', acrossAreas),
  area('net', 'test/checks/cni/peer-routes.test.ts'),
  area('cni', 'test/plugins/{azure/azure,calico/calico,win-bridge/by-hand}.test.ts'),
  area('kube-proxy', 'test/plugins/ovn-kubernetes/healthy.test.ts'),
  area('tunnel', 'test/plugins/{calico/bgp,flannel/flannel,ovn-kubernetes/healthy}.test.ts'),
  area('platform', 'test/checks/ovs/platform.test.ts', acrossAreas),
  area('cluster'),
  area('plans'),
  area('logs'),
  {
    name: 'checks/prerequisites',
    mutate: 'src/checks/prerequisites/*.ts',
    tests: ['test/services/preflight/{prerequisites,shared-prerequisites,diagnose}.test.ts'],
  },
  {
    name: 'checks, shared',
    mutate: 'src/checks/*.ts',
    tests: [
      'test/checks/{shared,hns,ovs,tunnel}/*.test.ts',
      'test/checks/cni/recognised.test.ts',
      acrossAreas,
      ...everyCheck,
    ],
  },
  ofPlugins('antrea', 'antrea'),
  ofPlugins('kube-ovn', 'kube-ovn'),
  ofPlugins('flannel', 'flannel'),
  ofPlugins('calico', 'calico'),
  ofPlugins('azure', 'azure'),
  ofPlugins('ovn-kubernetes', 'ovn-kubernetes'),
  ofPlugins('others', '{aws-vpc,shared,win-bridge,win-overlay,wincni}'),
];
