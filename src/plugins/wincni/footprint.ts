import type {Footprint} from '../../model/footprint.js';
import {noFootprint} from '../shared/footprint-parts.js';

export const wincniFootprint: Footprint = {
  ...noFootprint,
  linuxPartners: 'any',
  hostEndpoints: ['cbr0'],
  logs: ['C:\\Windows\\System32\\wincni.log'],
};
