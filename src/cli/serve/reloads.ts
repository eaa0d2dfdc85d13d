import { eventLine } from './json-log.js';

/** Reads the configuration again, one time after another. */
export interface Reloads {
  /** Asks for it. What is asked for while one runs is one more, and what comes before `begin` waits for it. */
  ask(): void;
  /** From now on `reload` is called; what it answers, or why it rejects, is in the log. */
  begin(reload: () => Promise<{ [name: string]: unknown }>): void;
  /** Carries out none any more, and settles when none runs. */
  end(): Promise<void>;
}

export function createReloads({ out, now }: { out(line: string): void; now(): number }): Reloads {
  let reload: (() => Promise<{ [name: string]: unknown }>) | null = null;
  let isAsked = false;
  let running: Promise<void> | null = null;

  async function carryOut(): Promise<void> {
    while (isAsked && reload !== null) {
      isAsked = false;
      try {
        const told = await reload();
        out(eventLine(now(), 'reloaded', told));
      } catch (error) {
        const message = error instanceof Error ? error.message : 'it failed';
        out(eventLine(now(), 'reload_refused', { level: 'error', message, goesOn: 'with the former configuration' }));
      }
    }
    running = null;
  }

  function runIfAsked(): void {
    if (isAsked && reload !== null) running ??= carryOut();
  }

  return {
    ask() {
      isAsked = true;
      runIfAsked();
    },
    begin(given) {
      reload = given;
      runIfAsked();
    },
    async end() {
      reload = null;
      await running;
    },
  };
}
