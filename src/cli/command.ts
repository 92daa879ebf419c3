import {Command} from '@oclif/core/command';
import type * as Interfaces from '@oclif/core/interfaces';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {wantsAscii} from '../lib/ascii.js';
import {durationText} from '../lib/duration.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {interruptionOf, onInterrupt} from '../lib/interrupt.js';
import {processStreams, type Streams, wantsColour, writeMessage} from '../lib/streams.js';
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
  /** One command per line. */
  readonly command: string;
}

/** The base of all commands: streams, interruption, and printing. */
export abstract class WinCommand extends Command {
  static override readonly summary: string = '';
  static override readonly description: string = '';
  static override readonly examples: Example[] = [];
  /** The meaning of its exit codes. */
  static readonly exitCodes: ExitCodes = {};
  /** The roles of manifests/rbac.yaml that it requires. */
  static readonly roles: readonly Role[] = [];
  /** When more, fewer or other roles are required. */
  static readonly rolesNote: string | undefined = undefined;

  protected readonly streams: Streams = processStreams;
  #format: Format | undefined;
  #verbose = false;

  constructor(argv: readonly string[], config: Interfaces.Config = minimalConfig()) {
    super([...argv], config as Command['config']);
  }

  /** Returns the answer for `execute` to print; undefined if everything is already printed. */
  abstract override run(): Promise<Answer | undefined>;

  /** Runs the command, prints its answer, and returns the exit code. */
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

  /** Errors are reported in src/main.ts; with oclif's `--json` also as a document. */
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

  /** Shows the progress of nodes while they are read. */
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

  /** Writes results to stdout. */
  protected print(text: string): void {
    this.streams.out.write(text);
  }

  /** Writes a message to stderr. */
  protected say(text: string): void {
    writeMessage(this.streams, text);
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

/** Waits for a slow reader, so that at most one piece is buffered. Returns if the reader is gone. */
function drained(out: NodeJS.WritableStream): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      out.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    out.on('drain', done).on('close', done).on('error', done);
  });
}

/** oclif reads a missing argument from stdin: a shell loop would lose its list, and a node name would come from a pipe. */
function withoutStandardInput<Args extends Interfaces.OutputArgs<Interfaces.ArgInput>>(
  args: Interfaces.ArgInput<Args> | undefined,
): Interfaces.ArgInput<Args> {
  const entries = Object.entries<Interfaces.ArgInput[string]>(args ?? {});
  return Object.fromEntries(
    entries.map(([name, arg]) => [name, {...arg, ignoreStdin: true}]),
  ) as Interfaces.ArgInput<Args>;
}

/** A command class that can be instantiated. */
export type CommandClass = Omit<typeof WinCommand, 'prototype'> & (new (argv: readonly string[]) => WinCommand);

/** Connection options from kubectl's flags. */
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

/** The node selection from the arguments and flags of a command. */
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
      next: ['Use one or the other.'],
    });
  }
  return {names, selector: flags.selector};
}

/** Inspection options from the arguments and flags of a command. */
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
