/** The rules of the game: no drawing, no clock, no saving. One step in, one step out. */

export const arena = { width: 640, height: 400 } as const;

export interface Point {
  x: number;
  y: number;
}

export interface Bird extends Point {
  vx: number;
  vy: number;
  /** 1 looks right, -1 left. */
  facing: 1 | -1;
  /** Seconds for which nothing can hit it. */
  safe: number;
}

export interface Coin extends Point {
  id: number;
  worth: number;
  /** Seconds until it is gone. */
  left: number;
}

export interface Hazard extends Point {
  id: number;
  kind: 'kite' | 'acorn';
  vx: number;
  vy: number;
  age: number;
}

export interface World {
  phase: 'waiting' | 'flying' | 'landed';
  time: number;
  level: number;
  /** Coins of this flight. */
  haul: number;
  /** Coins towards the next level. */
  gathered: number;
  feathers: number;
  magnet: number;
  bird: Bird;
  coins: Coin[];
  hazards: Hazard[];
  untilHazard: number;
  untilCoin: number;
  nextId: number;
}

/** Where the player steers: a direction (keys), or a point to fly to (a finger). */
export type Steering = { x: number; y: number } | { to: Point };

export type Happening =
  | { kind: 'coin'; at: Point; worth: number }
  | { kind: 'hit'; at: Point; feathers: number }
  | { kind: 'level'; level: number }
  | { kind: 'landed'; haul: number };

export const feathersAtStart = 3;
const maxSpeed = 265;
const push = 1500;
const drag = 5.2;
const catchRadius = 29;
const hitRadius = { kite: 25, acorn: 20 } as const;
const coinsInTheAir = 3;
/** Above the nest. */
export const birdStart: Bird = { x: 118, y: 318, vx: 0, vy: 0, facing: 1, safe: 0 };

/** How many coins a level takes. */
export function goalOf(level: number): number {
  return 8 + 2 * level;
}

export function hazardPause(level: number): number {
  return Math.max(0.5, 2.3 * 0.88 ** (level - 1));
}

export function hazardSpeed(level: number): number {
  return Math.min(280, 92 + 14 * level);
}

/** How far a magnet reaches. */
function magnetReach(magnet: number): number {
  return magnet === 0 ? 0 : 50 + 35 * magnet;
}

export function waitingWorld(kept: { level: number; magnet: number }): World {
  return {
    phase: 'waiting',
    time: 0,
    level: kept.level,
    haul: 0,
    gathered: 0,
    feathers: feathersAtStart,
    magnet: kept.magnet,
    bird: birdStart,
    coins: openingTrail(),
    hazards: [],
    untilHazard: 3,
    untilCoin: 1,
    nextId: 100,
  };
}

export function takeOff(kept: { level: number; magnet: number }): World {
  return { ...waitingWorld(kept), phase: 'flying' };
}

/** Moves the world on by `dt` seconds. `random` gives numbers from 0 up to 1. */
export function step(
  world: World,
  steering: Steering,
  dt: number,
  random: () => number,
): { world: World; happenings: Happening[] } {
  if (world.phase !== 'flying') return { world: { ...world, time: world.time + dt }, happenings: [] };
  const happenings: Happening[] = [];
  const bird = fly(world.bird, steering, dt);
  const next: World = {
    ...world,
    time: world.time + dt,
    bird,
    coins: drawIn(world.coins, bird, world.magnet, dt),
    hazards: moveHazards(world.hazards, dt),
    untilHazard: world.untilHazard - dt,
    untilCoin: world.untilCoin - dt,
  };
  catchCoins(next, happenings);
  meetHazards(next, happenings);
  if (next.phase === 'flying') bringMore(next, random);
  return { world: next, happenings };
}

function fly(bird: Bird, steering: Steering, dt: number): Bird {
  const wish = 'to' in steering ? towards(bird, steering.to) : unit(steering.x, steering.y);
  const slow = Math.exp(-drag * dt);
  let vx = bird.vx * slow + wish.x * push * dt;
  let vy = bird.vy * slow + wish.y * push * dt;
  const speed = Math.hypot(vx, vy);
  if (speed > maxSpeed) {
    vx *= maxSpeed / speed;
    vy *= maxSpeed / speed;
  }
  return {
    x: clamp(bird.x + vx * dt, 24, arena.width - 24),
    y: clamp(bird.y + vy * dt, 22, arena.height - 34),
    vx,
    vy,
    facing: wish.x > 0.2 ? 1 : wish.x < -0.2 ? -1 : bird.facing,
    safe: Math.max(0, bird.safe - dt),
  };
}

function drawIn(coins: Coin[], bird: Bird, magnet: number, dt: number): Coin[] {
  const reach = magnetReach(magnet);
  return coins
    .map((coin) => {
      const distance = Math.hypot(bird.x - coin.x, bird.y - coin.y);
      const pull = distance > 1 && distance < reach ? Math.min(distance, 230 * dt) / distance : 0;
      return {
        ...coin,
        x: coin.x + (bird.x - coin.x) * pull,
        y: coin.y + (bird.y - coin.y) * pull,
        left: coin.left - dt,
      };
    })
    .filter((coin) => coin.left > 0);
}

