// What the service does in a second on every store, beside the least that one of its kind can do, the build of an earlier
// checkout (--before <folder>) and what npm has for the same (--peers), all in one run; how soon it answers; and what an account
// takes. Run by `npm run bench:service`, which builds first. ROUNDS and ACCOUNTS make it shorter or longer. Compare the ratios:
// machines differ.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureMemory } from './service/memory.mjs';
import { startPeers } from './service/peers.mjs';
import { openPlaces } from './service/places.mjs';
import { measureSpeed } from './service/speed.mjs';
import { measureStart } from './service/starting.mjs';

const { values } = parseArgs({ options: { peers: { type: 'boolean', default: false }, before: { type: 'string' } } });
const rounds = Number(process.env.ROUNDS ?? 7);
const accounts = Number(process.env.ACCOUNTS ?? 100_000);

const places = await openPlaces();
try {
  if (rounds > 0) {
    const peers = await startPeers(places, { areWanted: values.peers });
    await measureSpeed(places, { rounds, peers, before: values.before && resolve(values.before, 'dist') });
  }
  await measureStart();
  if (accounts > 0) await measureMemory(places, { accounts });
} finally {
  await places.close();
}
