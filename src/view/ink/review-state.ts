/** The state of a plan review. */
export interface ReviewState {
  /** The selected step. */
  readonly at: number;
  /** Whether its details are shown. */
  readonly open: boolean;
  /** The text typed so far, if the node's name is required. */
  readonly typed: string;
  /** Whether a wrong name was entered. */
  readonly wrong: boolean;
  readonly end?: 'agreed' | 'left' | 'interrupted';
}

export interface ReviewTerms {
  readonly steps: number;
  /** The node's name, if it must be typed; undefined: y is enough. */
  readonly name: string | undefined;
}

/** The keys in use, as Ink reports them. */
export interface ReviewKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly ctrl: boolean;
}

export const initialReview: ReviewState = {at: 0, open: false, typed: '', wrong: false};

const page = 8;

/** Applies a key to the state. If a name is required, letters belong to it; arrows, Enter and Esc always work. */
export function pressReview(state: ReviewState, input: string, key: ReviewKey, terms: ReviewTerms): ReviewState {
  if (state.end) return state;
  if (key.ctrl && input === 'c') return {...state, end: 'interrupted'};
  const moved = movement(input, key, terms);
  if (moved !== 0) return {...state, at: Math.max(0, Math.min(terms.steps - 1, state.at + moved))};
  if (key.escape) return state.open ? {...state, open: false} : {...state, end: 'left'};
  if (terms.name !== undefined) return typing(state, input, key, terms.name);
  if (key.return) return {...state, open: !state.open};
  if (/^y$/i.test(input)) return {...state, end: 'agreed'};
  return /^[nq]$/i.test(input) ? {...state, end: 'left'} : state;
}

/** Keys in quick succession arrive together: the name and Enter may be one text. */
function typing(state: ReviewState, input: string, key: ReviewKey, name: string): ReviewState {
  if (key.backspace || key.delete) return {...state, typed: state.typed.slice(0, -1), wrong: false};
  if (key.return) return state.typed === '' ? {...state, open: !state.open} : submit(state, name);
  if (key.ctrl || input === '') return state;
  const [text = '', ...more] = input.split(/[\r\n]/);
  const typed = {...state, typed: `${state.typed}${text.trim()}`.slice(0, 256), wrong: false};
  return more.length > 0 ? submit(typed, name) : typed;
}

function submit(state: ReviewState, name: string): ReviewState {
  return state.typed === name ? {...state, end: 'agreed'} : {...state, typed: '', wrong: true};
}

function movement(input: string, key: ReviewKey, {name}: ReviewTerms): number {
  const letters = name === undefined;
  if (key.upArrow || (letters && input === 'k')) return -1;
  if (key.downArrow || (letters && input === 'j')) return 1;
  if (key.pageUp) return -page;
  return key.pageDown ? page : 0;
}
