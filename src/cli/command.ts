import {Command} from '@oclif/core/command';
import type * as Interfaces from '@oclif/core/interfaces';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {wantsAscii} from '../lib/ascii.js';
import {durationText} from '../lib/duration.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {interruptionOf, onInterrupt} from '../lib/interrupt.js';
import {processStreams, type Streams, talk, wantsColour} from '../lib/streams.js';
import type {InspectOptions} from '../session/inspection.js';
import type {Progress} from '../session/progress.js';
import type {ProgressOptions} from '../view/progress.js';
import {type Format, isForPeople, type TextOptions} from '../view/view.js';
import {type Answer, documentOf, pieces} from './answer.js';
import {withoutBooleanValues} from './booleans.js';
import {minimalConfig} from './config.js';
import type {ExitCodes, Role} from './exit-codes-and-roles.js';
import type {clusterFlags, inspectFlags} from './flags.js';

type InspectFlags = Interfaces.InferredFlags<typeof inspectFlags>;
type ClusterFlags = Interfaces.InferredFlags<typeof clusterFlags>;

export interface Example {
  readonly description: string;
  /** One command a line. */
  readonly command: string;
}

/** What every command has in common: streams, interruption, and how its answer is printed. */
export abstract class WinCommand extends Command {
  static override readonly summary: string = '';
  static override readonly description: string = '';
  static override readonly examples: Example[] = [];
  /** What each of its exit codes means. */
  static readonly exitCodes: ExitCodes = {};
  /** The roles of manifests/rbac.yaml that it requires. */
  static readonly roles: readonly Role[] = [];
  /** When other roles are required, or fewer. */
  static readonly rolesNote: string | undefined = undefined;

  protected readonly streams: Streams = processStreams;
  #format: Format | undefined;
  #verbose = false;

  constructor(argv: readonly string[], config: Interfaces.Config = minimalConfig()) {
    super([...argv], config as Command['config']);
  }

  /** Gives its answer, for `execute` to print; undefined where all is said already. */
  abstract override run(): Promise<Answer | undefined>;

  /** Runs it, prints its answer, and says how it ends. */
  async execute(): Promise<ExitCode> {
    const Command = this.ctor as Command.Class;
    await this.config.runHook('prerun', {Command, argv: this.argv});
    const answer = await this._run<Answer | undefined>();
    await this.config.runHook('postrun', {Command, argv: this.argv, result: answer?.result});
    if (!answer) return ExitCode.ok;
    if (!this.jsonEnabled()) await this.show(answer);
    return answer.exitCode ?? ExitCode.ok;
  }

  protected override async parse<
    Flags extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    BaseFlags extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    Args extends Interfaces.OutputArgs<Interfaces.ArgInput>,
  >(
    command: Interfaces.Input<Flags, BaseFlags, Args>,
    argv: string[] = this.argv,
  ): Promise<Interfaces.ParserOutput<Flags, BaseFlags, Args>> {
    const words = withoutBooleanValues(argv, {...command.baseFlags, ...command.flags});
    const parsed = await super.parse({...command, args: withoutStandardInput(command.args)}, words);
    const {output, verbose = false} = parsed.flags as {output?: Format; verbose?: boolean};
    this.#format = output;
    this.#verbose = verbose;
    return parsed;
  }

  /** What fails is reported in one place (src/main.ts); with oclif's `--json` as a document besides. */
  protected override async catch(error: Error): Promise<never> {
    if (this.jsonEnabled()) this.logJson(this.toErrorJson(error));
    throw error;
  }

  protected override toSuccessJson(answer: unknown): unknown {
    return documentOf(answer as Answer);
  }

  /** Prints a result now, for commands that continue after it. */
  protected async show(answer: Answer, format = this.#format): Promise<void> {
    const notes = answer.view.notes?.(answer.result, format ?? 'text');
    const {out, documents = out} = this.streams;
    const to = isForPeople(format) ? out : documents;
    for await (const piece of pieces(answer, format, this.textOptions)) if (!to.write(piece)) await drained(to);
    if (notes) this.streams.err.write(notes);
  }

  /** Shows what happens to nodes while they are read. */
  protected async openProgress(options: ProgressOptions = {}): Promise<Progress> {
    const {openProgress} = await import('../view/progress.js');
    return openProgress(this.streams, options);
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
        throw new WinError(`timed out after ${durationText((timeout ?? 0) / 1000)} (--timeout).`, {
          exit: ExitCode.uninspected,
          next: ['Increase --timeout, or select fewer nodes.'],
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

  protected get textOptions(): TextOptions {
    const out = this.streams.out as NodeJS.WriteStream;
    // In ASCII "…" is written as three columns.
    const ellipsis = wantsAscii(this.streams.env) ? 2 : 0;
    return {
      colour: wantsColour(out, this.streams.env),
      width: out.isTTY ? Math.max(40, Math.min(out.columns ?? 80, 140)) - ellipsis : undefined,
      verbose: this.#verbose,
    };
  }
}

/** Waits for a slow reader, so that no more than one piece is buffered; not if the reader is gone. */
function drained(out: NodeJS.WritableStream): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      out.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    out.on('drain', done).on('close', done).on('error', done);
  });
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
    throw new WinError('--all cannot be combined with node names or a selector.', {
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
