import {handMade} from '../../repair/plan/hand-made.js';

export const winOverlayCleanup = handMade({selfMaking: 'sdnoverlay', routed: false});
