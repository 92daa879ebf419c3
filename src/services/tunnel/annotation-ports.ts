import type {ObjectChange} from '../../model/tunnel-setting.js';
import type {OpenProgress} from '../../session/progress.js';
import type {AdapterOffer} from './adapter-offers.js';
import type {Decision} from './decide-annotation.js';
import type {NetworkSequence} from './follow-annotation.js';

/** What annotating nodes needs of the user interface. */
export interface TunnelPorts {
  readonly openProgress: OpenProgress;
  /** Undefined if nobody can answer. */
  readonly person: TunnelPerson | undefined;
  readonly teller: TunnelTeller;
}

export interface TunnelPerson {
  pickAdapter(title: string, offers: readonly AdapterOffer[], signal: AbortSignal): Promise<AdapterOffer>;
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
}

/** Told on the way, in the order in which it happens. */
export interface TunnelTeller {
  /** What is about to be written, before anything is. A person who picked has seen the warnings. */
  decided(decisions: readonly Decision[], options: {readonly picked: boolean}): void;
  /** What it takes to let networks follow, for a person who has not asked for it. */
  sequence(sequence: NetworkSequence): void;
  warn(text: string): void;
  settingIsRight(object: string): void;
  settingDiffers(change: ObjectChange): void;
  settingChanged(object: string): void;
}
