import type {Config} from '@oclif/core/interfaces';
import packageJson from '../../package.json' with {type: 'json'};

type Hook = (options: object) => Promise<unknown>;

/** What runs at oclif's events, by their names: `prerun`, `preparse` and `postrun`. */
export type Hooks = Readonly<Record<string, readonly Hook[]>>;

/**
 * What oclif's commands ask of their configuration. oclif's own reads the package, its plugins and every command before
 * one of them can run; here commands are known when the program is built.
 */
export function minimalConfig(hooks: Hooks = {}): Config {
  const scoped = (key: string) => `KUBECTL_WIN_${key}`;
  const config: Partial<Config> = {
    name: packageJson.name,
    bin: 'kubectl win',
    version: packageJson.version,
    userAgent: `${packageJson.name}/${packageJson.version}`,
    // A command is found by its words before oclif sees them.
    topicSeparator: ':',
    scopedEnvVar: key => process.env[scoped(key)],
    scopedEnvVarKey: scoped,
    scopedEnvVarKeys: key => [scoped(key)],
    scopedEnvVarTrue: key => ['1', 'true'].includes(process.env[scoped(key)] ?? ''),
    runHook: async (event, options) => {
      for (const hook of hooks[event as string] ?? []) await hook({...options, config});
      return {successes: [], failures: []};
    },
  };
  return config as Config;
}
