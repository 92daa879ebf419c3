import {handMade} from '../../repair/hand-made.js';

export const winOverlayCleanup = handMade({selfMaking: 'sdnoverlay', routed: false});
