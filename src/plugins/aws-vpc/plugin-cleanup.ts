import {type Cleanup, refusal} from '../../model/plugin-cleanup.js';

const untouched = refusal('EKS sets up the network of the AWS VPC CNI, and kubectl win does not change it.', {
  next: 'Drain the node and replace it: EKS sets up a new one.',
});

export const awsVpcCleanup: Cleanup = {
  builder: () => 'person',
  leaveAlone: () => untouched,
  draft: () => untouched,
};
