import * as Flags from '@oclif/core/flags';
import {parseByteSize} from '../lib/byte-size.js';
import {parseDuration} from '../lib/duration.js';
import {WinError} from '../lib/errors.js';
import {type Format, isJsonPath, type NamedFormat} from '../view/view.js';

/** A duration in kubectl's format: `30s`, `5m`, `1h30m`, or a number of seconds. In milliseconds. */
export const duration = Flags.custom<number>({
  helpValue: '<duration>',
  parse: async (input, _context, options) => parseDuration(input, `--${options.name}`),
});

/** A size in bytes, as a number or a Kubernetes quantity. */
export const byteSize = Flags.custom<number, {least: number; most: number}>({
  helpValue: '<bytes>',
  parse: async (input, _context, {name, least, most}) => parseByteSize(input, `--${name}`, {least, most}),
});

/** `-o`. The error for an unknown format has kubectl's wording. */
export function outputFlag(formats: readonly NamedFormat[], summary: string) {
  // JSON output also supports jsonpath.
  const all = formats.includes('json') ? [...formats, 'jsonpath=TEMPLATE'] : formats;
  return Flags.custom<Format>({
    char: 'o',
    summary,
    helpValue: `(${all.join('|')})`,
    parse: async input => {
      const found = formats.find(format => format === input);
      if (found) return found;
      if (formats.includes('json') && isJsonPath(input)) return input;
      throw new WinError(
        `unable to match a printer suitable for the output format "${input}", allowed formats are: ${all.join(', ')}.`,
      );
    },
  })();
}

/** kubectl's flags for the cluster and the user. */
export const clusterFlags = {
  kubeconfig: Flags.string({summary: 'Path to the kubeconfig file', helpGroup: 'Cluster', helpValue: '<file>'}),
  context: Flags.string({summary: 'Kubeconfig context to use', helpGroup: 'Cluster', helpValue: '<name>'}),
  cluster: Flags.string({summary: 'Kubeconfig cluster to use', helpGroup: 'Cluster', helpValue: '<name>'}),
  user: Flags.string({summary: 'Kubeconfig user to use', helpGroup: 'Cluster', helpValue: '<name>'}),
  namespace: Flags.string({
    char: 'n',
    summary: 'Accepted for kubectl compatibility; ignored (nodes are cluster-scoped)',
    helpGroup: 'Cluster',
    helpValue: '<name>',
  }),
  server: Flags.string({
    char: 's',
    summary: 'Address and port of the API server',
    helpGroup: 'Cluster',
    helpValue: '<url>',
  }),
  token: Flags.string({
    summary: 'Bearer token for authentication to the API server',
    helpGroup: 'Cluster',
    helpValue: '<token>',
  }),
  'certificate-authority': Flags.string({
    summary: 'Certificate authority file of the API server',
    helpGroup: 'Cluster',
    helpValue: '<file>',
  }),
  'client-certificate': Flags.string({
    summary: 'Client certificate file for TLS',
    helpGroup: 'Cluster',
    helpValue: '<file>',
  }),
  'client-key': Flags.string({
    summary: 'Client key file for TLS',
    helpGroup: 'Cluster',
    helpValue: '<file>',
  }),
  'tls-server-name': Flags.string({
    summary: 'Server name to validate the certificate of the API server against',
    helpGroup: 'Cluster',
    helpValue: '<name>',
  }),
  'as-uid': Flags.string({summary: 'UID to impersonate', helpGroup: 'Cluster', helpValue: '<uid>'}),
  as: Flags.string({summary: 'User to impersonate', helpGroup: 'Cluster', helpValue: '<user>'}),
  'as-group': Flags.string({
    summary: 'Group to impersonate; repeat the flag for several groups',
    helpGroup: 'Cluster',
    helpValue: '<group>',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'request-timeout': Flags.string({
    summary: 'Timeout for a single request to the API server; 0 means no timeout',
    helpGroup: 'Cluster',
    helpValue: '<duration>',
  }),
  'insecure-skip-tls-verify': Flags.boolean({
    summary: 'Do not verify the certificate of the API server',
    helpGroup: 'Cluster',
  }),
};

/** Node selection. */
export const nodeFlags = {
  selector: Flags.string({
    char: 'l',
    summary: 'Label selector for Windows nodes',
    helpGroup: 'Node',
    helpValue: '<selector>',
  }),
  all: Flags.boolean({summary: 'All Windows nodes (the default)', helpGroup: 'Node'}),
};

/** Options of helper pods. */
export const helperFlags = {
  'helper-namespace': Flags.string({
    summary: 'Namespace for helper pods; the default namespace is created on demand',
    helpGroup: 'Helper',
    helpValue: '<name>',
  }),
  'helper-image': Flags.string({
    summary: 'Image for helper pods; "auto" uses an image that the node already has',
    helpGroup: 'Helper',
    helpValue: '<image>',
  }),
  'helper-timeout': duration({
    summary: 'How long to wait for a helper pod to start',
    helpGroup: 'Helper',
    default: 5 * 60_000,
    defaultHelp: async () => '5m',
  }),
  concurrency: Flags.integer({
    summary: 'Maximum nodes inspected in parallel (default all, at most 64)',
    helpGroup: 'Helper',
    min: 1,
    max: 500,
  }),
};

export const generalFlags = {
  verbose: Flags.boolean({char: 'v', summary: 'Verbose output: stack traces and unexpected helper output'}),
};

/** The flags of commands that read nodes through helpers, except `--timeout` and their own flags. */
export const inspectFlags = {...nodeFlags, ...helperFlags, ...clusterFlags, ...generalFlags};

export const timeoutFlag = (minutes: number) =>
  duration({
    summary: 'Timeout for the whole command',
    default: minutes * 60_000,
    defaultHelp: async () => `${minutes}m`,
  });

/** What to replace in addition to secrets, which are always removed. */
export const redactFlag = () =>
  Flags.option({options: ['ips', 'names'] as const, multiple: true, delimiter: ','})({
    summary: 'Also replace addresses (ips) and names, consistently',
  });
