import { describe, expect, it } from 'vitest';
import { createEvents } from '../../src/client/events.js';

interface Payloads {
  moved: { to: string };
}

function setUp() {
  const reported: unknown[] = [];
  const heard: string[] = [];
  const listener = ({ to }: { to: string }): void => void heard.push(to);
  return { reported, heard, listener, ...createEvents<Payloads>((error) => void reported.push(error)) };
}

describe('events', () => {
  it('reach every listener, though one throws and one rejects', async () => {
    const { events, emit, reported, heard, listener } = setUp();
    events.on('moved', () => {
      throw new Error('one');
    });
    events.on('moved', (() => Promise.reject(new Error('two'))) as () => void);
    events.once('moved', () => {
      throw new Error('three');
    });
    events.on('moved', listener);
    expect(() => emit('moved', { to: 'north' })).not.toThrow();
    await Promise.resolve();
    await Promise.resolve();
    expect(heard).toEqual(['north']);
    expect(reported.map(String).sort()).toEqual(['Error: one', 'Error: three', 'Error: two']);
  });

  it('do not wait for a listener that is asynchronous', () => {
    const { events, emit, heard, listener } = setUp();
    events.on('moved', () => new Promise(() => {}));
    events.on('moved', listener);
    emit('moved', { to: 'north' });
    expect(heard).toEqual(['north']);
  });

  it('end by what on gave, by off, and after one for once', () => {
    const { events, emit, hasListener, heard, listener } = setUp();
    events.on('moved', listener)();
    events.on('moved', listener);
    events.off('moved', listener);
    events.once('moved', listener);
    emit('moved', { to: 'first' });
    emit('moved', { to: 'second' });
    expect(heard).toEqual(['first']);
    expect(hasListener('moved')).toBe(false);
  });

  it('end by off also where the listener was added by once', () => {
    const { events, emit, hasListener, heard, listener } = setUp();
    events.once('moved', listener);
    events.off('moved', listener);
    expect(hasListener('moved')).toBe(false);
    emit('moved', { to: 'first' });
    expect(heard).toEqual([]);
  });

  it('reach a listener as often as it was added, and each off ends one registration, the last one first', () => {
    const { events, emit, hasListener, heard, listener } = setUp();
    events.on('moved', listener);
    events.on('moved', () => heard.push('between'));
    events.on('moved', listener);
    events.off('moved', listener);
    emit('moved', { to: 'first' });
    expect(heard).toEqual(['first', 'between']);
    events.off('moved', listener);
    emit('moved', { to: 'second' });
    expect(heard).toEqual(['first', 'between', 'between']);
    events.off('moved', listener);
    expect(hasListener('moved')).toBe(true);
  });

  it('lose by what on gave exactly that registration, never its twin, however often it is called', () => {
    const { events, emit, hasListener, heard, listener } = setUp();
    const endFirst = events.on('moved', listener);
    events.on('moved', () => heard.push('between'));
    const endSecond = events.on('moved', listener);
    endFirst();
    endFirst();
    emit('moved', { to: 'first' });
    expect(heard).toEqual(['between', 'first']);
    endSecond();
    emit('moved', { to: 'second' });
    expect(heard).toEqual(['between', 'first', 'between']);
    expect(hasListener('moved')).toBe(true);
  });

  it('lose by what once gave that registration only, before or after it was heard', () => {
    const { events, emit, heard, listener } = setUp();
    events.once('moved', listener)();
    const end = events.once('moved', listener);
    emit('moved', { to: 'first' });
    events.on('moved', listener);
    end();
    emit('moved', { to: 'second' });
    expect(heard).toEqual(['first', 'second']);
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

  it('reach a lone listener only, though it adds another while they are raised', () => {
    const { events, emit, heard } = setUp();
    events.once('moved', () => {
      heard.push('one');
      events.on('moved', () => heard.push('two'));
    });
    emit('moved', { to: 'north' });
    expect(heard).toEqual(['one']);
  });

  it('reach a listener for one event once, though it is raised again while it is being raised', () => {
    const { events, emit, heard, listener } = setUp();
    let isAgain = false;
    events.on('moved', () => {
      if (isAgain) return;
      isAgain = true;
      emit('moved', { to: 'inner' });
    });
    events.once('moved', listener);
    emit('moved', { to: 'outer' });
    expect(heard).toEqual(['inner']);
  });

  it('refuse a listener that is no function', () => {
    const { events } = setUp();
    expect(() => events.on('moved', 'listener' as never)).toThrow(TypeError);
    expect(() => events.once('moved', undefined as never)).toThrow(TypeError);
  });
});
