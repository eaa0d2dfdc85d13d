import { describe, expect, it } from 'vitest';
import { createByteBudget } from '../../../src/backend/http/byte-budget.js';

function waitingOn(maxBytes: number) {
  const budget = createByteBudget(maxBytes);
  const cut: string[] = [];
  const begin = (address: string, name: string, bytes: number) => {
    const held = budget.begin(address, () => cut.push(name));
    held.hold(bytes);
    return held;
  };
  return { budget, cut, begin };
}

describe('what is held for clients', () => {
  it('may have as much as the limit says', () => {
    const { budget, cut, begin } = waitingOn(100);
    const first = begin('a', 'first', 60);
    begin('b', 'second', 40);
    expect([cut, budget.bytes()]).toEqual([[], 100]);
    first.hold(10);
    begin('c', 'third', 50);
    expect([cut, budget.bytes()]).toEqual([[], 100]);
    first.end();
    first.end();
    expect(budget.bytes()).toBe(90);
  });

  it('beyond that lose the oldest one of the address with the most', () => {
    const { budget, cut, begin } = waitingOn(100);
    begin('reader', 'patient', 30);
    begin('hoarder', 'one', 25);
    begin('hoarder', 'two', 25);
    begin('reader', 'another', 15);
    begin('hoarder', 'three', 25);
    expect([cut, budget.bytes()]).toEqual([['one'], 95]);
    begin('hoarder', 'four', 25);
    expect([cut, budget.bytes()]).toEqual([['one', 'two'], 95]);
  });

  it('hold nothing for one that was cut, whatever it still writes', () => {
    const { budget, cut, begin } = waitingOn(100);
    const first = begin('a', 'first', 80);
    begin('a', 'second', 70);
    first.hold(60);
    first.end();
    expect([cut, budget.bytes()]).toEqual([['first'], 70]);
  });

  it('are served one by one where one alone is larger', () => {
    const { budget, cut, begin } = waitingOn(100);
    begin('a', 'first', 500).end();
    begin('a', 'second', 500);
    expect([cut, budget.bytes()]).toEqual([[], 500]);
  });

  it('goes by the household: all addresses of an IPv6 network are one', () => {
    const { cut, begin } = waitingOn(100);
    begin('198.51.100.1', 'player', 40);
    begin('2001:db8::1', 'one', 30);
    begin('2001:db8::2', 'two', 30);
    begin('2001:db8::3', 'three', 30);
    expect(cut).toEqual(['one']);
  });

  it('is not taken from whom it is kept for, so that the next one goes', () => {
    const { budget, cut, begin } = waitingOn(100);
    begin('a', 'first', 60).keep();
    begin('a', 'second', 40).keep();
    begin('b', 'third', 10);
    expect([cut, budget.bytes()]).toEqual([['third'], 100]);
  });
});
