// How long `savepoint move` takes, and for how long of that nobody can write, from PostgreSQL to a file and from that file to
// PostgreSQL, with accounts as in the bench of scale: a device, a session and two entries of 1 kB each. Meanwhile a service
// has the store open, and players come and save there, one after the other; SERVED=no leaves the service out. Run by `node bench/move.mjs` after `npm run build:js`;
// ACCOUNTS=100000,1000000 chooses the sizes. A million accounts take 15 GB of disk.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { createPostgresStore } from '../dist/backend/postgres.js';
import { findPostgres } from '../scripts/postgres.mjs';
import { fill } from './scale/fill.mjs';
import { openPlaces } from './service/places.mjs';

const sizes = (process.env.ACCOUNTS ?? '100000').split(',').map(Number);
const command = resolve(new URL('../dist/cli/savepoint.js', import.meta.url).pathname);

/** Has the command say at its end how many ms of processor time it took. */
const tellsCost =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.error("cost",(user+system)/1e3)})';

/** What `savepoint move --json` answers, and the processor time that it took, in seconds. */
async function move(from, to) {
  const env = { ...process.env, SAVEPOINT_STORE: from, SAVEPOINT_MOVE_TO: to };
  const child = spawn(process.execPath, ['--import', tellsCost, command, 'move', '--json'], { env });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`savepoint move ended with ${code}: ${errors}`);
  return { ...JSON.parse(out), cost: Number(/cost ([\d.]+)/.exec(errors)?.[1]) / 1_000 };
}

const unlimited = ['--new-guests-per-address-per-hour', '100000000', '--rate', 'signInsPerAddress=100000000/60'];

/** A service on a store, and players who come and save until they are refused; answers how many of them could. */
async function playOn(store) {
  const gameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
  const key = await new Promise((done) => {
    const made = spawn(process.execPath, [command, 'new-key', 'signing']);
    let text = '';
    made.stdout.on('data', (more) => {
      text += more;
    });
    made.on('close', () => done(text));
  });
  const env = {
    ...process.env,
    ...{ SAVEPOINT_GAME_ID: gameId, SAVEPOINT_PRIVATE_KEY: 'a'.repeat(64), SAVEPOINT_SIGNING_KEY: key },
    ...{ SAVEPOINT_STORE: store, SAVEPOINT_PORT: '0' },
  };
  const child = spawn(process.execPath, [command, 'serve', ...unlimited], { env });
  const url = await new Promise((done, fail) => {
    let said = '';
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    child.once('close', () => fail(new Error(`savepoint serve ended: ${errors}`)));
    child.stdout.on('data', (text) => {
      said += text;
      const line = said.split('\n').find((one) => one.includes('"listening"'));
      if (line !== undefined) done(JSON.parse(line).url);
    });
  });
  let [isOver, players] = [false, 0];
  const play = async () => {
    while (!isOver) {
      const body = JSON.stringify({ game_id: gameId, env: 0, device_id: crypto.randomUUID() });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/v2/auth/guest`, { method: 'POST', headers, body }).catch(() => null);
      if (answer?.status !== 200) return;
      players += 1;
    }
  };
  const playing = play();
  return async () => {
    isOver = true;
    child.kill('SIGTERM');
    await new Promise((done) => (child.exitCode === null ? child.once('close', done) : done()));
    await playing;
    return players;
  };
}

function addressOf({ connectionString, schema }) {
  const url = new URL(connectionString);
  url.searchParams.set('schema', schema);
  return url.href;
}

console.log(`Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)} before`);
const places = await openPlaces();
try {
  for (const size of sizes) {
    const [first, second] = [places.newPlace('PostgreSQL'), places.newPlace('PostgreSQL')];
    const { file } = places.newPlace('SQLite');
    await (await createPostgresStore(first)).close();
    const psql = join(findPostgres() ?? '', 'psql');
    await fill({ psql, ...first }, { accounts: size, now: Date.now(), say: () => {} });
    const report = async (what, from, to) => {
      const end = process.env.SERVED === 'no' ? async () => 0 : await playOn(from);
      const { rows, seconds, heldSeconds, changed, cost } = await move(from, to);
      const players = await end();
      const bytes = await places.sizeOf(to === file ? { file } : second);
      const load = loadavg()[0].toFixed(1);
      console.log(
        `${size} accounts, ${what}: ${seconds.toFixed(1)} s, nobody could write for ` +
          `${heldSeconds.toFixed(1)} s; ${players} players came, ${changed} rows had changed; ${Math.round(size / seconds)} accounts a second, ` +
          `${rows} rows, ${(bytes / 1e9).toFixed(2)} GB, ${cost.toFixed(0)} s of the command's processor time; load ${load}`,
      );
    };
    await report('PostgreSQL to a file', addressOf(first), file);
    const client = new pg.Client({ connectionString: first.connectionString });
    await client.connect();
    await client.query(`DROP SCHEMA "${first.schema}" CASCADE`);
    await report('a file to PostgreSQL', file, addressOf(second));
    await client.query(`DROP SCHEMA "${second.schema}" CASCADE`);
    await client.end();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  }
} finally {
  await places.close();
}
