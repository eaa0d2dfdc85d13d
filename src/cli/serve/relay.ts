/** What processes on one port tell each other, about the requests that they answer above all. The first process passes it on. */
import type { LogRecord } from '../../backend/index.js';
import type { OtherProcesses, ShownEvent } from '../console/request-watch.js';

/** What should be set in another way. */
export type Warning = Extract<LogRecord, { kind: 'warning' }>;

/**
 * From a process to the first one: it asks for the numbers of the others, says whether a page of its own
 * watches, shows a request, or warns.
 */
export type FromPart = { gather: number } | { hears: boolean } | { shown: ShownEvent } | { warns: Warning };

/**
 * From the first process to one: the numbers that it has asked for, whether pages of others watch,
 * a request of another one, or the code of what one has warned of.
 */
export type ToPart =
  | { gathered: number; of: unknown[] }
  | { isHeard: boolean }
  | { shown: ShownEvent }
  | { warned: Warning['code'] };

/** The others, as a process knows them. */
export interface Others extends OtherProcesses {
  /** Warns for all: it is logged once, and all that serve hear of it. */
  warn(warning: Warning): void;
  onWarned(listener: (code: Warning['code']) => void): void;
}

/** A process, as the one between them sees it. */
export interface RelayedProcess {
  /** What it knows of its requests; null where it does not answer in time. */
  numbers(): Promise<unknown>;
  tell(message: ToPart): void;
}

/** Passes on between processes what each tells. */
export interface Relay {
  /** A process that takes connections by now. */
  begin(number: number, one: RelayedProcess): void;
  /** One that has ended. */
  end(number: number): void;
  take(number: number, message: FromPart): void;
  /** The configuration is read anew: what was warned of may be so again. */
  forgetWarnings(): void;
}

/** `warn` hears each warning once, whichever processes have it. */
export function createRelay(warn: (warning: Warning) => void): Relay {
  const there = new Map<number, RelayedProcess>();
  const hearing = new Set<number>();
  const warned = new Set<Warning['code']>();

  const others = (number: number): RelayedProcess[] =>
    [...there].filter(([other]) => other !== number).map(([, one]) => one);

  /** No process sends a request that nobody looks at. */
  function tellWhoIsHeard(): void {
    for (const [number, one] of there) one.tell({ isHeard: [...hearing].some((other) => other !== number) });
  }

  async function gather(number: number, id: number): Promise<void> {
    const of = await Promise.all(others(number).map((one) => one.numbers()));
    there.get(number)?.tell({ gathered: id, of });
  }

  /** All are told each time: one may have read its configuration anew, and forgotten it, after it was told last. */
  function passOn(warning: Warning): void {
    if (!warned.has(warning.code)) warn(warning);
    warned.add(warning.code);
    for (const one of there.values()) one.tell({ warned: warning.code });
  }

  return {
    begin(number, one) {
      there.set(number, one);
      tellWhoIsHeard();
      for (const code of warned) one.tell({ warned: code });
    },
    end(number) {
      there.delete(number);
      if (hearing.delete(number)) tellWhoIsHeard();
    },
    take(number, message) {
      if ('gather' in message) void gather(number, message.gather);
      else if ('warns' in message) passOn(message.warns);
      else if ('shown' in message) {
        for (const other of hearing) if (other !== number) there.get(other)?.tell({ shown: message.shown });
      } else {
        if (message.hears) hearing.add(number);
        else hearing.delete(number);
        tellWhoIsHeard();
      }
    },
    forgetWarnings: () => warned.clear(),
  };
}

/** A page waits no longer for what other processes know: the first one gives each of them less. */
const patienceMs = 6_000;

/** What a process knows of the others. */
export function createOthers({
  send,
  wait,
}: {
  send(message: FromPart): void;
  wait(ms: number): Promise<void>;
}): Others & { take(message: ToPart): void } {
  const asked = new Map<number, (of: unknown[]) => void>();
  let id = 0;
  let isHeard = false;
  let onShown: (event: ShownEvent) => void = () => {};
  let onWarned: (code: Warning['code']) => void = () => {};

  return {
    async gather() {
      id += 1;
      const own = id;
      const answered = new Promise<unknown[]>((resolve) => asked.set(own, resolve));
      send({ gather: own });
      const of = await Promise.race([answered, wait(patienceMs).then(() => [null])]);
      asked.delete(own);
      return of;
    },
    show(shown) {
      if (isHeard) send({ shown });
    },
    onShown(listener) {
      onShown = listener;
    },
    hear(hears) {
      send({ hears });
    },
    warn(warns) {
      send({ warns });
    },
    onWarned(listener) {
      onWarned = listener;
    },
    take(message) {
      if ('gathered' in message) asked.get(message.gathered)?.(message.of);
      else if ('shown' in message) onShown(message.shown);
      else if ('warned' in message) onWarned(message.warned);
      else isHeard = message.isHeard;
    },
  };
}
