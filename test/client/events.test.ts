import { describe, expect, it } from 'vitest';
import { createEvents } from '../../src/client/events.js';

interface Payloads {
  moved: { to: string };
}

function setUp() {
  const reported: unknown[] = [];
  const heard: string[] = [];
  return { reported, heard, ...createEvents<Payloads>((error) => void reported.push(error)) };
}

describe('events', () => {
  it('reach every listener, though one throws and one rejects', async () => {
    const { events, emit, reported, heard } = setUp();
    events.on('moved', () => {
      throw new Error('one');
    });
    events.on('moved', (() => Promise.reject(new Error('two'))) as () => void);
    events.on('moved', ({ to }) => void heard.push(to));
    expect(() => emit('moved', { to: 'north' })).not.toThrow();
    await Promise.resolve();
    await Promise.resolve();
    expect(heard).toEqual(['north']);
    expect(reported.map(String)).toEqual(['Error: one', 'Error: two']);
  });

  it('end by what on gave, by off, and after one for once', () => {
    const { events, emit, isHeard, heard } = setUp();
    const listener = ({ to }: { to: string }): void => void heard.push(to);
    events.on('moved', listener)();
    events.on('moved', listener);
    events.off('moved', listener);
    events.once('moved', listener);
    emit('moved', { to: 'first' });
    emit('moved', { to: 'second' });
    expect(heard).toEqual(['first']);
    expect(isHeard('moved')).toBe(false);
  });

  it('reach a listener as often as it was added, until one off ends them all', () => {
    const { events, emit, isHeard, heard } = setUp();
    const listener = ({ to }: { to: string }): void => void heard.push(to);
    events.on('moved', listener);
    events.on('moved', listener);
    emit('moved', { to: 'first' });
    events.off('moved', listener);
    emit('moved', { to: 'second' });
    expect(heard).toEqual(['first', 'first']);
    expect(isHeard('moved')).toBe(false);
  });

  it('reach those who listened when they were raised, in the order in which they came', () => {
    const { events, emit, heard } = setUp();
    events.on('moved', () => {
      heard.push('one');
      events.off('moved', two);
      events.on('moved', () => heard.push('three'));
    });
    const two = (): void => void heard.push('two');
    events.on('moved', two);
    emit('moved', { to: 'north' });
    expect(heard).toEqual(['one', 'two']);
    emit('moved', { to: 'south' });
    expect(heard).toEqual(['one', 'two', 'one', 'three']);
  });

  it('refuse a listener that is no function', () => {
    expect(() => setUp().events.on('moved', 'listener' as never)).toThrow(TypeError);
  });
});
