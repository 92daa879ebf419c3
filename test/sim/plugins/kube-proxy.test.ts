import {describe, expect, it} from 'vitest';
import {rows, setRows} from '../../../src/sim/node/state.js';
import {Lab} from './support.js';

describe('kube-proxy', () => {
  it.each(['flannel-overlay', 'flannel-hostgw', 'calico', 'azure', 'win-bridge'])(
    'of %s recreates its previous load balancers when it starts, whatever existed',
    scenario => {
      const lab = new Lab(scenario);
      const [node = ''] = lab.others;
      const state = lab.state(node);
      const told = () =>
        rows(state, 'hnsPolicyLists')
          .flatMap(({Policies}) => Policies as object[])
          .map(policy => JSON.stringify(policy))
          .sort();
      const before = told();
      const remote = rows(state, 'hnsEndpoints').length;
      setRows(state, 'hnsPolicyLists', [
        {ID: 'left', References: ['/endpoints/gone'], Policies: [{VIPs: ['1.2.3.4']}]},
      ]);
      expect(lab.startKubeProxy(node)).toEqual({ready: true});
      expect(told()).toEqual(before);
      expect(rows(state, 'hnsEndpoints')).toHaveLength(remote);
      lab.wait();
      expect(lab.problems()).toEqual([]);
    },
  );
});