function moveHazards(hazards: Hazard[], dt: number): Hazard[] {
  return hazards
    .map((hazard) => {
      const age = hazard.age + dt;
      const sway = hazard.kind === 'kite' ? Math.cos(age * 2.4) * 52 : 0;
      return { ...hazard, age, x: hazard.x + hazard.vx * dt, y: hazard.y + (hazard.vy + sway) * dt };
    })
    .filter((hazard) => hazard.x > -70 && hazard.x < arena.width + 70 && hazard.y < arena.height + 40);
}

function catchCoins(world: World, happenings: Happening[]): void {
  const caught = world.coins.filter((coin) => near(coin, world.bird, catchRadius));
  if (caught.length === 0) return;
  world.coins = world.coins.filter((coin) => !caught.includes(coin));
  for (const coin of caught) {
    world.haul += coin.worth;
    world.gathered += coin.worth;
    happenings.push({ kind: 'coin', at: { x: coin.x, y: coin.y }, worth: coin.worth });
    if (world.gathered < goalOf(world.level)) continue;
    world.gathered -= goalOf(world.level);
    world.level += 1;
    // A breath before the harder level, and a feather back.
    world.feathers = Math.min(feathersAtStart, world.feathers + 1);
    world.untilHazard = 2;
    happenings.push({ kind: 'level', level: world.level });
  }
}

function meetHazards(world: World, happenings: Happening[]): void {
  if (world.bird.safe > 0) return;
  const hit = world.hazards.find((hazard) => near(hazard, world.bird, hitRadius[hazard.kind]));
  if (hit === undefined) return;
  world.feathers -= 1;
  world.bird = { ...world.bird, safe: 1.6 };
  world.hazards = world.hazards.filter((hazard) => hazard !== hit);
  happenings.push({ kind: 'hit', at: { x: hit.x, y: hit.y }, feathers: world.feathers });
  if (world.feathers > 0) return;
  world.phase = 'landed';
  happenings.push({ kind: 'landed', haul: world.haul });
}

function bringMore(world: World, random: () => number): void {
  if (world.untilHazard <= 0) {
    world.untilHazard = hazardPause(world.level) * (0.75 + random() * 0.5);
    world.hazards = [...world.hazards, newHazard(world.nextId, world.level, random)];
    world.nextId += 1;
  }
  if (world.untilCoin <= 0 && world.coins.length < coinsInTheAir) {
    world.untilCoin = 0.35;
    world.coins = [...world.coins, newCoin(world, random)];
    world.nextId += 1;
  }
}

function newHazard(id: number, level: number, random: () => number): Hazard {
  const speed = hazardSpeed(level) * (0.85 + random() * 0.4);
  if (level >= 3 && random() < 0.35) {
    return { id, kind: 'acorn', x: 40 + random() * (arena.width - 80), y: -30, vx: 0, vy: speed * 1.15, age: 0 };
  }
  const fromLeft = random() < 0.5;
  return {
    id,
    kind: 'kite',
    x: fromLeft ? -50 : arena.width + 50,
    y: 50 + random() * (arena.height - 130),
    vx: fromLeft ? speed : -speed,
    vy: 0,
    age: random() * 2,
  };
}

function newCoin(world: World, random: () => number): Coin {
  // Not under the bird's beak: a few tries are enough, the last one stands.
  let at = anywhere(random);
  for (let tries = 0; tries < 4 && near(at, world.bird, 120); tries += 1) at = anywhere(random);
  const precious = random() < 0.12;
  return { id: world.nextId, ...at, worth: precious ? 5 : 1, left: precious ? 4.5 : 9 };
}

function anywhere(random: () => number): Point {
  return { x: 45 + random() * (arena.width - 90), y: 45 + random() * (arena.height - 125) };
}

/** A flight begins with five coins right ahead: they show what the game is about before the first kite comes. */
function openingTrail(): Coin[] {
  return [0, 1, 2, 3, 4].map((index) => ({
    id: index,
    x: 210 + index * 76,
    y: birdStart.y - 6 + Math.sin(index * 1.3) * 14,
    worth: 1,
    left: 60,
  }));
}

function near(a: Point, b: Point, distance: number): boolean {
  return Math.hypot(a.x - b.x, a.y - b.y) < distance;
}

function unit(x: number, y: number): Point {
  const length = Math.hypot(x, y);
  return length === 0 ? { x: 0, y: 0 } : { x: x / length, y: y / length };
}

/** Full speed from afar, gently when close, so that the bird rests under the finger. */
function towards(from: Point, to: Point): Point {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const direction = unit(to.x - from.x, to.y - from.y);
  const force = Math.min(1, distance / 60);
  return { x: direction.x * force, y: direction.y * force };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
