// What npm has for the same, each asked for the nearest that it can do. Their programs are in bench/peers.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { requestText, sendAll } from './load.mjs';
import { connections, entries, value } from './players.mjs';
import { start } from './processes.mjs';

const folder = fileURLToPath(new URL('../peers', import.meta.url));
const indices = (length) => Array.from({ length }, (_, index) => index);

const peers = {
  // It looks through all players for a new id: with 10,000 of them it is half as fast as with 2,000.
  'json-server': { place: () => ({}), prepare: prepareJsonServer, warmUpRequests: 2_000 },
  'better-auth': { place: (places) => places.newPlace('SQLite'), prepare: prepareBetterAuth },
  'parse-server': {
    // It makes its tables where every program makes them.
    place: async (places) => ({ connectionString: await places.newDatabase() }),
    prepare: prepareParseServer,
  },
};

/** No player is known: anybody may read and write all, and versions are not compared. */
async function prepareJsonServer(port) {
  const guest = () => requestText('POST', '/players', { body: { device_id: randomUUID(), env: 0 } });
  const creations = indices(connections).flatMap((player) =>
    indices(entries).map((key) => requestText('POST', '/entries', { body: { player, key, value, version: 0 } })),
  );
  const ids = (await sendAll(port, creations)).map((body) => JSON.parse(body).id);
  const updates = ids.map(() => 0);
  return {
    'guest sign-in': guest,
    read: (index) => requestText('GET', `/entries?player=${index}`),
    update(index) {
      const at = index * entries + (updates[index] % entries);
      updates[index] += 1;
      return requestText('PATCH', `/entries/${ids[at]}`, { body: { value, version: updates[index] } });
    },
  };
}

/** It keeps no saves. */
async function prepareBetterAuth() {
  return { 'guest sign-in': () => requestText('POST', '/api/auth/sign-in/anonymous', { body: {} }) };
}

/** An entry is an object that only its player may read and write. Versions are not compared. */
async function prepareParseServer(port) {
  const application = { 'X-Parse-Application-Id': 'bench' };
  const guest = () => {
    const body = { authData: { anonymous: { id: randomUUID() } } };
    return requestText('POST', '/parse/users', { headers: application, body });
  };
  const bodies = await sendAll(port, indices(connections).map(guest));
  const players = bodies.map((body) => {
    const { objectId: id, sessionToken } = JSON.parse(body);
    return { id, headers: { ...application, 'X-Parse-Session-Token': sessionToken }, updates: 0 };
  });
  const creations = players.flatMap(({ id, headers }) => {
    const only = { ACL: { [id]: { read: true, write: true } } };
    return indices(entries).map((key) => {
      const body = { player: id, key: `key-${key}`, value, version: 0, ...only };
      return requestText('POST', '/parse/classes/Entry', { headers, body });
    });
  });
  const ids = (await sendAll(port, creations)).map((body) => JSON.parse(body).objectId);
  return {
    'guest sign-in': guest,
    read(index) {
      const { id, headers } = players[index];
      const where = encodeURIComponent(JSON.stringify({ player: id }));
      return requestText('GET', `/parse/classes/Entry?where=${where}`, { headers });
    },
    update(index) {
      const player = players[index];
      const at = index * entries + (player.updates % entries);
      player.updates += 1;
      const { headers, updates: version } = player;
      return requestText('PUT', `/parse/classes/Entry/${ids[at]}`, { headers, body: { value, version } });
    },
  };
}

/** Installs and starts them; one that cannot be had is told in a line, and left out. */
export async function startPeers(places, { areWanted }) {
  if (!areWanted) {
    console.log(`Without ${Object.keys(peers).join(', ')}: npm run bench:service -- --peers\n`);
    return {};
  }
  install();
  const started = {};
  for (const [name, { place, ...how }] of Object.entries(peers)) {
    try {
      // In the run's own folder, for what they leave where they are started.
      const given = { place: await place(places), cwd: places.folder };
      const service = await start(`../peers/${name}.mjs`, given);
      started[name] = { ...service, ...how };
    } catch (error) {
      leaveOut(name, error);
    }
  }
  return started;
}

export function leaveOut(name, error) {
  console.log(`${name} is left out: ${error.message.split('\n')[0]}`);
}

/** No scripts of theirs run here: none needs one. */
function install() {
  const args = ['install', '--prefix', folder, '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch ({ stderr, message }) {
    const reasons = String(stderr ?? '')
      .split('\n')
      .filter((line) => line.startsWith('npm error'));
    const reason = reasons.find((line) => !/npm error (code|errno|syscall) /.test(line)) ?? message;
    console.log(`The peers could not be installed: ${reason.replace('npm error ', '')}`);
  }
}
