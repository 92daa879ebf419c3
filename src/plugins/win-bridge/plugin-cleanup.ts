import {manuallyBuilt} from '../../repair/plan/built-manually.js';

export const winBridgeCleanup = manuallyBuilt({selfMaking: 'sdnbridge', routed: true});
