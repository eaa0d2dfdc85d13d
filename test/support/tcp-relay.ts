import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address before a server, whose network can fail. */
export interface TcpRelay {
  /** The address of a server, with the relay's host and port in the place of its own. */
  through(url: string): string;
  /**
   * From now on nothing passes, on the connections there are and on new ones, and nobody is told: they stay open, as
   * behind a firewall that drops what it gets. With `answers`, only what the server says does not pass.
   */
  silence(what?: 'all' | 'answers'): void;
  /** New connections pass again; those that were silenced stay so. */
  speak(): void;
  /** Leads new connections to another server, and ends those to the one before; what is silent stays so. */
  leadTo(url: string): void;
  /** How many connections it has been asked for. */
  asked(): number;
  /** How many of them are open, and nobody has asked to close them. */
  open(): number;
  close(): Promise<void>;
}

interface Pair {
  near: Socket;
  far: Socket | null;
  isEnding: boolean;
  isSilenced: boolean;
}

export async function startRelay(to: string): Promise<TcpRelay> {
  let target = new URL(to);
  let isSilent = false;
  let asked = 0;
  const pairs = new Set<Pair>();

  // Half open, for a network that is silent does not even answer a goodbye.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    asked += 1;
    const pair: Pair = { near, far: null, isEnding: false, isSilenced: isSilent };
    pairs.add(pair);
    const ending = (): void => {
      pair.isEnding = true;
    };
    near.on('error', ending).once('end', ending);
    near.once('close', () => {
      pairs.delete(pair);
      pair.far?.destroy();
    });
    if (isSilent) return void near.resume();
    const far = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    pair.far = far;
    far.on('error', () => pair.isSilenced || near.destroy());
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  function end(pair: Pair): void {
    pair.near.destroy();
    pair.far?.destroy();
  }

  return {
    through(url) {
      const address = new URL(url);
      address.hostname = '127.0.0.1';
      address.port = String(port);
      return address.href;
    },
    silence(what = 'all') {
      isSilent = true;
      for (const pair of pairs) {
        const { near, far } = pair;
        pair.isSilenced = true;
        far?.unpipe(near).resume();
        // It still reads, to see when a connection is closed.
        if (what === 'all' && far !== null) near.unpipe(far).resume();
      }
    },
    speak() {
      isSilent = false;
    },
    leadTo(url) {
      target = new URL(url);
      for (const pair of pairs) if (!pair.isSilenced) end(pair);
    },
    asked: () => asked,
    open: () => [...pairs].filter(({ isEnding }) => !isEnding).length,
    async close() {
      for (const pair of pairs) end(pair);
      server.close();
      await once(server, 'close');
    },
  };
}
