// The service as it is, behind a port. `--store` names one of bench/service/stores.mjs.
import { createBackend } from '../../dist/backend/index.js';
import { serve } from '../../dist/backend/node.js';
import { gameId } from './load.mjs';
import { stores } from './stores.mjs';

const { store, close } = await stores[process.argv[2] ?? 'memory']();
const games = [{ id: gameId, privateKeys: ['a key of nobody'] }];
const backend = createBackend({ games, ...(store === undefined ? {} : { store }) });
const { port } = await serve(backend, { port: 0 });
process.send?.({ port });
process.on('message', (what) => {
  // Not before a measurement: a collection throws compiled code away as well.
  if (what === 'memory') globalThis.gc?.();
  process.send?.({ cpu: process.cpuUsage(), memory: process.memoryUsage() });
});
process.on('disconnect', () => void close?.());
