import type {Footprint} from '../../model/footprint.js';
import {noFootprint} from '../shared/footprint-parts.js';

export const awsVpcFootprint: Footprint = {
  ...noFootprint,
  linuxPartners: 'any',
  linuxAgents: ['aws-node'],
  processes: ['aws-vpc-cni'],
};
