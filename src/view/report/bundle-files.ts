import type {DoctorReport} from '../../diagnose/report.js';
import {plain} from '../../lib/untrusted.js';
import type {Bundled} from '../../services/bundle/collect-bundle.js';
import type {Topology} from '../../services/inspect/part.js';
import {leftOutLines, sizeText, writtenText} from '../text/collection.js';
import {replacedText} from '../text/redaction.js';
import {reportView} from '../text/report.js';
import {html} from './html.js';

/** The report in a bundle, for people and for programs. */
export async function reportFiles(
  report: DoctorReport,
  topologies: ReadonlyMap<string, Topology>,
): Promise<readonly (readonly [string, string])[]> {
  return [
    ['report.txt', await reportView().text(report, {colour: false})],
    ['report.json', `${JSON.stringify(report, null, 1)}\n`],
    ['report.html', html(report, topologies)],
  ];
}

/** What was written, and what is missing. */
export function bundleNotes(file: string, {manifest, leftOut}: Bundled): string {
  const {files, missing, replaced} = manifest;
  const bytes = files.reduce((sum, one) => sum + one.bytes, 0);
  const told = missing.slice(0, 10).map(({what, reason}) => `Missing: ${plain(what)}: ${plain(reason)}\n`);
  const more = missing.length - told.length;
  return [
    `${writtenText(file)} It contains ${files.length} files, ${sizeText(bytes)} unpacked.\n`,
    ...leftOutLines(leftOut).map(line => `${line}\n`),
    replacedText(replaced),
    ...told,
    ...(more > 0 ? [`Missing: ${more} more, listed in manifest.json.\n`] : []),
  ].join('');
}
