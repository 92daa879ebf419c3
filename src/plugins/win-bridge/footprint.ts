import type {Footprint} from '../../model/footprint.js';
import {noFootprint} from '../shared/footprint-parts.js';

export const winBridgeFootprint: Footprint = {
  ...noFootprint,
  linuxPartners: 'any',
  hostEndpoints: ['cbr0'],
};
