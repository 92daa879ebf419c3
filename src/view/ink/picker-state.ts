/** The state of a list to select from. */
export interface PickerState {
  readonly at: number;
  /** Whether the selection must be confirmed with y. */
  readonly asking: boolean;
  readonly end?: 'picked' | 'left' | 'interrupted';
}

export interface PickerRow {
  readonly pickable: boolean;
  /** Whether picking it requires a confirmation. */
  readonly asks: boolean;
}

/** The keys in use, as Ink reports them. */
interface Pressed {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
}

const page = 8;

/** Applies a key to the state. */
export function press(state: PickerState, input: string, key: Pressed, rows: readonly PickerRow[]): PickerState {
  if (state.end) return state;
  if (key.ctrl && input === 'c') return {...state, end: 'interrupted'};
  if (state.asking) return answer(state, input, key);
  if (key.escape || input === 'q') return {...state, end: 'left'};
  if (key.return) return pick(state, rows[state.at]);
  const at = state.at + movement(input, key, rows.length);
  return {...state, at: Math.max(0, Math.min(rows.length - 1, at))};
}

function answer(state: PickerState, input: string, key: Pressed): PickerState {
  if (/^y$/i.test(input)) return {...state, end: 'picked'};
  return key.escape || input !== '' ? {...state, asking: false} : state;
}

function pick(state: PickerState, row: PickerRow | undefined): PickerState {
  if (!row?.pickable) return state;
  return row.asks ? {...state, asking: true} : {...state, end: 'picked'};
}

function movement(input: string, key: Pressed, count: number): number {
  if (key.upArrow || input === 'k') return -1;
  if (key.downArrow || input === 'j') return 1;
  if (key.pageUp) return -page;
  if (key.pageDown) return page;
  if (key.home) return -count;
  return key.end ? count : 0;
}

/** The part of a list that fits, including the selected row. */
export function visible(at: number, count: number, room: number): {readonly from: number; readonly to: number} {
  const size = Math.max(1, Math.min(room, count));
  const from = Math.max(0, Math.min(at - Math.floor(size / 2), count - size));
  return {from, to: from + size};
}
