import { describe, expect, it } from 'vitest';
import {
  addGains,
  magnetPrices,
  newProgress,
  nextMagnetPrice,
  readProgress,
} from '../../examples/web-game/src/game/progress.js';
import {
  arena,
  feathersAtStart,
  goalOf,
  type Happening,
  hazardPause,
  hazardSpeed,
  type Steering,
  step,
  takeOff,
  type World,
  waitingWorld,
} from '../../examples/web-game/src/game/world.js';
import { describeSnapshot, isEmpty } from '../../examples/web-game/src/saves-in-words.js';

const frame = 1 / 60;
const still: Steering = { x: 0, y: 0 };
/** The same numbers each time, from 0 up to 1. */
function numbers(): () => number {
  let seed = 7;
  return () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}

function play(world: World, steering: (world: World) => Steering, seconds: number, random = numbers()) {
  let now = world;
  const happenings: Happening[] = [];
  for (let passed = 0; passed < seconds; passed += frame) {
    const next = step(now, steering(now), frame, random);
    now = next.world;
    happenings.push(...next.happenings);
  }
  return { world: now, happenings };
}

const kindsOf = (happenings: Happening[]) => happenings.map(({ kind }) => kind);

describe('the rules of the game', () => {
  it('lets a flight begin with five coins straight ahead, before the first kite', () => {
    const { world, happenings } = play(takeOff(newProgress), () => ({ x: 1, y: 0 }), 2.5);
    expect(happenings.filter(({ kind }) => kind === 'coin').length).toBeGreaterThanOrEqual(5);
    expect(kindsOf(happenings)).not.toContain('hit');
    expect(world.haul).toBeGreaterThanOrEqual(5);
  });

  it('stands still until the player takes off', () => {
    const { world, happenings } = play(waitingWorld(newProgress), () => ({ x: 1, y: 0 }), 2);
    expect(happenings).toEqual([]);
    expect(world.bird).toEqual(waitingWorld(newProgress).bird);
  });

  it('keeps the bird in the sky, wherever it is steered', () => {
    for (const steering of [{ x: 1, y: 1 }, { x: -1, y: -1 }, { to: { x: -900, y: 9_000 } }]) {
      const { bird } = play(takeOff(newProgress), () => steering, 4).world;
      expect(bird.x).toBeGreaterThan(0);
      expect(bird.x).toBeLessThan(arena.width);
      expect(bird.y).toBeGreaterThan(0);
      expect(bird.y).toBeLessThan(arena.height);
    }
  });

  it('rests under the finger it follows', () => {
    const { bird } = play(takeOff(newProgress), () => ({ to: { x: 300, y: 120 } }), 3).world;
    expect(Math.hypot(bird.x - 300, bird.y - 120)).toBeLessThan(12);
  });

  it('rises by a level when the nest is full, and keeps what is over', () => {
    const almost: World = { ...takeOff(newProgress), gathered: goalOf(1) - 1 };
    const coin = { id: 1, x: almost.bird.x, y: almost.bird.y, worth: 5, left: 9 };
    const { world, happenings } = step({ ...almost, feathers: 1, coins: [coin] }, still, frame, numbers());
    expect(kindsOf(happenings)).toEqual(['coin', 'level']);
    expect(world).toMatchObject({ level: 2, gathered: 4, haul: 5, feathers: 2 });
  });

  it('takes a feather for a hit, is then safe for a moment, and ends the flight with the last feather', () => {
    const start = takeOff(newProgress);
    const kite = { id: 9, kind: 'kite' as const, x: start.bird.x, y: start.bird.y, vx: 0, vy: 0, age: 0 };
    const hit = step({ ...start, coins: [], hazards: [kite] }, still, frame, numbers());
    expect(kindsOf(hit.happenings)).toEqual(['hit']);
    expect(hit.world.feathers).toBe(feathersAtStart - 1);
    const safe = step({ ...hit.world, hazards: [kite] }, still, frame, numbers());
    expect(safe.happenings).toEqual([]);
    const last = step({ ...start, coins: [], feathers: 1, hazards: [kite] }, still, frame, numbers());
    expect(kindsOf(last.happenings)).toEqual(['hit', 'landed']);
    expect(last.world.phase).toBe('landed');
  });

  it('draws coins in with a magnet, and not without one', () => {
    const away = { ...takeOff(newProgress), untilCoin: 99, untilHazard: 99 };
    const coin = { id: 1, x: away.bird.x + 75, y: away.bird.y, worth: 1, left: 9 };
    expect(play({ ...away, coins: [coin] }, () => still, 1).world.haul).toBe(0);
    expect(play({ ...away, coins: [coin], magnet: 1 }, () => still, 1).world.haul).toBe(1);
  });

  it('gets harder with each level, and stays playable', () => {
    for (let level = 1; level < 30; level += 1) {
      expect(hazardPause(level + 1)).toBeLessThanOrEqual(hazardPause(level));
      expect(hazardSpeed(level + 1)).toBeGreaterThanOrEqual(hazardSpeed(level));
    }
    expect(hazardPause(1_000)).toBeGreaterThan(0.3);
    expect(hazardSpeed(1_000)).toBeLessThan(arena.width);
  });
});

