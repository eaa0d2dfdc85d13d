// What an account takes on each store, and whether the service grows with the accounts: they come over HTTP, as players do.
import { load } from './load.mjs';
import { creation, entries, guest, tokenOf } from './players.mjs';
import { start } from './processes.mjs';

/** As JSON exactly 1 kB. */
const value = { filler: 'x'.repeat(1_024 - '{"filler":""}'.length) };
/** At these parts of the accounts; before the first, the service has loaded and compiled what it needs for any number. */
const looks = [0.01, 0.1, 0.25, 0.5, 1];

/** Signs so many guests in, each of whom then makes its entries. */
async function fill(port, accounts, onAccount) {
  const players = [];
  let begun = 0;
  function next(index) {
    const player = players[index];
    if (player !== undefined && player.written < entries) {
      player.written += 1;
      return creation(player.token, player.written, value);
    }
    if (player !== undefined) onAccount();
    players[index] = undefined;
    if (begun === accounts) return null;
    begun += 1;
    return guest();
  }
  function onAnswer(body, index) {
    players[index] ??= { token: tokenOf(body), written: 0 };
  }
  // Many at once share a commit. Asleep between answers, as the database needs the processor more.
  await load(port, next, { connections: 64, ms: Number.POSITIVE_INFINITY, onAnswer, isAwake: false });
}

/** One line that rewrites itself, or one each 10 % where that cannot be seen. */
function progressOf(store, accounts) {
  const startedAt = performance.now();
  const { isTTY } = process.stderr;
  let made = 0;
  const step = Math.max(1, Math.round(accounts / (isTTY ? 200 : 10)));
  return () => {
    made += 1;
    if (made % step !== 0 && made !== accounts) return;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    const line = `${store}: ${made} of ${accounts} accounts, ${seconds} s`;
    process.stderr.write(isTTY ? `\r${line}${made === accounts ? '\r\u001b[K' : ''}` : `${line}\n`);
  };
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(0);

async function measureStore(places, store, accounts) {
  const place = places.newPlace(store);
  // Only here: what is measured is room, not time.
  const env = { PGOPTIONS: '-c synchronous_commit=off' };
  const service = await start('./ours.mjs', { place, env, execArgv: ['--max-old-space-size=4096'] });
  const onAccount = progressOf(store, accounts);
  const startedAt = performance.now();
  const seen = [];
  let made = 0;
  for (const part of looks) {
    const wanted = Math.round(accounts * part);
    await fill(service.port, wanted - made, onAccount);
    made = wanted;
    const { rss, heapUsed, external } = (await service.ask('memory')).memory;
    seen.push({ made, rss, heap: heapUsed + external });
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await service.stop();
  const [first, last] = [seen[0], seen.at(-1)];
  const size = await places.sizeOf(place);
  const bytes = size === null ? (last.heap - first.heap) / (last.made - first.made) : size / accounts;
  return { bytes, seen, seconds };
}

/** Fills each store in turn, and prints a line for each. */
export async function measureMemory(places, { accounts }) {
  const kept = { memory: 'in the heap', SQLite: 'in its file', PostgreSQL: 'in its relations' };
  const what = `a session and ${entries} entries of 1,024 bytes`;
  console.log(`\n${accounts} accounts, each with ${what}, made over HTTP; one process for each store`);
  if (places.stores.includes('PostgreSQL')) console.log('PostgreSQL is filled with synchronous_commit off');
  const parts = looks.map((part) => `${part * 100} %`.padStart(12));
  console.log(`${'bytes an account'.padEnd(42)}MB of the process, all / heap, at${'filled in'.padStart(38)}`);
  console.log(`${''.padEnd(34)}${parts.join('')}`);
  for (const store of places.stores) {
    const { bytes, seen, seconds } = await measureStore(places, store, accounts);
    const columns = [
      store.padEnd(10),
      bytes.toFixed(0).padStart(7),
      ` ${kept[store]}`.padEnd(17),
      ...seen.map(({ rss, heap }) => `${megabytes(rss)} / ${megabytes(heap)}`.padStart(12)),
      `${seconds.toFixed(0)} s`.padStart(18),
    ];
    console.log(columns.join(''));
  }
}
