import {describe, expect, it} from 'vitest';
import {healthy, scenario} from '../../checks/support.js';

const resolves = 'tunnel/annotation-resolves';
const matches = 'tunnel/annotation-matches-uplink';

const annotated = (value: string | undefined) =>
  healthy('04-kube-ovn-healthy').object('Node', 'kovn-win-1', ({metadata}) => {
    if (value === undefined) delete metadata.annotations['ovn.kubernetes.io/tunnel_interface'];
    else metadata.annotations['ovn.kubernetes.io/tunnel_interface'] = value;
  });

describe(resolves, () => {
  it('finds an annotation that names no adapter, and offers the one in use', () => {
    const [finding] = scenario('05-kube-ovn-annotation-no-adapter').verdicts(resolves);
    expect(finding).toMatchObject({
      outcome: 'fail',
      remedy: {kind: 'command', command: 'kubectl win annotate-tunnel sdn-win-2 Ethernet --overwrite'},
    });
    expect(finding?.message).toContain('Ethernet2');
  });

  it('finds a name that matches several adapters as a pattern, and lists them', () => {
    expect(annotated('Ethernet').failures(resolves)).toEqual([expect.stringContaining('Ethernet0, Ethernet1')]);
  });

  it('does not count the adapters of pods, which the daemon cannot see', () => {
    expect(annotated('thernet1').outcomes(resolves)).toEqual(['pass']);
    expect(annotated('vEthernet .21ede65f4220').outcomes(resolves)).toEqual(['fail']);
  });

  it('treats a list as alternatives, as the daemon does', () => {
    expect(annotated('eth9,Ethernet1').outcomes(resolves)).toEqual(['pass']);
    expect(annotated('Ethernet0,Ethernet1').outcomes(resolves)).toEqual(['fail']);
  });

  it('is case-sensitive, as the daemon is, and suggests the adapter', () => {
    const [finding] = annotated('ethernet1').verdicts(resolves);
    expect(finding?.message).toContain('the adapter is Ethernet1');
    expect(finding?.remedy).toMatchObject({command: 'kubectl win annotate-tunnel kovn-win-1 Ethernet1 --overwrite'});
  });

  it('finds a value that is neither a name nor a regular expression', () => {
    expect(annotated('Ethernet[').failures(resolves)).toEqual([
      expect.stringContaining('not a valid regular expression'),
    ]);
  });

  it('does not run an expression that could take forever', () => {
    expect(annotated('(E+)+$').outcomes(resolves)).toEqual(['unknown']);
    expect(annotated('.*.*.*x').outcomes(resolves)).toEqual(['unknown']);
    expect(annotated('(a|a)(a|a)(a|a)(a|a)').outcomes(resolves)).toEqual(['unknown']);
  });

  it('tries groups and alternatives, which cannot', () => {
    expect(annotated('^(Ethernet1|Ethernet7)$').outcomes(resolves)).toEqual(['pass']);
    expect(annotated('^Ethernet(?:1|7)$').outcomes(resolves)).toEqual(['pass']);
    expect(annotated('^(Ethernet0|Ethernet1)$').outcomes(resolves)).toEqual(['fail']);
  });

  it('does not mistake what Go reads in another way for a pattern of JavaScript', () => {
    for (const value of ['(?i)ethernet1', '[[:alpha:]]+1', '\\AEthernet1\\z'])
      expect(annotated(value).outcomes(resolves), value).toEqual(['unknown']);
  });

  it('accepts a missing annotation, an exact name, and a pattern with one match', () => {
    expect(annotated(undefined).outcomes(resolves)).toEqual(['pass']);
    expect(annotated('br-provider').outcomes(resolves)).toEqual(['pass']);
    expect(annotated('^Ethernet[1-9]$').outcomes(resolves)).toEqual(['pass']);
  });

  it('does not apply to other plugins', () => {
    expect(healthy('01-antrea-healthy').outcomes(resolves)).toEqual(['skipped']);
  });
});

describe(matches, () => {
  it('finds an annotation for a different NIC than that of the network, and offers both solutions', () => {
    const [finding] = annotated('Ethernet0').verdicts(matches);
    expect(finding).toMatchObject({outcome: 'fail', remedy: {kind: 'manual', cutsNetwork: true}});
    expect(finding?.message).toContain('uses Ethernet1');
    expect(finding?.remedy).toMatchObject({
      steps: [
        expect.stringContaining('kubectl win annotate-tunnel kovn-win-1 Ethernet1 --overwrite'),
        expect.stringContaining('kubectl win cleanup kovn-win-1 --level=hard'),
      ],
    });
  });

  it('accepts the uplink, its bridge, and a missing annotation', () => {
    expect(annotated('Ethernet1').outcomes(matches)).toEqual(['pass']);
    expect(annotated('br-provider').outcomes(matches)).toEqual(['pass']);
    expect(annotated(undefined).outcomes(matches)).toEqual(['pass']);
  });

  it('leaves a value that names no adapter to the other check', () => {
    expect(scenario('05-kube-ovn-annotation-no-adapter').outcomes(matches)).toEqual(['skipped']);
  });

  it('does not compare before there is a network', () => {
    const early = annotated('Ethernet0').section('hnsNetworks', networks => networks.splice(0));
    expect(early.outcomes(matches)).toEqual(['skipped']);
  });
});
