import {handMade} from '../../repair/plan/hand-made.js';

export const wincniCleanup = handMade({routed: true});
