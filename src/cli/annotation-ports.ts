import type {Streams} from '../lib/streams.js';
import {plain} from '../lib/untrusted.js';
import type {TunnelPorts, TunnelReporter} from '../services/tunnel/annotation-ports.js';
import {confirm, interactiveTerminal} from '../view/interactive-terminal.js';
import {openProgress} from '../view/progress.js';
import {renderDiff} from '../view/text/diff.js';
import {renderDecisions, renderSequence, renderWarnings} from '../view/text/tunnel.js';

/** The user interface of annotate-tunnel on this terminal. `quiet`: print only data to stdout. */
export function terminalTunnelPorts(streams: Streams, {quiet}: {readonly quiet: boolean}): TunnelPorts {
  const person = interactiveTerminal(streams);
  return {
    openProgress: () => openProgress(streams, {quiet}),
    reporter: reporterOf(streams, quiet),
    person: person && {
      confirm: (question, signal) => confirm(question, streams, signal),
      pickAdapter: async (title, rows, signal) => {
        const {pickAdapterRow} = await import('../view/ink/adapter-picker.js');
        return pickAdapterRow({title, rows, ...person, signal});
      },
    },
  };
}

function reporterOf({out, err}: Streams, quiet: boolean): TunnelReporter {
  return {
    decided: (decisions, {picked}) => {
      if (decisions.length > 1 && !quiet) out.write(renderDecisions(decisions));
      if (!picked) err.write(renderWarnings(decisions));
    },
    sequence: sequence => err.write(renderSequence(sequence)),
    warn: text => err.write(`warning: ${plain(text)}\n`),
    settingIsRight: object => err.write(`${object} is already correct.\n`),
    settingDiffers: ({object, before, after}) => err.write(`${object}\n${renderDiff(before, after)}`),
    settingChanged: object => (quiet ? err : out).write(`${object} changed\n`),
  };
}
