// What the service does in a second on every store, beside the least that one of its kind can do and, with --peers, what
// npm has for the same, all in one run; how soon it answers; and what an account takes. Run by `npm run bench:service`,
// which builds first. ROUNDS and ACCOUNTS make it shorter or longer. Compare the ratios: machines differ.
import { parseArgs } from 'node:util';
import { measureMemory } from './service/memory.mjs';
import { startPeers } from './service/peers.mjs';
import { openPlaces } from './service/places.mjs';
import { measureSpeed } from './service/speed.mjs';
import { measureStart } from './service/starting.mjs';

const { values } = parseArgs({ options: { peers: { type: 'boolean', default: false } } });
const rounds = Number(process.env.ROUNDS ?? 7);
const accounts = Number(process.env.ACCOUNTS ?? 100_000);

const places = await openPlaces();
try {
  if (rounds > 0) await measureSpeed(places, { rounds, peers: await startPeers(places, { areWanted: values.peers }) });
  await measureStart();
  if (accounts > 0) await measureMemory(places, { accounts });
} finally {
  await places.close();
}
