// yoga-layout awaits its WebAssembly at its top level, which a chunk of the bundle cannot. What imports a chunk waits for it.
// Its constants are plain numbers: Ink reads them while it loads, so they are available immediately.
import {loadYoga} from 'yoga-layout/load';
import constants from '../../node_modules/yoga-layout/dist/src/generated/YGEnums.js';

const yoga = {...constants};

waitFor(loadYoga().then(loaded => Object.assign(yoga, loaded)));

export default yoga;
