// Whether the time of an answer tells which names there are: 200 wrong passwords for each kind of name, in turn.
// Run by `npm run bench:passwords`, which builds first. It fails where the medians are more than 15 % apart.
import { createBackend, createMemoryStore } from '../dist/backend/index.js';

const tries = 200;
const gameId = '00000000-0000-4000-8000-000000000000';
const store = createMemoryStore();
const backend = createBackend({ games: [{ id: gameId, privateKeys: ['a key of nobody'] }], store });

async function post(path, body) {
  const text = JSON.stringify({ game_id: gameId, env: 0, device_id: 'device-one', ...body });
  const headers = { 'content-type': 'application/json' };
  const request = new Request(`http://bench/v2/auth/${path}`, { method: 'POST', headers, body: text });
  const response = await backend.fetch(request);
  return { status: response.status, body: await response.json() };
}

const { body: owner } = await post('name', { username: 'ada', password: 'correct horse' });
// A name that was brought along without a password.
const scope = { gameId, environment: 0 };
const { body: other } = await post('guest', { device_id: 'device-two' });
const link = { ...scope, method: 'name', subject: 'bare', label: 'bare', credential: null };
await store.linkMethod({ owner: { ...scope, accountId: other.userId }, session: null, link, now: Date.now() });

const wrong = { password: 'wrong horse' };
const kinds = {
  'a name that somebody has': () => post('name', { ...wrong, username: 'ada' }),
  'the same, where no account is to be made': () => post('name', { ...wrong, username: 'ada', intent: 'switch' }),
  'a name that nobody has': () => post('name', { ...wrong, username: 'nobody', intent: 'switch' }),
  'a name without a password': () => post('name', { ...wrong, username: 'bare' }),
  'a look at a name that somebody has': () => post('peek/name', { ...wrong, username: 'ada' }),
};
const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
const bodies = new Set();

for (let round = 0; round < tries; round += 1) {
  for (const [kind, ask] of Object.entries(kinds)) {
    const start = performance.now();
    const { status, body } = await ask();
    times[kind].push(performance.now() - start);
    bodies.add(`${status} ${JSON.stringify({ ...body, requestId: '' })}`);
  }
}

function quantile(numbers, part) {
  return numbers.toSorted((left, right) => left - right)[Math.floor((numbers.length - 1) * part)];
}

const medians = Object.values(times).map((taken) => quantile(taken, 0.5));
const least = Math.min(...medians);
console.log(`${tries} wrong passwords for each${' '.repeat(22)}median    to the least   5 % to 95 %`);
for (const [kind, taken] of Object.entries(times)) {
  const median = quantile(taken, 0.5);
  const columns = [
    kind.padEnd(48),
    `${median.toFixed(2)} ms`.padStart(10),
    `+${((median / least - 1) * 100).toFixed(1)} %`.padStart(12),
    `${quantile(taken, 0.05).toFixed(1)} to ${quantile(taken, 0.95).toFixed(1)} ms`.padStart(20),
  ];
  console.log(columns.join(''));
}
console.log(`${bodies.size} different ${bodies.size === 1 ? 'body' : 'bodies'}`);
if (owner.userId === undefined || bodies.size !== 1 || Math.max(...medians) / least > 1.15) {
  console.log('The answers do not look alike.');
  process.exitCode = 1;
}
