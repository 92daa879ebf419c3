import {antrea} from './antrea/index.js';
import {flannel} from './flannel/index.js';
import type {Plugin} from './plugin.js';

/** Every plugin that a Windows node can run. */
export const plugins: readonly Plugin[] = [antrea, flannel];
