import type {Streams} from '../lib/streams.js';
import {plain} from '../lib/untrusted.js';
import type {TunnelPorts, TunnelTeller} from '../services/tunnel/annotation-ports.js';
import {openProgress} from '../view/progress.js';
import {confirm, personAt} from '../view/terminal-person.js';
import {renderDiff} from '../view/text/diff.js';
import {renderDecisions, renderSequence, renderWarnings} from '../view/text/tunnel.js';

/** Annotating nodes with the person at this terminal, if one is there. `quiet`: only data is wanted on standard output. */
export function terminalTunnelPorts(streams: Streams, {quiet}: {readonly quiet: boolean}): TunnelPorts {
  const person = personAt(streams);
  return {
    openProgress: () => openProgress(streams, {quiet}),
    teller: tellerOf(streams, quiet),
    person: person && {
      confirm: (question, signal) => confirm(question, streams, signal),
      pickAdapter: async (title, rows, signal) => {
        const {pickAdapterRow} = await import('../view/ink/adapter-picker.js');
        return pickAdapterRow({title, rows, ...person, signal});
      },
    },
  };
}

function tellerOf({out, err}: Streams, quiet: boolean): TunnelTeller {
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
