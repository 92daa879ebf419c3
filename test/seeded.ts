import fc from 'fast-check';

// A test fails because of a change, not because of a random value: every run has the same values,
// others with KUBECTL_WIN_SEED=<number> or KUBECTL_WIN_SEED=random. A failure prints its seed.
const given = process.env.KUBECTL_WIN_SEED;
if (given !== 'random') fc.configureGlobal({...fc.readConfigureGlobal(), seed: Number(given ?? 20_261_118)});

export default fc;
