import fc from 'fast-check';

// A change fails for what it changes, not for a value that happened to come up today: the same values in every run,
// others with KUBECTL_WIN_SEED=<number> or KUBECTL_WIN_SEED=random. A failure prints its seed.
const given = process.env.KUBECTL_WIN_SEED;
if (given !== 'random') fc.configureGlobal({...fc.readConfigureGlobal(), seed: Number(given ?? 20_261_118)});

export default fc;
