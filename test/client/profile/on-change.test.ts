import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

const openProgress = async () => (await world.player()).profile.collection('progress');

describe('onChange', () => {
  it('calls a listener as often as it was added, and each function that it gave ends one of them', async () => {
    const room = await openProgress();
    const heard: unknown[] = [];
    const listener = ({ value }: { value: { [field: string]: unknown } }): void => void heard.push(value['level']);
    const endFirst = room.onChange(listener);
    room.onChange(listener);
    await room.set('main', { level: 1 });
    expect(heard).toEqual([1, 1]);
    endFirst();
    endFirst();
    await room.set('main', { level: 2 });
    expect(heard).toEqual([1, 1, 2]);
  });

  it('gives each listener a value of its own, and reports what one throws', async () => {
    const room = await openProgress();
    const heard: unknown[] = [];
    room.onChange(({ value }) => {
      value['level'] = 99;
      throw new Error('a bug of the game');
    });
    room.onChange(({ value }) => heard.push(value['level']));
    await room.set('main', { level: 1 });
    expect(heard).toEqual([1]);
    expect(room.get('main')).toEqual({ level: 1 });
    expect(world.reported.map(String)).toEqual(['Error: a bug of the game']);
  });

  it('refuses a listener that is no function', async () => {
    const room = await openProgress();
    expect(() => room.onChange('listener' as never)).toThrow(TypeError);
  });
});
