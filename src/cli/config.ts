import type {Config} from '@oclif/core/interfaces';
import packageJson from '../../package.json' with {type: 'json'};

type Hook = (options: object) => Promise<unknown>;

/** Hooks by oclif event: `prerun`, `preparse` and `postrun`. */
export type Hooks = Readonly<Record<string, readonly Hook[]>>;

/**
 * The configuration that oclif's commands require. oclif's own configuration reads the package, its plugins and every
 * command at startup; here the commands are known at build time.
 */
export function minimalConfig(hooks: Hooks = {}): Config {
  const scoped = (key: string) => `KUBECTL_WIN_${key}`;
  const config: Partial<Config> = {
    name: packageJson.name,
    bin: 'kubectl win',
    version: packageJson.version,
    userAgent: `${packageJson.name}/${packageJson.version}`,
    // Commands are resolved by name before oclif sees the arguments.
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
