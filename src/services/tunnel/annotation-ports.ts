import type {ObjectChange} from '../../model/tunnel-setting.js';
import type {OpenProgress} from '../../session/progress.js';
import type {AdapterOffer} from './adapter-offers.js';
import type {Decision} from './decide-annotation.js';
import type {NetworkSequence} from './follow-annotation.js';

/** What annotating nodes needs of the user interface. */
export interface TunnelPorts {
  readonly openProgress: OpenProgress;
  /** Undefined if there is no terminal. */
  readonly person: TunnelPrompts | undefined;
  readonly reporter: TunnelReporter;
}

export interface TunnelPrompts {
  pickAdapter(title: string, offers: readonly AdapterOffer[], signal: AbortSignal): Promise<AdapterOffer>;
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
}

/** Receives the progress of the command. */
export interface TunnelReporter {
  /** Called before anything is written. A user who picked an adapter has already seen the warnings. */
  decided(decisions: readonly Decision[], options: {readonly picked: boolean}): void;
  /** The steps that move existing networks, called if `--apply` does not run them. */
  sequence(sequence: NetworkSequence): void;
  warn(text: string): void;
  settingIsRight(object: string): void;
  settingDiffers(change: ObjectChange): void;
  settingChanged(object: string): void;
}
