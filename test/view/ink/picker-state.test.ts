import {describe, expect, it} from 'vitest';
import {type PickerState, press, visible} from '../../../src/view/ink/picker-state.js';

const none = {
  upArrow: false,
  downArrow: false,
  pageUp: false,
  pageDown: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
};
const rows = [
  {pickable: true, asks: false},
  {pickable: true, asks: true},
  {pickable: false, asks: false},
];

/** Keys by name, others as typed. */
function typed(...pressed: string[]): PickerState {
  return pressed.reduce<PickerState>(
    (state, key) => (key in none ? press(state, '', {...none, [key]: true}, rows) : press(state, key, none, rows)),
    {at: 0, asking: false},
  );
}

describe('moving', () => {
  it('goes by arrows and by j and k, and stays in the list', () => {
    expect(typed('downArrow').at).toBe(1);
    expect(typed('j', 'j', 'k').at).toBe(1);
    expect(typed('upArrow').at).toBe(0);
    expect(typed('end').at).toBe(2);
    expect(typed('end', 'downArrow').at).toBe(2);
    expect(typed('pageDown', 'home').at).toBe(0);
  });
});

describe('picking', () => {
  it('ends with the selected row', () => {
    expect(typed('return')).toMatchObject({at: 0, end: 'picked'});
  });

  it('does nothing on a row that cannot be picked', () => {
    expect(typed('end', 'return').end).toBeUndefined();
  });

  it('asks if a pick replaces another, and only y is yes', () => {
    expect(typed('j', 'return')).toMatchObject({asking: true});
    expect(typed('j', 'return', 'y')).toMatchObject({at: 1, end: 'picked'});
    expect(typed('j', 'return', 'n')).toEqual({at: 1, asking: false});
    expect(typed('j', 'return', 'return')).toMatchObject({asking: true});
    expect(typed('j', 'return', 'escape')).toEqual({at: 1, asking: false});
  });

  it('is exited with Esc and q, and interrupted with Ctrl-C at any time', () => {
    expect(typed('escape').end).toBe('left');
    expect(typed('q').end).toBe('left');
    expect(press(typed('j', 'return'), 'c', {...none, ctrl: true}, rows).end).toBe('interrupted');
  });

  it('ignores keys after its end', () => {
    expect(typed('return', 'j')).toMatchObject({at: 0, end: 'picked'});
  });
});

describe('a list that is longer than the screen', () => {
  it('shows the part around the selected row', () => {
    expect(visible(0, 50, 10)).toEqual({from: 0, to: 10});
    expect(visible(25, 50, 10)).toEqual({from: 20, to: 30});
    expect(visible(49, 50, 10)).toEqual({from: 40, to: 50});
    expect(visible(1, 3, 10)).toEqual({from: 0, to: 3});
    expect(visible(2, 3, -4)).toEqual({from: 2, to: 3});
  });
});
