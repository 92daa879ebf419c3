import type {Footprint} from '../../model/footprint.js';
import {noFootprint} from '../shared/footprint.js';

export const awsVpcFootprint: Footprint = {
  ...noFootprint,
  linuxAgents: ['aws-node'],
  processes: ['aws-vpc-cni'],
};
