import {handMade} from '../../repair/plan/hand-made.js';

export const winBridgeCleanup = handMade({selfMaking: 'sdnbridge', routed: true});
