import {describe, expect, it} from 'vitest';
import {caseNames, expectation} from '../checks/support.js';
import {clusterSide, detected, nodeSide} from './support.js';

describe.each(caseNames)('%s', name => {
  const {cni, variant} = expectation(name);
  // Nothing in a cluster shows plugins that an administrator installed on the nodes manually.
  const toldByCluster = cni !== 'win-bridge';

  it(`is recognised as ${toldByCluster ? cni : 'unknown'} from the cluster alone`, () => {
    const detection = detected(clusterSide(name));
    expect(detection.name).toBe(toldByCluster ? cni : 'unknown');
    if (variant !== undefined) expect(detection.variant).toBe(variant);
  });

  it(`is recognised as ${cni} from the node alone`, () => {
    const detection = detected(nodeSide(name));
    expect(detection.name).toBe(cni);
    if (variant !== undefined && cni !== 'antrea') expect(detection.variant).toBe(variant);
  });
});
