import {gzipSync} from 'node:zlib';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import packageJson from '../../package.json' with {type: 'json'};
import {printed, told} from '../cli/answer.js';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectRoles} from '../cli/exit-codes-and-roles.js';
import {inspectFlags, outputFlag, redactFlag, timeoutFlag} from '../cli/flags.js';
import {type OutputFile, openOutputFile} from '../lib/output-file.js';
import type {CollectOptions} from '../services/collect.js';
import type {Format} from '../view/view.js';

export default class Collect extends WinCommand {
  static override summary = 'Write a snapshot or a bundle of Windows nodes, to diagnose it later or send it elsewhere';
  static override description =
    `Other commands read the file with --from. A file that ends in .tar.gz is a bundle: the snapshot, the report as text, JSON and HTML, logs, events and a manifest with hashes. Each node is written as soon as it is read.
Secrets are never read. Of other objects, only fields that checks use are kept: environment, arguments and annotations of workloads are omitted. Values that look like secrets in logs, files and command lines are removed, and a summary shows how many.`;
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
      summary: 'File to write; .tar.gz writes a bundle, .gz compresses the snapshot; - is standard output',
      helpValue: '<file>',
    }),
    redact: redactFlag(),
    timeout: timeoutFlag(15),
    ...inspectFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Collect);
    const {file} = flags;
    const target = file === undefined || file === '-' ? undefined : await openOutputFile(file);
    const options = {...inspectionOf(argv, flags), redact: flags.redact ?? []};
    try {
      if (target && isBundle(file ?? '')) return await this.#bundle(file ?? '', options, target);
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
    return told(answer.exitCode);
  }

  async #bundle(file: string, options: CollectOptions, target: OutputFile) {
    const [{bundleExitCode, collectBundle}, {bundleNotes, reportFiles}] = await Promise.all([
      import('../services/bundle/collect-bundle.js'),
      import('../view/report/bundle-files.js'),
    ]);
    const ports = {open: () => this.openProgress(), target: target.stream, reports: reportFiles};
    const {version} = packageJson;
    const bundled = await this.interruptible(signal => collectBundle({...options, version}, ports, signal));
    await target.finish();
    this.streams.err.write(bundleNotes(file, bundled));
    return told(bundleExitCode(bundled));
  }
}

const isBundle = (file: string) => /\.(?:tar\.gz|tgz)$/i.test(file);
