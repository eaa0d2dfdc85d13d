import { describe, expect, it } from 'vitest';
import { createUnreadAnswers } from '../../../src/backend/http/unread-answers.js';

function waitingOn(maxBytes: number) {
  const answers = createUnreadAnswers(maxBytes);
  const cut: string[] = [];
  const begin = (address: string, name: string, bytes: number) => {
    const answer = answers.begin(address, () => cut.push(name));
    answer.hold(bytes);
    return answer;
  };
  return { answers, cut, begin };
}

describe('answers that wait to be read', () => {
  it('may have as much as the limit says', () => {
    const { answers, cut, begin } = waitingOn(100);
    const first = begin('a', 'first', 60);
    begin('b', 'second', 40);
    expect([cut, answers.bytes()]).toEqual([[], 100]);
    first.hold(10);
    begin('c', 'third', 50);
    expect([cut, answers.bytes()]).toEqual([[], 100]);
    first.end();
    first.end();
    expect(answers.bytes()).toBe(90);
  });

  it('beyond that lose the oldest one of the address with the most', () => {
    const { answers, cut, begin } = waitingOn(100);
    begin('reader', 'patient', 30);
    begin('hoarder', 'one', 25);
    begin('hoarder', 'two', 25);
    begin('reader', 'another', 15);
    begin('hoarder', 'three', 25);
    expect([cut, answers.bytes()]).toEqual([['one'], 95]);
    begin('hoarder', 'four', 25);
    expect([cut, answers.bytes()]).toEqual([['one', 'two'], 95]);
  });

  it('hold nothing for one that was cut, whatever it still writes', () => {
    const { answers, cut, begin } = waitingOn(100);
    const first = begin('a', 'first', 80);
    begin('a', 'second', 70);
    first.hold(60);
    first.end();
    expect([cut, answers.bytes()]).toEqual([['first'], 70]);
  });

  it('are served one by one where one alone is larger', () => {
    const { answers, cut, begin } = waitingOn(100);
    begin('a', 'first', 500).end();
    begin('a', 'second', 500);
    expect([cut, answers.bytes()]).toEqual([[], 500]);
  });
});
