import {handMade} from '../../repair/hand-made.js';

export const wincniCleanup = handMade({routed: true});
