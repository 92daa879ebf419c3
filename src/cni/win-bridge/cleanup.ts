import {handMade} from '../../repair/hand-made.js';

export const winBridgeCleanup = handMade({selfMaking: 'sdnbridge', routed: true});
