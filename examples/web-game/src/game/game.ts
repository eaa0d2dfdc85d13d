import { listenToPlayer } from './controls.js';
import type { Gains, Progress } from './progress.js';
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
  /** Called for each coin and each level, as it happens. */
  onGains(gains: Gains): void;
  onLevel(level: number): void;
  onView(view: GameView): void;
}

/** Runs the rules against the clock, the player's hands and the stage. */
export function startGame(options: GameOptions): Game {
  const { stage, progress } = options;
  let world = waitingWorld(progress());
  let paused = false;

  const changed = (): void => options.onView({ world, paused });

  function fly(): void {
    if (!options.mayFly()) return;
    if (world.phase !== 'flying') world = takeOff(progress());
    paused = false;
    changed();
  }

  function pause(): void {
    if (world.phase !== 'flying' || paused) return;
    paused = true;
    changed();
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
    for (const happening of next.happenings) {
      stage.show(happening);
      if (happening.kind === 'coin') options.onGains({ coins: happening.worth, best: world.haul });
      if (happening.kind === 'level') {
        options.onGains({ level: happening.level });
        options.onLevel(happening.level);
      }
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
