// A process of its own: everything hostile at once, from as many addresses as there may be.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type Attacked, type AttackersOrder, type Sizes, type Target, takeOrders } from './orders.js';

// On a machine that is not the attackers' own, they leave the players the processor.
setPriority(constants.priority.PRIORITY_LOW);

let target: Target = { url: '', gameId: '' };
const attacked: Attacked = {};
let isOver = false;
let attacking: Promise<unknown>[] = [];
const sockets = new Set<Socket>();
let addresses = 0;

/** Accounts that are as large as an account may be. */
interface Full {
  deviceId: string;
  accessToken: string;
  /** The id in the portal that leads to it. */
  portal: string;
}
let full: Full[] = [];

const newAddress = (): string => {
  addresses += 1;
  return `10.${1 + ((addresses >> 16) & 127)}.${(addresses >> 8) & 255}.${addresses & 255}`;
};
const random = (below: number): number => Math.floor(Math.random() * below);
const junk = (bytes: number): string => randomBytes(bytes).toString('base64url');

interface Asked {
  method?: string;
  token?: string | undefined;
  text?: string | undefined;
}

async function ask(path: string, { method = 'GET', token, text }: Asked = {}) {
  const answer = await fetch(target.url + path, {
    method,
    headers: {
      'X-Forwarded-For': newAddress(),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  return { status: answer.status, text: await answer.text() };
}

function post(path: string, body: object, token?: string) {
  return ask(path, { method: 'POST', token, text: JSON.stringify({ game_id: target.gameId, env: 0, ...body }) });
}

function note(attack: string, answer: string | number): void {
  const counted = attacked[attack] ?? { times: 0, answers: {} };
  attacked[attack] = counted;
  counted.times += 1;
  counted.answers[answer] = (counted.answers[answer] ?? 0) + 1;
}

async function makeFull(name: string, { entries, entryBytes }: Sizes): Promise<Full> {
  const deviceId = `attacker-${name}`;
  const entered = await post('/v2/auth/guest', { device_id: deviceId });
  const { accessToken } = JSON.parse(entered.text);
  await post('/v2/auth/social', { device_id: deviceId, token: name }, accessToken);
  await fill(accessToken, { entries, entryBytes });
  return { deviceId, accessToken, portal: name };
}

async function fill(token: string, { entries, entryBytes }: Sizes): Promise<void> {
  const write = async (at: number): Promise<void> => {
    const path = `/v2/cl/games/${target.gameId}/collections/progress/save-${at}?env=0`;
    // One character that is no Latin, and a process keeps each of the text in two bytes.
    const text = `{"version":-1,"value":{"n":${at},"notes":"${at % 2 === 0 ? '€' : ''}${'y'.repeat(entryBytes - 40)}"}}`;
    const { status, text: said } = await ask(path, { method: 'PATCH', token, text });
    if (status !== 200) throw new Error(`filling: ${status} ${said}`);
  };
  for (let at = 0; at < entries; at += 4) {
    await Promise.all([0, 1, 2, 3].filter((more) => at + more < entries).map((more) => write(at + more)));
  }
}

/** Asks for the newest snapshot again and again, at once. */
async function restoreAtOnce(token: string): Promise<void> {
  const listed = await ask('/v2/auth/account/snapshots', { token });
  const id = listed.status === 200 ? JSON.parse(listed.text).snapshots[0]?.id : undefined;
  if (id === undefined) return;
  const path = `/v2/auth/account/snapshots/${id}`;
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      n % 2 === 0 ? ask(path, { token }) : ask(`${path}/restore`, { method: 'POST', token }),
    ),
  );
}

/** Sends bytes on a connection of its own. */
async function open(text: string): Promise<Socket> {
  const { hostname, port } = new URL(target.url);
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(text);
  return socket;
}

function requestText(path: string, { method = 'GET', token, text = '' }: Asked): string {
  const headers = [`Host: a`, `X-Forwarded-For: ${newAddress()}`, `Content-Length: ${Buffer.byteLength(text)}`];
  if (token !== undefined) headers.push(`Authorization: Bearer ${token}`);
  if (text !== '') headers.push('Content-Type: application/json');
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${text}`;
}

/** Waits so long, or until the attack is over. */
async function untilOver(ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (!isOver && performance.now() < end) await wait(50);
}

const anyFull = (): Full => full[random(full.length)] as Full;
const collection = (): string => `/v2/cl/games/${target.gameId}/collections/progress?env=0`;
const ofMethod = [
  'guest',
  'name',
  'social',
  'recovery',
  'refresh',
  'conflict',
  'conflict/sides',
  'peek/name',
  'server',
];

/** Each takes one attack to its end, and says how it ended. */
const attacks: { [attack: string]: { atOnce: number; once: () => Promise<string | number> } } = {
  'slow readers': {
    atOnce: 24,
    async once() {
      const { accessToken: token } = anyFull();
      const path = random(2) === 0 ? collection() : '/v2/auth/account/export';
      const socket = await open(requestText(path, { token }));
      socket.pause();
      // Some read a little, and again.
      const reading = setInterval(() => void socket.read(1_024), 500);
      // Longer than the service waits for a reader; who then reads what is on its way would not notice the end.
      await Promise.race([once(socket, 'close'), untilOver(20_000 + random(10_000))]);
      clearInterval(reading);
      socket.destroy();
      return 'cut off';
    },
  },
  resets: {
    atOnce: 4,
    async once() {
      const { accessToken: token } = anyFull();
      const value = `{"version":-1,"value":{"notes":"${'z'.repeat(random(100_000))}"}}`;
      const path = `/v2/cl/games/${target.gameId}/collections/progress/reset-${random(4)}?env=0`;
      const whole =
        random(2) === 0
          ? requestText(collection(), { token })
          : requestText(path, { method: 'PATCH', token, text: value });
      const socket = await open(whole.slice(0, random(3) === 0 ? random(whole.length) : whole.length));
      socket.resume();
      await wait(random(20));
      socket.resetAndDestroy();
      return 'reset';
    },
  },
  'junk tokens': {
    atOnce: 4,
    async once() {
      const [head, claims] = anyFull().accessToken.split('.');
      const token = [junk(40), `${head}.${claims}.${junk(64)}`, `${junk(8)}.${junk(9_000)}.${junk(20)}`, 'a.b.c'][
        random(4)
      ];
      const path = [collection(), '/v2/auth/account', '/v2/auth/account/export'][random(3)] as string;
      if (random(2) === 0) return (await ask(path, { token })).status;
      const refresh_token = token;
      return (await post('/v2/auth/refresh', { device_id: 'attacker', refresh_token })).status;
    },
  },
  'deep bodies': {
    atOnce: 2,
    async once() {
      const size = 250_000;
      const bodies = [
        '['.repeat(size),
        `{"value":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)},"version":-1}`,
        `[${'{},'.repeat(80_000)}{}]`,
        `{"value":{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":{}`).join(',')}},"version":-1}`,
        `"${'\\u0000'.repeat(40_000)}"`,
        `{"game_id":"${target.gameId}","env":0,"device_id":"attacker","ticket":"${junk(30)}","choice":"merge","entries":[${'{"collection":"a","key":"b","value":{}},'.repeat(5_000)}{}]}`,
        junk(size),
      ];
      const text = bodies[random(bodies.length)];
      const { accessToken: token } = anyFull();
      if (random(2) === 0) {
        const path = `/v2/cl/games/${target.gameId}/collections/progress/deep?env=0`;
        return (await ask(path, { method: 'PATCH', token, text })).status;
      }
      return (await ask(`/v2/auth/${ofMethod[random(ofMethod.length)]}`, { method: 'POST', text })).status;
    },
  },
  exports: {
    atOnce: 3,
    async once() {
      return (await ask('/v2/auth/account/export', { token: anyFull().accessToken })).status;
    },
  },
  'conflicts over full accounts': {
    atOnce: 2,
    async once() {
      const { deviceId, accessToken } = anyFull();
      const show = [{ collection: 'progress', key: 'save-1', field: 'n' }];
      const { portal } = anyFull();
      const met = await post('/v2/auth/social', { device_id: deviceId, token: portal, show }, accessToken);
      const ticket = met.status === 409 ? JSON.parse(met.text).conflict?.ticket : undefined;
      if (ticket === undefined) return met.status;
      if (random(3) > 0) return 'met';
      if (random(2) === 0) {
        const nothing = { entries: [], rests_on: { local: [], cloud: [] } };
        const merge = { device_id: deviceId, ticket, choice: 'merge', ...(random(3) === 0 ? {} : nothing) };
        const merged = await Promise.all(Array.from({ length: 20 }, () => post('/v2/auth/conflict', merge)));
        return `merges ${[...new Set(merged.map(({ status }) => status))].sort().join(' and ')}`;
      }
      return `sides ${(await post('/v2/auth/conflict/sides', { device_id: deviceId, ticket })).status}`;
    },
  },
  'full accounts that are chosen': {
    atOnce: 1,
    async once() {
      const deviceId = `filler-${junk(8)}`;
      const entered = await post('/v2/auth/guest', { device_id: deviceId });
      if (entered.status !== 200) return entered.status;
      const { accessToken } = JSON.parse(entered.text);
      await fill(accessToken, { entries: 68, entryBytes: 150 * 1_024 });
      const met = await post('/v2/auth/social', { device_id: deviceId, token: 'chosen' }, accessToken);
      const ticket = met.status === 409 ? JSON.parse(met.text).conflict.ticket : undefined;
      if (ticket === undefined) return met.status;
      const chosen = await post('/v2/auth/conflict', { device_id: deviceId, ticket, choice: 'cloud' });
      if (chosen.status === 200) await restoreAtOnce(JSON.parse(chosen.text).accessToken);
      // Each leaves 20 MiB on the disk.
      await untilOver(15_000);
      return chosen.status;
    },
  },
  'wrong passwords': {
    atOnce: 2,
    async once() {
      const credential = { username: `player-${random(1_000)}`, password: junk(12) };
      const intent = random(2) === 0 ? { intent: 'switch' } : {};
      return (await post('/v2/auth/name', { device_id: `attacker-${junk(6)}`, ...credential, ...intent })).status;
    },
  },
};

function attack(): void {
  attacking = Object.entries(attacks).flatMap(([name, { atOnce, once: attackOnce }]) =>
    Array.from({ length: atOnce }, async () => {
      while (!isOver) {
        try {
          note(name, await attackOnce());
        } catch (error) {
          note(name, (error as Error).name);
          // A connection that is refused must not keep this process busy.
          await wait(50);
        }
      }
    }),
  );
}

takeOrders<AttackersOrder>(async (order) => {
  if (order.do === 'attack') return attack();
  if (order.do === 'stop') {
    isOver = true;
    for (const socket of sockets) socket.destroy();
    await Promise.all(attacking);
    return attacked;
  }
  target = order;
  full = [
    await makeFull('large-one', order.large),
    await makeFull('large-two', order.large),
    await makeFull('many-one', order.many),
    await makeFull('many-two', order.many),
  ];
  const chosen = await post('/v2/auth/social', { device_id: 'attacker-chosen', token: 'chosen' });
  if (chosen.status !== 200) throw new Error(`preparing: ${chosen.status} ${chosen.text}`);
  return null;
});
