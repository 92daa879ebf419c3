// yoga-layout awaits its WebAssembly at its top level, which a chunk of the bundle cannot. What imports a chunk waits for it.
import {loadYoga} from 'yoga-layout/load';

const yoga = {};

waitFor(loadYoga().then(loaded => Object.assign(yoga, loaded)));

export default yoga;
