import {expect, test} from 'vitest';
import {initialReview, pressReview, type ReviewKey, type ReviewState} from '../../../src/view/ink/review-state.js';

const none: ReviewKey = {
  upArrow: false,
  downArrow: false,
  pageUp: false,
  pageDown: false,
  return: false,
  escape: false,
  backspace: false,
  delete: false,
  ctrl: false,
};
const named = {steps: 8, name: 'win-1'};
const simple = {steps: 8, name: undefined};

const type = (state: ReviewState, text: string, terms = named as {steps: number; name: string | undefined}) =>
  [...text].reduce((at, letter) => pressReview(at, letter, none, terms), state);
const key = (
  state: ReviewState,
  pressed: Partial<ReviewKey>,
  terms = named as {steps: number; name: string | undefined},
) => pressReview(state, '', {...none, ...pressed}, terms);

test('a plan that interrupts the network is approved only by the whole name and Enter', () => {
  expect(key(type(initialReview, 'win-1'), {return: true}).end).toBe('agreed');
  expect(type(initialReview, 'y').end).toBeUndefined();
  const wrong = key(type(initialReview, 'win-'), {return: true});
  expect(wrong).toMatchObject({typed: '', wrong: true});
  expect(wrong.end).toBeUndefined();
});

test('a name pasted with its newline counts as typed', () => {
  expect(pressReview(initialReview, 'win-1\r', none, named).end).toBe('agreed');
  expect(pressReview(initialReview, 'win-2\r', none, named).end).toBeUndefined();
});

test('letters of a name that are also keys go into the name', () => {
  expect(type(initialReview, 'jkqyn')).toMatchObject({typed: 'jkqyn', at: 0});
  expect(key(type(initialReview, 'ab'), {backspace: true}).typed).toBe('a');
});

test('a plan without an interruption is approved by y and exited by n, q or Esc', () => {
  expect(type(initialReview, 'y', simple).end).toBe('agreed');
  for (const letter of ['n', 'q']) expect(type(initialReview, letter, simple).end).toBe('left');
  expect(key(initialReview, {escape: true}, simple).end).toBe('left');
});

test('Enter opens a step, Esc closes it before it exits', () => {
  const open = key(key(initialReview, {downArrow: true}), {return: true});
  expect(open).toMatchObject({at: 1, open: true});
  expect(key(open, {escape: true})).toMatchObject({open: false});
  expect(key(key(open, {escape: true}), {escape: true}).end).toBe('left');
});

test('moving stops at the first and the last step', () => {
  expect(key(initialReview, {upArrow: true}).at).toBe(0);
  expect(key(key(initialReview, {pageDown: true}), {pageDown: true}).at).toBe(7);
});
