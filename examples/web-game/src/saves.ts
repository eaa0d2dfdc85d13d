import { addGains, type Gains, isNothing, newProgress, noGains, type Progress, readProgress } from './game/progress.js';

type Value = Record<string, unknown>;

/** Where the progress is kept: the player's own entry (player.ts). */
export interface SaveSlot {
  load(): Promise<Value | undefined>;
  /** Reads, changes and writes in one; gives back what is stored now. */
  update(change: (stored: Value | undefined) => Value): Promise<Value>;
}

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed';

export interface Saves {
  /** What is stored, with everything since then on top: right for the player at any moment, online or not. */
  readonly progress: Progress;
  readonly state: SaveState;
  add(gains: Gains): void;
  /** Stores what is new; on failure it is kept and tried again by itself. Resolves to whether all is stored. */
  save(): Promise<boolean>;
  /** Forgets what was shown and reads the account that plays now. */
  open(): Promise<void>;
}

export interface SavesOptions {
  slot: SaveSlot;
  onChange(): void;
  setTimer?: (action: () => void, ms: number) => unknown;
}

const firstRetryMs = 2_000;
const lastRetryMs = 30_000;

/** A batch of gains, and the mark that tells whether a write whose answer was lost has arrived after all. */
interface Batch {
  gains: Gains;
  mark: string;
}

/** Keeps the progress: gains pile up here, one write at a time carries them to the service. */
export function createSaves({ slot, onChange, setTimer = setTimeout }: SavesOptions): Saves {
  let stored: Progress = newProgress;
  let fresh: Gains = noGains;
  let batch: Batch | null = null;
  let running: Promise<boolean> | null = null;
  let failures = 0;
  let isLoaded = false;
  // Rises with each account, so that an answer for the last one changes nothing.
  let account = 0;
  // Only the last planned retry counts.
  let plan = 0;

  function take(value: Value | undefined): void {
    stored = readProgress(value);
    isLoaded = true;
  }

  async function write(current: Batch): Promise<void> {
    const opened = account;
    const value = await slot.update((now) => {
      if (now?.['mark'] === current.mark) return now;
      const sum = addGains(readProgress(now), current.gains);
      return { ...now, ...sum, coins: Math.max(0, sum.coins), mark: current.mark };
    });
    if (opened !== account) return;
    take(value);
    batch = null;
  }

  async function read(): Promise<void> {
    const opened = account;
    const value = await slot.load();
    if (opened === account) take(value);
  }

  /** One write after another until nothing is left, or one fails. */
  async function run(): Promise<boolean> {
    const opened = account;
    try {
      while (opened === account && (batch !== null || !isNothing(fresh) || !isLoaded)) {
        if (batch === null && !isNothing(fresh)) {
          batch = { gains: fresh, mark: crypto.randomUUID() };
          fresh = noGains;
        }
        await (batch === null ? read() : write(batch));
        failures = 0;
      }
    } catch {
      if (opened === account) {
        failures += 1;
        retryLater();
      }
    }
    return opened === account && failures === 0;
  }

  function retryLater(): void {
    plan += 1;
    const mine = plan;
    setTimer(
      () => {
        if (mine === plan && failures > 0) void save();
      },
      Math.min(lastRetryMs, firstRetryMs * 2 ** (failures - 1)),
    );
  }

  function save(): Promise<boolean> {
    if (running !== null) return running;
    const mine = run().finally(() => {
      if (running === mine) running = null;
      onChange();
    });
    running = mine;
    onChange();
    return mine;
  }

  return {
    get progress() {
      return addGains(batch === null ? stored : addGains(stored, batch.gains), fresh);
    },
    get state() {
      if (failures > 0) return 'failed';
      if (running !== null || !isLoaded) return 'saving';
      return isNothing(fresh) ? 'saved' : 'unsaved';
    },
    add(gains) {
      fresh = addGains(fresh, gains);
      onChange();
    },
    save,
    async open() {
      account += 1;
      plan += 1;
      stored = newProgress;
      fresh = noGains;
      batch = null;
      running = null;
      failures = 0;
      isLoaded = false;
      await save();
    },
  };
}
