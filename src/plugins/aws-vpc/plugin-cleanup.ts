import {type Cleanup, refusal} from '../../model/plugin-cleanup.js';

const untouched = refusal(
  'The network of the AWS VPC CNI is set up by EKS itself, and kubectl win does not change it.',
  {
    next: 'Drain the node and replace it: EKS sets a new one up.',
  },
);

export const awsVpcCleanup: Cleanup = {
  builder: () => 'person',
  leaveAlone: () => untouched,
  draft: () => untouched,
};
