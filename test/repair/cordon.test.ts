import {describe, expect, test} from 'vitest';
import {failing, order, type Patient, patient} from './support.js';

const earlier = '5b0f6c3e-2a51-4d8f-8a8b-0c8d4c1f7e21';

/** A node that a plan cordoned; without a plan: that the user cordoned. */
function cordoned(plan?: string): Patient {
  const scene = patient('01-antrea-healthy');
  scene.scenario.object('Node', 'winapp-01', object => {
    object.spec.unschedulable = true;
    if (plan !== undefined)
      object.metadata.annotations = {...object.metadata.annotations, 'kubectl-win/cordoned-by': plan};
  });
  return scene;
}

describe('a node that an earlier run left cordoned', () => {
  test('is not cordoned again, and is uncordoned at the end of the next plan, which says why', () => {
    const plan = cordoned(earlier).plan({level: 'hard', force: true}, []);
    const cordons = order(plan).filter(step => step.includes('cordon'));
    expect(cordons).toEqual(['node.uncordon winapp-01']);
    expect(plan.after.at(-1)).toMatchObject({do: 'node.uncordon', why: `Plan ${earlier} left it cordoned.`});
  });

  test('is also uncordoned by a plan that would not have cordoned it', () => {
    const plan = cordoned(earlier).plan({}, [failing('ovs/gateway-port')]);
    expect(plan.before).toEqual([]);
    expect(plan.after.at(-1)).toMatchObject({do: 'node.uncordon'});
  });

  test('and that is healthy gets a plan with only that step', () => {
    const plan = cordoned(earlier).plan({}, [failing('cni/antrea-boot-hook', {severity: 'warning'})]);
    expect(order(plan)).toEqual(['node.uncordon winapp-01']);
    expect(plan).toMatchObject({title: 'Antrea on winapp-01: allow scheduling again', repairs: [], level: 'soft'});
  });

  test('stays cordoned while it needs manual action', () => {
    const outcome = cordoned(earlier).outcome({}, [failing('platform/hotfix')]);
    expect(outcome).toMatchObject({kind: 'nothing', why: expect.stringContaining(`still cordoned by plan ${earlier}`)});
  });
});

test('a healthy node that the user cordoned is left alone', () => {
  expect(cordoned().outcome()).toMatchObject({kind: 'nothing', why: expect.not.stringContaining('cordoned')});
});
