// The service as it is, behind a port, on the store whose place is in BENCH_PLACE: in memory without one.
import { createBackend } from '../../dist/backend/index.js';
import { serve } from '../../dist/backend/node.js';
import { gameId } from './load.mjs';
import { report } from './reporting.mjs';
import { openStore } from './store.mjs';

const games = [{ id: gameId, privateKeys: ['a key of nobody'] }];
const store = await openStore(JSON.parse(process.env.BENCH_PLACE ?? '{}'));
const backend = createBackend({ games, ...(store === undefined ? {} : { store }) });
const { port } = await serve(backend, { port: 0 });
report(port);
