import { listenToPlayer } from './controls.js';
import type { Gains, Progress } from './progress.js';
import { noGains } from './progress.js';
import type { Stage } from './stage.js';
import { step, takeOff, type World, waitingWorld } from './world.js';

export interface GameView {
  world: World;
  paused: boolean;
}

export interface Game {
  /** Starts a flight, or goes on with a paused one. */
  fly(): void;
  pause(): void;
  /** Back to the start, with the numbers of the account that plays now. */
  reset(): void;
  readonly view: GameView;
}

export interface GameOptions {
  canvas: HTMLCanvasElement;
  stage: Stage;
  /** What the player has now. */
  progress(): Progress;
  /** Whether a flight may start: somebody is signed in and no dialog is open. */
  mayFly(): boolean;
  onGains(gains: Gains): void;
  /** A moment worth a save: five more coins, a level, a pause, the end of a flight. */
  onMoment(): void;
  onLevel(level: number): void;
  onView(view: GameView): void;
}

const coinsInABatch = 5;

/** Runs the rules against the clock, the player's hands and the stage. */
export function startGame(options: GameOptions): Game {
  const { stage, progress } = options;
  let world = waitingWorld(progress());
  let paused = false;
  let coinsSinceSave = 0;

  const changed = (): void => options.onView({ world, paused });

  function fly(): void {
    if (!options.mayFly()) return;
    if (world.phase !== 'flying') {
      world = takeOff(progress());
      coinsSinceSave = 0;
    }
    paused = false;
    changed();
  }

  function pause(): void {
    if (world.phase !== 'flying' || paused) return;
    paused = true;
    changed();
    options.onMoment();
  }

  const controls = listenToPlayer(options.canvas, {
    fly: () => (world.phase === 'flying' && !paused ? null : fly()),
    pause,
  });
  addEventListener('blur', pause);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) pause();
  });

  stage.run((dt) => {
    if (paused) return world;
    const before = world;
    // A magnet bought in the middle of a flight pulls at once.
    const next = step({ ...world, magnet: progress().magnet }, controls.steering(), dt, Math.random);
    world = next.world;
    let moment = false;
    for (const happening of next.happenings) {
      stage.show(happening);
      if (happening.kind === 'coin') {
        options.onGains({ ...noGains, coins: happening.worth, best: world.haul });
        coinsSinceSave += happening.worth;
      }
      if (happening.kind === 'level') {
        options.onGains({ ...noGains, level: happening.level });
        options.onLevel(happening.level);
      }
      if (happening.kind === 'level' || happening.kind === 'landed' || coinsSinceSave >= coinsInABatch) moment = true;
    }
    if (moment) {
      coinsSinceSave = 0;
      options.onMoment();
    }
    if (next.happenings.length > 0 || before.phase !== world.phase) changed();
    return world;
  });
  changed();

  return {
    fly,
    pause,
    reset() {
      world = waitingWorld(progress());
      paused = false;
      changed();
    },
    get view() {
      return { world, paused };
    },
  };
}
