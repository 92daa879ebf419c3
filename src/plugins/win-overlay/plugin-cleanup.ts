import {manuallyBuilt} from '../../repair/plan/built-manually.js';

export const winOverlayCleanup = manuallyBuilt({selfMaking: 'sdnoverlay', routed: false});
