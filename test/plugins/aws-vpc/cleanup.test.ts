import {expect, test} from 'vitest';
import {awsVpc} from '../../repair/scenes.js';
import {failing} from '../../repair/support.js';

test('the network of EKS is left alone, with or without force', () => {
  for (const force of [false, true])
    expect(awsVpc().reasons({force}, [failing('kube-proxy/dns-load-balancer')])).toEqual([
      expect.stringContaining('AWS VPC CNI'),
    ]);
});
