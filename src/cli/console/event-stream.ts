import { Refusal } from '../../backend/refusal.js';

/** Sends events to browsers that listen (server-sent events, as the HTML standard has them). */
export interface EventStream {
  /** Sends an event to all who listen; one who has too much to read already is let go. */
  publish(event: { id: string; data: object }): void;
  /**
   * An answer that goes on: what is remembered, from behind the event `after` where that is there, and what comes.
   * Refuses with `unavailable` where too many listen.
   */
  listen(listener: { after: string | null; isAllowed(): Promise<boolean> }): Response;
  /**
   * Says to all that it is still there, so that a connection that is gone is noticed, and lets those go who
   * may not listen any more.
   */
  beat(): Promise<void>;
  /** Ends all answers, and begins none. */
  end(): void;
}

export interface EventStreamLimits {
  /** How many events are remembered for who comes later, and how many bytes. */
  remembered: { events: number; bytes: number };
  /** How many bytes may wait for one who reads slowly. */
  waitingBytes: number;
  /** How many may listen. */
  listeners: number;
}

interface Listener {
  controller: ReadableStreamDefaultController<Uint8Array>;
  isAllowed(): Promise<boolean>;
}

/** A browser that has lost the connection tries again after this. */
const retryMs = 2_000;
const encoder = new TextEncoder();
const heartbeat = encoder.encode(': still here\n\n');

/** `onHeard` is told when somebody begins to listen, and when nobody does any more. */
export function createEventStream(
  limits: EventStreamLimits,
  onHeard: (isHeard: boolean) => void = () => {},
): EventStream {
  const listeners = new Set<Listener>();
  const remembered: { id: string; bytes: Uint8Array }[] = [];
  let rememberedBytes = 0;
  let hasEnded = false;

  function remember(id: string, bytes: Uint8Array): void {
    remembered.push({ id, bytes });
    rememberedBytes += bytes.length;
    const { events, bytes: maxBytes } = limits.remembered;
    while (remembered.length > events || rememberedBytes > maxBytes) {
      rememberedBytes -= remembered.shift()?.bytes.length ?? 0;
    }
  }

  function send(listener: Listener, bytes: Uint8Array): void {
    // What waits for a reader is dropped with the error, and its connection is cut.
    if ((listener.controller.desiredSize ?? 0) <= 0)
      letGo(listener, () => listener.controller.error(new Error('slow')));
    else listener.controller.enqueue(bytes);
  }

  function letGo(listener: Listener, how: () => void): void {
    if (leave(listener)) how();
  }

  function leave(listener: Listener): boolean {
    if (!listeners.delete(listener)) return false;
    if (listeners.size === 0) onHeard(false);
    return true;
  }

  return {
    publish({ id, data }) {
      if (limits.remembered.events === 0 && listeners.size === 0) return;
      const bytes = encoder.encode(`event: request\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
      remember(id, bytes);
      for (const listener of [...listeners]) send(listener, bytes);
    },

    listen({ after, isAllowed }) {
      if (hasEnded) throw new Refusal('unavailable', { retryAfterMs: retryMs });
      if (listeners.size >= limits.listeners) {
        const limitName = 'console.streamListeners';
        throw new Refusal('unavailable', { retryAfterMs: retryMs, limitName, detail: 'Too many pages listen.' });
      }
      let own: Listener | null = null;
      const size = (bytes: Uint8Array | undefined): number => bytes?.length ?? 0;
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            own = { controller, isAllowed };
            listeners.add(own);
            if (listeners.size === 1) onHeard(true);
            controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
            const seen = remembered.findIndex(({ id }) => id === after);
            for (const { bytes } of remembered.slice(seen + 1)) controller.enqueue(bytes);
          },
          cancel() {
            if (own !== null) leave(own);
          },
        },
        { highWaterMark: limits.waitingBytes, size },
      );
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' } });
    },

    async beat() {
      await Promise.all(
        [...listeners].map(async (listener) => {
          // Where the store cannot say, nobody may.
          if (await listener.isAllowed().catch(() => false)) send(listener, heartbeat);
          else letGo(listener, () => listener.controller.close());
        }),
      );
    },

    end() {
      hasEnded = true;
      for (const listener of [...listeners]) letGo(listener, () => listener.controller.close());
    },
  };
}
