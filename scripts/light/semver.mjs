// The parts of semver that the program uses: its index loads ranges and all that goes with them.
export {default as coerce} from 'semver/functions/coerce.js';
export {default as gte} from 'semver/functions/gte.js';
export {default as lt} from 'semver/functions/lt.js';
