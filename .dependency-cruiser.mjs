/**
 * Which folder of src may import which: only the named folders, all of which are above it in this table. So cycles
 * between folders are impossible, and a new dependency is visible in a review.
 */
const mayImport = {
  lib: [],
  snapshot: ['lib'],
  model: ['snapshot', 'lib'],
  kube: ['lib'],
  helper: ['kube', 'model', 'lib'],
  checks: ['model', 'snapshot', 'lib'],
  repair: ['checks', 'model', 'snapshot', 'lib'],
  plugins: ['repair', 'checks', 'model', 'snapshot', 'lib'],
  diagnose: ['plugins', 'checks', 'model', 'snapshot', 'lib'],
  session: ['plugins', 'helper', 'kube', 'model', 'snapshot', 'lib'],
  services: ['session', 'diagnose', 'plugins', 'repair', 'checks', 'helper', 'kube', 'model', 'snapshot', 'lib'],
  view: ['services', 'session', 'diagnose', 'repair', 'helper', 'model', 'snapshot', 'lib'],
  cli: ['view', 'services', 'session', 'kube', 'model', 'lib'],
  sim: ['helper', 'model', 'snapshot', 'lib'],
  commands: ['cli', 'view', 'services', 'session', 'diagnose', 'helper', 'kube', 'model', 'lib'],
};

const folders = Object.keys(mayImport);
for (const [folder, others] of Object.entries(mayImport)) {
  const later = others.find(other => folders.indexOf(other) >= folders.indexOf(folder));
  if (later) throw new Error(`${folder} may not import ${later}, which is below it in the table`);
}

const inFolder = names => `^src/(${names.join('|')})/`;

/** @satisfies {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...folders.map(folder => ({
      name: `${folder}-imports`,
      comment: `src/${folder} may import ${mayImport[folder].join(', ') || 'nothing'}. See .dependency-cruiser.mjs.`,
      severity: /** @type {const} */ ('error'),
      // Only the demo uses the simulated cluster.
      from: {path: inFolder([folder]), ...(folder === 'commands' && {pathNot: '^src/commands/demo'})},
      to: {path: '^src/', pathNot: inFolder([folder, ...mayImport[folder]])},
    })),
    {
      name: 'no-plugin-by-name',
      comment: 'Code for one plugin belongs in its folder; other code uses the objects that src/plugins/all.ts lists.',
      severity: /** @type {const} */ ('error'),
      from: {path: '^src/', pathNot: '^src/plugins/'},
      to: {path: '^src/plugins/[^/]+/', pathNot: '^src/plugins/shared/'},
    },
    {
      name: 'no-loose-files',
      comment: 'All files except the entry point and the types of text modules belong in a folder of the table.',
      severity: /** @type {const} */ ('error'),
      from: {path: '^src/', pathNot: [inFolder(folders), '^src/(main\\.ts|text-modules\\.d\\.ts)$']},
      to: {},
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    includeOnly: '^src/',
    enhancedResolveOptions: {extensions: ['.ts', '.tsx', '.js']},
  },
};
