/** What one tab tells the others. */
export interface TabMessage {
  /** The keys under which the storage has something new; undefined for any. */
  readonly keys?: readonly string[] | undefined;
  /** The service has asked for a pause of so many ms. */
  readonly pauseMs?: number | undefined;
}

export interface TabHandlers {
  heard(message: TabMessage): void;
  wake(): void;
  hide(): void;
  seen(isSeen: boolean): void;
}

/** The tabs that share one storage: messages between them, and the life of this page. */
export interface Tabs {
  /**
   * Starts to listen; nothing is opened before. `heard` is called with what another tab tells, `wake` when the page
   * comes back to life or its network does, `hide` when it may be gone the next moment. `seen` is called at once, and
   * when that changes: what nobody can see of the page needs no work.
   */
  listen(handlers: TabHandlers): void;
  /** Tells the other tabs that the storage has something new under this key. Does nothing before `listen`. */
  notify(key: string): void;
  /** Tells the other tabs that the service has asked for a pause. */
  pause(ms: number): void;
  close(): void;
}

/**
 * What a page and its tabs hear of each other by, of a global object; a worker has no document, Node no events either.
 */
export type TabScope = Pick<
  typeof globalThis,
  'document' | 'BroadcastChannel' | 'addEventListener' | 'removeEventListener'
>;

/** Connects this page with the tabs whose storage keys begin with the same prefix. */
export function createTabs(prefix: string, scope: TabScope = globalThis): Tabs {
  const stops: (() => void)[] = [];
  let channel: BroadcastChannel | null = null;
  let changed = new Set<string>();

  function post(message: TabMessage): void {
    try {
      channel?.postMessage(message);
    } catch {
      // The browser has closed the channel. The other tabs look for themselves when they are next played.
    }
  }

  /** One message tells of all that is written in one task. */
  function notify(key: string): void {
    if (channel === null) return;
    if (changed.size === 0) {
      queueMicrotask(() => {
        const keys = [...changed];
        changed = new Set();
        post({ keys });
      });
    }
    changed.add(key);
  }

  return {
    listen: ({ heard, wake, hide, seen }) => {
      channel = openChannel(prefix, scope);
      // An earlier version of this package, in another tab, sends a number.
      if (channel !== null)
        channel.onmessage = ({ data }) => heard(typeof data === 'object' && data !== null ? data : {});
      // Workers hear of the network, too; Node hears of nothing.
      const document = scope.document as Document | undefined;
      if ((scope as Partial<TabScope>).addEventListener === undefined) return;
      stops.push(listenTo(scope, 'online', wake));
      if (document === undefined) return;
      // A message can overtake what was written to localStorage; the storage event cannot. Hearing both does no harm.
      const written = (event: Event): void => {
        const { key } = event as StorageEvent;
        if (key?.startsWith(prefix)) heard({ keys: [key] });
      };
      stops.push(
        listenTo(scope, 'storage', written),
        listenTo(scope, 'pageshow', wake),
        listenTo(scope, 'pagehide', hide),
      );
      const turned = (): void => {
        if (document.hidden) hide();
        else wake();
        seen(!document.hidden);
      };
      stops.push(listenTo(document, 'visibilitychange', turned));
      seen(!document.hidden);
    },
    notify,
    pause: (pauseMs) => post({ pauseMs }),
    close: () => {
      for (const stop of stops.splice(0)) stop();
      channel?.close();
      channel = null;
    },
  };
}

/**
 * Calls back at each event of this type until the function that is returned is called. A page of jsdom refuses a signal
 * of Node's in `addEventListener`, so none is given to it.
 */
function listenTo(
  target: Pick<EventTarget, 'addEventListener' | 'removeEventListener'>,
  type: string,
  callback: (event: Event) => void,
): () => void {
  target.addEventListener(type, callback);
  return () => target.removeEventListener(type, callback);
}

/** Null where the platform has none, or where the browser denies it, as with the site's data switched off. */
function openChannel(name: string, scope: TabScope): BroadcastChannel | null {
  try {
    const channel = new scope.BroadcastChannel(name);
    // Node: an open channel would keep the process alive.
    (channel as { unref?: () => void }).unref?.();
    return channel;
  } catch {
    return null;
  }
}
