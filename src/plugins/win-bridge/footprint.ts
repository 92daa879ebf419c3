import type {Footprint} from '../../model/footprint.js';
import {noFootprint} from '../shared/footprint.js';

export const winBridgeFootprint: Footprint = {
  ...noFootprint,
  hostEndpoints: ['cbr0'],
};
