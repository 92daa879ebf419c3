import {describe, expect, test} from 'vitest';
import {renderPlan} from '../../../src/view/text/plan.js';
import {but} from '../../repair/scenes.js';
import {failing, patient} from '../../repair/support.js';

const plan = () => patient('01-antrea-healthy').plan({level: 'hard', force: true}, [failing('hns/subnet')]);

describe('a plan as text', () => {
  test('has one row per step, with its place, whether it interrupts the network, and its undo', () => {
    const text = renderPlan(plan(), {colour: false});
    expect(text).toMatch(/^#\s+WHERE\s+CUTS\s+CHANGES\s+UNDO$/m);
    expect(text).toMatch(/^1\s+client\s+-\s+Cordons winapp-01\.\s+Uncordons it\.$/m);
    expect(text).toMatch(/^6\s+node\s+yes\s+Removes switch antrea-hnsnetwork\.\s+none$/m);
    expect(text).toContain('! Pod shop/storefront-s949w5skg-hg6j7 loses its network during the repair.');
    expect(text).toContain('Otherwise the node rolls the plan back.');
  });

  test('fits the terminal', () => {
    for (const width of [48, 60, 72, 80, 100, 160])
      for (const line of renderPlan(plan(), {colour: false, width}).split('\n'))
        expect(line.length, line).toBeLessThanOrEqual(width);
  });

  test('is a list in a narrow terminal', () => {
    const text = renderPlan(plan(), {colour: false, width: 48});
    expect(text).not.toContain('WHERE');
    expect(text).toContain(`1   client: Cordons winapp-01.
    No new pods are scheduled here during the
      repair.
    undo: Uncordons it.
`);
    expect(text).toMatch(/^6 {3}node, cuts: Removes switch\n {4}antrea-hnsnetwork\.$/m);
  });

  test('explains in full what must hold before and after each step, if requested', () => {
    const text = renderPlan(plan(), {colour: false, verbose: true});
    expect(text).toContain('before: It has this id and name, and no attached endpoint that the plan does not name.');
    expect(text).toContain('after: HNS has no network with this id.');
  });

  test('has colours only if requested', () => {
    const sequence = '\u001b[';
    expect(renderPlan(plan(), {colour: false})).not.toContain(sequence);
    expect(renderPlan(plan(), {colour: true})).toContain(`${sequence}31myes`);
  });

  test('passes no control sequence of a node to the terminal', () => {
    const evil = '\u001b[2Jname\u202e';
    const scene = but(patient('01-antrea-healthy'), node => {
      for (const row of node.sections.hnsEndpoints) row.State = 4;
      node.sections.hnsEndpoints.push({
        ...node.sections.hnsEndpoints[0],
        ID: '77777777-3333-4444-5555-666666666666',
        Name: evil,
        IPAddress: '10.124.1.77',
        CreateProcessingStartTime: 134100000000000000,
      });
    });
    const text = renderPlan(scene.plan({}, [failing('hns/leaked-endpoints')]), {colour: false});
    expect(text).toContain('Endpoint name belongs to no pod');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});
