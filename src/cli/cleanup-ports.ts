import type {Streams} from '../lib/streams.js';
import type {CleanupPorts} from '../services/cleanup/cleanup-ports.js';
import {agreeTo, askYesOf} from '../view/consent.js';
import {openProgress} from '../view/progress.js';
import {openStepReporter} from '../view/step-reporter.js';
import {renderUnfinished} from '../view/text/unfinished-plan.js';
import type {TextOptions} from '../view/view.js';

/** The user interface of a cleanup on this terminal. */
export function cleanupPorts(streams: Streams, text: TextOptions): CleanupPorts {
  return {
    openProgress: () => openProgress(streams, {quiet: true}),
    agreeTo: (plan, consent, signal) => agreeTo(plan, consent, {streams, text}, signal),
    askYes: askYesOf(streams),
    showUnfinished: plan => streams.err.write(renderUnfinished(plan, text)),
    openStepReporter: (node, plan, options) => openStepReporter(node, plan, streams, options),
  };
}
