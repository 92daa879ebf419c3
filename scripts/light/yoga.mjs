// yoga-layout loads its WebAssembly with top-level await, which a chunk cannot use. The code that imports a chunk
// waits for it. Its constants are plain numbers: Ink reads them while it loads, so they are available immediately.
import {loadYoga} from 'yoga-layout/load';
import constants from '../../node_modules/yoga-layout/dist/src/generated/YGEnums.js';

const yoga = {...constants};

waitFor(loadYoga().then(loaded => Object.assign(yoga, loaded)));

export default yoga;
