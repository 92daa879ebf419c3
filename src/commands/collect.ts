import {gzipSync} from 'node:zlib';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import packageJson from '../../package.json' with {type: 'json'};
import {alreadyPrinted, printed} from '../cli/answer.js';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectRoles} from '../cli/exit-codes-and-roles.js';
import {byteSize, duration, inspectFlags, outputFlag, redactFlag, timeoutFlag} from '../cli/flags.js';
import {type LogLimits, logBounds} from '../helper/log-limits.js';
import {byteSizeText} from '../lib/byte-size.js';
import {WinError} from '../lib/errors.js';
import {type OutputFile, openOutputFile} from '../lib/output-file.js';
import type {BundleOptions} from '../services/bundle/collect-bundle.js';
import type {CollectOptions} from '../services/collect.js';
import type {Format} from '../view/view.js';

export default class Collect extends WinCommand {
  static override summary = 'Write a snapshot or a bundle of Windows nodes, to diagnose later or to share';
  static override description =
    `Other commands read the file with --from. A file that ends in .tar.gz is a bundle: the snapshot, the report as text, JSON and HTML, logs, events and a manifest with hashes. --since and the size limits apply to the logs in a bundle. Events of at most one day are included.
Secrets are never read. Only the fields of other objects that checks use are kept: environment, arguments and annotations of workloads are omitted. Values that look like secrets in logs, files and command lines are removed, and a summary shows how many.`;
  static override exitCodes = {
    0: 'done',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'a node could not be read; the snapshot contains the others',
  };
  static override roles = inspectRoles;
  static override examples = [
    {description: 'All Windows nodes', command: 'kubectl win collect > snapshot.json'},
    {description: 'A bundle for a support case', command: 'kubectl win collect -f bundle.tar.gz'},
    {
      description: 'The last two hours of logs and events, more of each log',
      command: 'kubectl win collect -f bundle.tar.gz --since=2h --limit-bytes=1Mi',
    },
    {
      description: 'One node, without addresses and names',
      command: 'kubectl win collect win-1 -f bundle.tar.gz --redact=ips,names',
    },
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Windows nodes (default: all)'})};
  static override flags = {
    output: outputFlag(['json', 'yaml'], 'Output format'),
    file: Flags.string({
      char: 'f',
      summary: 'Output file; .tar.gz writes a bundle, .gz compresses the snapshot; - writes to stdout',
      helpValue: '<file>',
    }),
    redact: redactFlag(),
    since: duration({summary: 'Only log lines and events newer than this (bundles)'}),
    'limit-bytes': byteSize({
      summary: 'Maximum size of each log (bundles)',
      least: logBounds.least,
      most: logBounds.most,
      defaultHelp: async () => byteSizeText(usualLogs.bytes),
    }),
    'limit-bytes-total': byteSize({
      summary: 'Maximum size of all logs, divided equally among the nodes (bundles)',
      least: logBounds.least,
      most: 1024 ** 4,
      defaultHelp: async () => byteSizeText(usualLogs.bytesInAll),
    }),
    timeout: timeoutFlag(15),
    ...inspectFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Collect);
    const {file, since} = flags;
    const isOfBundle = file !== undefined && isBundle(file);
    refuseForSnapshots(flags, isOfBundle);
    const target = file === undefined || file === '-' ? undefined : await openOutputFile(file);
    const options = {...inspectionOf(argv, flags), redact: flags.redact ?? []};
    try {
      if (target && isOfBundle) {
        const bytes = flags['limit-bytes'] ?? usualLogs.bytes;
        const bytesInAll = flags['limit-bytes-total'] ?? usualLogs.bytesInAll;
        return await this.#bundle(file, {...options, since, logs: {bytes, bytesInAll}}, target);
      }
      return await this.#snapshot(file ?? '', options, target, flags.output);
    } finally {
      await target?.close();
    }
  }

  async #snapshot(file: string, options: CollectOptions, target: OutputFile | undefined, format: Format | undefined) {
    const [{collectSnapshot, collectionExitCode}, {collectionView, writtenText}] = await Promise.all([
      import('../services/collect.js'),
      import('../view/text/collection.js'),
    ]);
    const result = await this.interruptible(signal => collectSnapshot(options, () => this.openProgress(), signal));
    const answer = {result, view: collectionView, exitCode: collectionExitCode(result)};
    if (!target) return answer;
    const text = await printed(answer, format, this.textOptions);
    const bytes = file.endsWith('.gz') ? gzipSync(text) : Buffer.from(text);
    await target.write(bytes);
    this.say(writtenText(file, bytes.length));
    this.streams.err.write(collectionView.notes(result));
    return alreadyPrinted(answer.exitCode);
  }

  async #bundle(file: string, options: Omit<BundleOptions, 'version'>, target: OutputFile) {
    const [{bundleExitCode, collectBundle}, {bundleNotes, reportFiles}] = await Promise.all([
      import('../services/bundle/collect-bundle.js'),
      import('../view/report/bundle-files.js'),
    ]);
    const ports = {open: () => this.openProgress(), target: target.stream, reports: reportFiles};
    const {version} = packageJson;
    const bundled = await this.interruptible(signal => collectBundle({...options, version}, ports, signal));
    await target.finish();
    this.streams.err.write(bundleNotes(file, bundled));
    return alreadyPrinted(bundleExitCode(bundled));
  }
}

const usualLogs: LogLimits = {bytes: 256 * 1024, bytesInAll: 64 * 1024 * 1024};

/** A snapshot contains only as much of the logs as checks read. */
function refuseForSnapshots(flags: Readonly<Record<string, unknown>>, isOfBundle: boolean): void {
  const given = ['since', 'limit-bytes', 'limit-bytes-total'].find(flag => flags[flag] !== undefined);
  if (given === undefined || isOfBundle) return;
  throw new WinError(`--${given} requires a bundle.`, {next: ['Write one with: kubectl win collect -f bundle.tar.gz']});
}

const isBundle = (file: string) => /\.(?:tar\.gz|tgz)$/i.test(file);
