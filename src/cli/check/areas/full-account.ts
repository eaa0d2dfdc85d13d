import type { QuotaName } from '../../../protocol/gaps/quotas.js';
import type { Answer } from '../ask.js';
import {
  type Area,
  answers,
  type Check,
  check,
  compare,
  type Expected,
  notAsked,
  refuses,
  textOf,
} from '../contract.js';
import { has, is, listAt, member, sameUser, session } from '../facts.js';
import { asPlayer, post, writeOwn } from '../requests.js';
import type { World } from '../world.js';
import { quotaOf, tooManyToAsk } from './quotas.js';
import { guessed } from './rate-limits.js';

const beyond = (quota: QuotaName): Expected =>
  refuses('quota_exceeded', has('quota', quota), is('limit', 'integer'), is('used', 'integer'));

/** Sends one after the other until one is refused, or there have been `most`; gives the last answer. */
async function untilRefused(most: number, send: (count: number) => Promise<Answer>): Promise<Answer> {
  let answer = await send(0);
  for (let count = 1; count <= most && answer.status === 200; count += 1) answer = await send(count);
  return answer;
}

/** A service that lets an account have more than this has no limit that can be reached from outside. */
const mostCollections = 1_000;

const collections: Check = {
  spec: 'gap',
  what: 'a collection more than the account may have',
  expected: textOf(beyond('collections')),
  async look(world) {
    const { limit } = await quotaOf(world, 'custom', 'collections');
    const most = Math.min(limit, mostCollections);
    const begin = (count: number) =>
      writeOwn('custom', `savepoint-check-${count}/main`, '{"value":{},"version":-1}')(world);
    world.tell(`fills an account with ${most} collections`);
    return compare(beyond('collections'), await untilRefused(most, begin), world);
  },
};

/** Less than the usual limit of one value. */
export const textLength = 140_000;

/** A service that lets an account have more bytes than this has no limit that can be reached from outside. */
const mostBytes = 64 * 1024 ** 2;

const values: Check = {
  spec: 'gap',
  what: 'more bytes than the account may have',
  expected: textOf(beyond('values')),
  async look(world) {
    const { limit } = await quotaOf(world, 'custom', 'values');
    const most = Math.ceil(Math.min(limit, mostBytes) / textLength);
    const body = JSON.stringify({ value: { text: 'x'.repeat(textLength) }, version: -1 });
    const write = (count: number) => writeOwn('custom', `savepoint-check-0/${count}`, body)(world);
    world.tell(`fills it with ${most} values of ${textLength} bytes`);
    return compare(beyond('values'), await untilRefused(most, write), world);
  },
};

/** What one choice can carry: a merge fills a collection by one request. */
const mostEntries = 20_000;
const full = 'savepoint-check-full';

const entries: Check = {
  spec: 'gap',
  what: 'an entry more than a collection may have',
  expected: textOf(beyond('entries')),
  async look(world) {
    const { limit } = await quotaOf(world, 'custom', 'entries');
    if (limit > mostEntries) return tooManyToAsk('entries', limit);
    const { json } = await post('name', guessed, { as: 'fifth', device: 'three' })(world);
    if (member(json, 'conflict.mergeable') === false) {
      return notAsked('players of this game may not merge: not filled');
    }
    const merged = await mergeInto(world, String(member(json, 'conflict.ticket')), limit);
    if (merged.status !== 200) return { ...compare(answers(200), merged, world), holds: false };
    const oneMore = await writeOwn('custom', `${full}/more`, '{"value":{},"version":-1}')(world);
    return compare(beyond('entries'), oneMore, world);
  },
};

/** Fills a collection by the merge of two accounts. Nothing else of them is merged: what they have stays. */
async function mergeInto(world: World, ticket: string, count: number): Promise<Answer> {
  const { json } = await post('conflict/sides', () => ({ ticket }), { device: 'three' })(world);
  const restsOn = (side: 'local' | 'cloud') =>
    listAt(json, side).map((one) => ({
      collection: member(one, 'collection'),
      key: member(one, 'key'),
      version: member(one, 'version'),
    }));
  const more = Array.from({ length: count }, (_, index) => ({ collection: full, key: `${index}`, value: {} }));
  const rests_on = { local: restsOn('local'), cloud: restsOn('cloud') };
  return post('conflict', () => ({ ticket, choice: 'merge', entries: more, rests_on }), { device: 'three' })(world);
}

/** More of them a visitor does not make. */
const mostSnapshots = 500;

const snapshots: Check = {
  spec: 'gap',
  what: 'a snapshot more than the account may have',
  expected: 'the oldest goes, the newest stays',
  async look(world) {
    const { used, limit } = await quotaOf(world, 'custom', 'snapshots');
    if (limit > mostSnapshots) return tooManyToAsk('snapshots', limit);
    const add = async (count: number) => {
      const entry = { collection: full, key: 'lost', value: { count } };
      return member((await post('account/snapshots', () => entry, { as: 'custom' })(world)).json, 'id');
    };
    const oldest = await add(0);
    // Those that choices in conflicts made stay, and the others go before them.
    const more = limit - used;
    world.tell(`makes ${more} snapshots`);
    let newest = oldest;
    for (let count = 1; count <= more; count += 1) {
      newest = await add(count);
    }
    const [first, last] = await Promise.all([oldest, newest].map((id) => statusOf(world, id)));
    const now = (await quotaOf(world, 'custom', 'snapshots')).used;
    const got = `${now} of ${limit}; the first is answered with ${first}, the last with ${last}`;
    return { holds: now === limit && first === 404 && last === 200, got };
  },
};

async function statusOf(world: World, snapshot: unknown): Promise<number> {
  return (await asPlayer('custom', `account/snapshots/${String(snapshot)}`)(world)).status;
}

/** An account that is filled on purpose; the merge takes another one, to which a code leads back. */
export const fullAccount: Area = {
  name: 'A full account',
  checks: [
    check(
      'gap',
      'a recovery code of the fifth player',
      answers(200, is('code', 'text')),
      asPlayer('fifth', 'account/recovery-code', 'POST'),
      { remember: 'fifthRecovery' },
    ),
    entries,
    snapshots,
    collections,
    values,
    // By it the account is deleted in the end.
    check(
      'gap',
      'the code leads to the fifth player',
      answers(200, ...session, sameUser('fifth')),
      post('recovery', (world) => ({ code: world.said('fifthRecovery').code }), { device: 'five' }),
      { remember: 'fifthRecovered' },
    ),
  ],
};
