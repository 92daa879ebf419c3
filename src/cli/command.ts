import type * as Interfaces from '@oclif/core/interfaces';
import * as Parser from '@oclif/core/parser';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {interruptionOf, onInterrupt} from '../lib/interrupt.js';
import {processStreams, type Streams, talk, wantsColour} from '../lib/streams.js';
import type {InspectOptions} from '../session/inspection.js';
import type {clusterFlags, inspectFlags} from './flags.js';

type InspectFlags = Interfaces.InferredFlags<typeof inspectFlags>;
type ClusterFlags = Interfaces.InferredFlags<typeof clusterFlags>;

export interface Example {
  readonly description: string;
  /** One command a line. */
  readonly command: string;
}

/**
 * What every command has in common: flags, streams, interruption, and how it ends.
 * Not oclif's own class, which loads the whole of oclif before a command can start.
 */
export abstract class WinCommand {
  static readonly summary: string = '';
  static readonly description: string = '';
  static readonly examples: readonly Example[] = [];
  /** Where the arguments alone do not tell how it is written. */
  static readonly usage: string | readonly string[] | undefined = undefined;
  /** False where it takes any number of arguments. */
  static readonly strict: boolean = true;
  static readonly args: Interfaces.ArgInput = {};
  static readonly flags: Interfaces.FlagInput = {};

  protected readonly streams: Streams = processStreams;

  constructor(protected readonly argv: readonly string[]) {}

  abstract run(): Promise<void>;

  protected parse<
    Flags extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    Args extends Interfaces.OutputArgs<Interfaces.ArgInput>,
  >(
    command: Interfaces.Input<Flags, object, Args>,
    argv = this.argv,
  ): Promise<Interfaces.ParserOutput<Flags, object, Args>> {
    return Parser.parse([...argv], {...command, args: withoutStandardInput(command.args)});
  }

  /** Runs the body with a signal that Ctrl-C, SIGTERM and `--timeout` abort. */
  protected async interruptible<T>(body: (signal: AbortSignal) => Promise<T>, timeout?: number): Promise<T> {
    const {signal, dispose} = onInterrupt(text => this.say(text));
    const limit = timeout ? AbortSignal.timeout(timeout) : undefined;
    try {
      return await body(limit ? AbortSignal.any([signal, limit]) : signal);
    } catch (error) {
      if (signal.aborted) throw interruptionOf(error, signal);
      if (limit?.aborted) {
        throw new WinError(`not done within --timeout (${Math.round((timeout ?? 0) / 1000)} s).`, {
          exit: ExitCode.uninspected,
          next: ['Give it more time with --timeout, or fewer nodes.'],
          cause: error,
        });
      }
      throw error;
    } finally {
      dispose();
    }
  }

  /** Data. */
  protected print(text: string): void {
    this.streams.out.write(text);
  }

  /** Talk. */
  protected say(text: string): void {
    talk(this.streams, text);
  }

  protected get textOptions(): {colour: boolean; width: number | undefined} {
    const out = this.streams.out as NodeJS.WriteStream;
    return {
      colour: wantsColour(out, this.streams.env),
      width: out.isTTY ? Math.max(40, Math.min(out.columns ?? 80, 140)) : undefined,
    };
  }
}

/** oclif takes what is piped in for an argument that is missing: a loop would lose its list, and a node be taken from a pipe. */
function withoutStandardInput<Args extends Interfaces.OutputArgs<Interfaces.ArgInput>>(
  args: Interfaces.ArgInput<Args> | undefined,
): Interfaces.ArgInput<Args> {
  const entries = Object.entries<Interfaces.ArgInput[string]>(args ?? {});
  return Object.fromEntries(
    entries.map(([name, arg]) => [name, {...arg, ignoreStdin: true}]),
  ) as Interfaces.ArgInput<Args>;
}

/** A command that can be made. */
export type CommandClass = Omit<typeof WinCommand, 'prototype'> & (new (argv: readonly string[]) => WinCommand);

/** kubectl's flags as the cluster side takes them. */
export function connectionOf(flags: ClusterFlags): ConnectionFlags {
  const {kubeconfig, context, cluster, user, namespace, server, token, as} = flags;
  return {
    ...{kubeconfig, context, cluster, user, namespace, server, token, as},
    asGroup: flags['as-group'],
    asUid: flags['as-uid'],
    certificateAuthority: flags['certificate-authority'],
    clientCertificate: flags['client-certificate'],
    clientKey: flags['client-key'],
    tlsServerName: flags['tls-server-name'],
    requestTimeout: flags['request-timeout'],
    insecureSkipTlsVerify: flags['insecure-skip-tls-verify'],
  };
}

/** Which nodes the words and flags of a command name. */
export function selectionOf(
  argv: readonly unknown[],
  flags: {selector?: string | undefined; all?: boolean},
): {
  names: string[];
  selector: string | undefined;
} {
  const names = argv.map(String);
  if (flags.all && (names.length > 0 || flags.selector !== undefined)) {
    throw new WinError('--all cannot be given together with node names or a selector.', {
      next: ['Give one or the other.'],
    });
  }
  return {names, selector: flags.selector};
}

/** What reading nodes through helpers takes, from the words and flags of a command. */
export function inspectionOf(
  argv: readonly unknown[],
  flags: Omit<InspectFlags, 'all' | 'selector'> & {all?: boolean; selector?: string | undefined; timeout: number},
): InspectOptions {
  return {
    connection: connectionOf(flags),
    ...selectionOf(argv, flags),
    concurrency: flags.concurrency,
    helperNamespace: flags['helper-namespace'],
    helperImage: flags['helper-image'],
    helperTimeout: flags['helper-timeout'],
    timeout: flags.timeout,
  };
}