describe('the progress', () => {
  it('reads whatever is stored', () => {
    expect(readProgress(undefined)).toEqual(newProgress);
    expect(readProgress({ coins: 12, level: 3, best: 9 })).toEqual({ coins: 12, level: 3, best: 9, magnet: 0 });
    expect(readProgress({ coins: -4, level: 'x', best: Number.NaN, magnet: null })).toEqual(newProgress);
  });

  it('adds coins, keeps the best of the rest, and never owes a coin', () => {
    const kept = { coins: 10, level: 4, best: 8, magnet: 1 };
    expect(addGains(kept, { coins: 5, best: 5, level: 5 })).toEqual({ coins: 15, level: 5, best: 8, magnet: 1 });
    expect(addGains(kept, { coins: -45, magnet: 2 })).toEqual({ coins: 0, level: 4, best: 8, magnet: 2 });
  });

  it('names the price of the next magnet until there is none', () => {
    expect(nextMagnetPrice(newProgress)).toBe(magnetPrices[0]);
    expect(nextMagnetPrice({ ...newProgress, magnet: 3 })).toBeNull();
    expect(nextMagnetPrice({ ...newProgress, magnet: 99 })).toBeNull();
  });
});

describe('what the game says of its saves', () => {
  it('takes a save for empty that holds nothing but what everybody begins with', () => {
    const side = (entries: number, values: object = {}) => {
      const fields = Object.entries(values).map(([field, value]) => ({
        collection: 'progress',
        key: 'main',
        field,
        value,
      }));
      return { userId: '', methods: [], createdAt: 0, changedAt: null, bytes: 0, entries, fields };
    };
    expect(isEmpty(side(0))).toBe(true);
    expect(isEmpty(side(1, newProgress))).toBe(true);
    for (const gain of [{ coins: 1 }, { level: 2 }, { best: 1 }, { magnet: 1 }]) {
      expect(isEmpty(side(1, { ...newProgress, ...gain }))).toBe(false);
    }
    // Another entry than the game's, alone or beside it.
    expect(isEmpty(side(1))).toBe(false);
    expect(isEmpty(side(2, newProgress))).toBe(false);
  });

  it('says what a snapshot holds, and nothing of one without its own entry', () => {
    const entry = (value: object, key = 'main') => ({ collection: 'progress', key, value: value as never });
    expect(describeSnapshot([entry({ coins: 9 }, 'other'), entry({ coins: 23, level: 2, best: 14, magnet: 0 })])).toBe(
      '23 coins, level 2',
    );
    expect(describeSnapshot([entry({ coins: 1, level: 1 })])).toBe('1 coin, level 1');
    expect(describeSnapshot([entry({ coins: 9 }, 'other')])).toBe('');
  });
});
