import type {Footprint} from '../../model/footprint.js';
import {noFootprint} from '../shared/footprint.js';

export const wincniFootprint: Footprint = {
  ...noFootprint,
  hostEndpoints: ['cbr0'],
  logs: ['C:\\Windows\\System32\\wincni.log'],
};
