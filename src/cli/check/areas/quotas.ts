import { pathOf } from '../../../protocol/addresses.js';
import { type QuotaName, quotaDefaults } from '../../../protocol/gaps/quotas.js';
import { operations } from '../../../protocol/operations.js';
import { bearer } from '../../wire.js';
import type { Answer } from '../ask.js';
import { type Area, answers, type Check, check, type Finding, notAsked } from '../contract.js';
import { type Fact, fact, listAt, member } from '../facts.js';
import { asPlayer, deviceOf, post, refresh, writeOwn } from '../requests.js';
import type { World } from '../world.js';

const names = Object.keys(quotaDefaults) as QuotaName[];

/** Of every quota how much there is, and how much there may be. */
export const everyQuota: readonly Fact[] = [
  fact('seven quotas', ({ json }) => names.every((name) => isUsage(json, name)), 'a quota is missing'),
];

function isUsage(json: unknown, name: string): boolean {
  const [used, limit] = [member(json, `${name}.used`), member(json, `${name}.limit`)];
  return Number.isSafeInteger(used) && Number.isSafeInteger(limit) && Number(used) >= 0 && Number(limit) >= 1;
}

/** How much of a quota an account has and may have; 0 where the service does not say. */
export async function quotaOf(world: World, as: string, name: QuotaName): Promise<{ used: number; limit: number }> {
  const { json } = await asPlayer(as, 'account/usage')(world);
  return { used: Number(member(json, `${name}.used`)) || 0, limit: Number(member(json, `${name}.limit`)) || 0 };
}

/** Where an operator allows so much that a visitor had better not reach it. */
export function tooManyToAsk(what: string, limit: number): Finding {
  return notAsked(`${limit} ${what} are allowed: not reached from outside`);
}

const added = { collection: 'savepoint-check-counted', text: 'x'.repeat(1_000) };

const counted: Check = {
  spec: 'gap',
  what: 'an entry in a collection of its own is counted',
  expected: '1 collection and more than 1,000 bytes more',
  async look(world) {
    const before = [await quotaOf(world, 'fifth', 'collections'), await quotaOf(world, 'fifth', 'values')];
    const body = JSON.stringify({ value: { text: added.text }, version: -1 });
    const { status } = await writeOwn('fifth', `${added.collection}/main`, body)(world);
    const after = [await quotaOf(world, 'fifth', 'collections'), await quotaOf(world, 'fifth', 'values')];
    const [collections = 0, bytes = 0] = after.map(({ used }, at) => used - (before[at]?.used ?? 0));
    const isCounted = collections === 1 && bytes > added.text.length && bytes < 2 * added.text.length;
    return { holds: status === 200 && isCounted, got: `${status}, ${collections} and ${bytes} more` };
  },
};

/** What an account may hold, as its player and its game are told. */
export const quotas: Area = {
  name: 'Quotas',
  checks: [
    check('gap', 'what a new account holds', answers(200, ...everyQuota), asPlayer('fifth', 'account/usage'), {
      remember: 'usage',
    }),
    check(
      'gap',
      'the limits that its session was told are those',
      answers(200, fact('', limitsAgree, 'a session is told another limit')),
      asPlayer('fifth', 'account/usage'),
    ),
    counted,
    check(
      'gap',
      'the game is told the same as the player',
      answers(200, ...everyQuota, fact('', limitsAsBefore, 'the limits are others')),
      async (world) => {
        const user = world.said('fifth').userId;
        const path = pathOf(operations.readUserUsage, { game: world.gameId, user });
        return world.toBase({ path: `${path}?env=${world.environment}`, headers: [bearer(world.privateKey)] });
      },
    ),
  ],
};

/** Those that a session is told of, where it is told any. */
function limitsAgree({ json }: Answer, { said }: World): boolean {
  const { entries, collections, valueBytes = 0 } = said('fifth').limits ?? {};
  const isSame = (told: number | undefined, name: QuotaName) =>
    told === undefined || told === member(json, `${name}.limit`);
  return (
    isSame(entries, 'entries') &&
    isSame(collections, 'collections') &&
    valueBytes <= Number(member(json, 'values.limit'))
  );
}

function limitsAsBefore({ json }: Answer, { said }: World): boolean {
  return names.every((name) => member(json, `${name}.limit`) === member(said('usage'), `${name}.limit`));
}

/** More of them a visitor does not make. */
const mostLogins = 200;
/** The times of sessions have whole seconds: so long after it a session is surely less new. */
const laterMs = 2_000;

const oneSessionTooMany: Check = {
  spec: 'gap',
  what: 'a session more than the account may have',
  expected: 'the one longest unused ends, the refreshed one goes on',
  isSlow: true,
  async look(world) {
    const { used, limit } = await quotaOf(world, 'fifth', 'sessions');
    if (limit > mostLogins) return tooManyToAsk('sessions', limit);
    const open = post('guest', undefined, { device: 'five' });
    world.remember('fifthUnused', await open(world));
    await world.since('fifthUnused', laterMs);
    world.remember('fifthRefreshed', await refresh('fifth')(world));
    const more = limit - used;
    world.tell(`opens ${more} sessions of one account`);
    for (let count = 0; count < more; count += 1) {
      world.remember('fifthLast', await open(world));
    }
    const [unused, refreshed] = [await statusOf(world, 'fifthUnused'), await statusOf(world, 'fifthRefreshed')];
    const now = (await quotaOf(world, 'fifthLast', 'sessions')).used;
    const got = `${now} of ${limit}; the unused one is answered with ${unused}, the refreshed one with ${refreshed}`;
    return { holds: now === limit && unused === 401 && refreshed === 200, got };
  },
};

const oneDeviceTooMany: Check = {
  spec: 'gap',
  what: 'a device more than the account may have',
  expected: 'the one longest unused goes, the one that asks stays',
  isSlow: true,
  async look(world) {
    const { used, limit } = await quotaOf(world, 'fifth', 'devices');
    if (limit > mostLogins) return tooManyToAsk('devices', limit);
    const linkOne = (count: number) =>
      post('guest', () => ({ device_id: `${deviceOf(world, 'five')}-${count}` }), { as: 'fifth' })(world);
    await linkOne(0);
    const [first] = (await devicesOf(world)).filter(({ isCurrent }) => !isCurrent);
    const more = limit - used;
    world.tell(`links ${more} devices to it`);
    for (let count = 1; count <= more; count += 1) {
      await linkOne(count);
    }
    const devices = await devicesOf(world);
    const isThere = devices.some(({ id }) => id === first?.id);
    const asks = devices.filter(({ isCurrent }) => isCurrent).length;
    const got = `${devices.length} of ${limit}, the first is ${isThere ? 'there' : 'gone'}, ${asks} that asks`;
    return { holds: devices.length === limit && first !== undefined && !isThere && asks === 1, got };
  },
};

/** What takes a hundred requests. */
export const oneTooMany: Area = {
  name: 'One too many',
  checks: [oneSessionTooMany, oneDeviceTooMany],
};

async function statusOf(world: World, as: string): Promise<number> {
  return (await asPlayer(as, 'account')(world)).status;
}

async function devicesOf(world: World): Promise<{ id: unknown; isCurrent: boolean }[]> {
  const { json } = await asPlayer('fifth', 'account/devices')(world);
  const devices = listAt(json, 'devices');
  return devices.map((one) => ({ id: member(one, 'id'), isCurrent: member(one, 'isCurrent') === true }));
}
