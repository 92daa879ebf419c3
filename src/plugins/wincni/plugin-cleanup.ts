import {manuallyBuilt} from '../../repair/plan/built-manually.js';

export const wincniCleanup = manuallyBuilt({routed: true});
