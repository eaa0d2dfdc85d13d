/** The tabs that share one storage: messages between them, and the life of this page. */
export interface Tabs {
  /**
   * Starts to listen; nothing is opened before. `wake` is called when another tab has written, and when the page
   * comes back to life; `hide` when the page may be gone the next moment.
   */
  listen(handlers: { wake: () => void; hide: () => void }): void;
  /** Tells the other tabs that the storage has something new. Does nothing before `listen`. */
  notify(): void;
  close(): void;
}

/** Connects this page with the tabs whose storage keys begin with the same prefix. */
export function createTabs(prefix: string): Tabs {
  const closed = new AbortController();
  let channel: BroadcastChannel | null = null;

  return {
    listen: ({ wake, hide }) => {
      const { signal } = closed;
      // A message can overtake what was written to localStorage; the storage event cannot. Hearing both does no harm:
      // `wake` only looks at what is stored.
      if (typeof BroadcastChannel !== 'undefined') {
        channel = new BroadcastChannel(prefix);
        channel.onmessage = wake;
        // Node: an open channel would keep the process alive.
        (channel as { unref?: () => void }).unref?.();
      }
      if (typeof document === 'undefined') return;
      addEventListener('storage', (event) => event.key?.startsWith(prefix) && wake(), { signal });
      addEventListener('online', wake, { signal });
      addEventListener('pageshow', wake, { signal });
      addEventListener('pagehide', hide, { signal });
      document.addEventListener('visibilitychange', () => (document.hidden ? hide() : wake()), { signal });
    },
    notify: () => channel?.postMessage(0),
    close: () => {
      closed.abort();
      channel?.close();
      channel = null;
    },
  };
}
