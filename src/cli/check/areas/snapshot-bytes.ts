import type { Answer } from '../ask.js';
import { type Area, answers, type Check, compare, type Finding, notAsked } from '../contract.js';
import { listAt, member } from '../facts.js';
import { asPlayer, post } from '../requests.js';
import type { World } from '../world.js';
import { textLength } from './full-account.js';
import { quotaOf } from './quotas.js';

/** More of them a visitor does not send. */
const mostRestores = 250;

const lost = { collection: 'savepoint-check-lost', key: 'main' };

/**
 * Two values are sent, once each, and put back in turn: each time the one that they take the place of becomes a snapshot
 * of its own. So 20 MiB of snapshots cost a visitor no more than two values and some hundred small requests.
 */
const tooManyBytes: Check = {
  spec: 'gap',
  what: 'more bytes of snapshots than the account may have',
  expected: 'within the limit, the oldest of one entry gone, the newest there',
  isSlow: true,
  async look(world) {
    const before = await quotaOf(world, 'fifth', 'snapshotBytes');
    const length = await lengthOf(world, before.limit);
    const kept = [await keep(world, 'a'.repeat(length)), await keep(world, 'b'.repeat(length))];
    for (const answer of kept) if (answer.status !== 200) return stoppedBy(answer, world);
    const ids = kept.map(({ json }) => String(member(json, 'id')));
    const [bytes, count] = [await quotaOf(world, 'fifth', 'snapshotBytes'), await quotaOf(world, 'fifth', 'snapshots')];
    const size = (bytes.used - before.used) / ids.length;
    if (!(size >= length)) return { holds: false, got: `${size} bytes are counted for one of ${length}` };
    const more = Math.floor((bytes.limit - bytes.used) / size) + 1;
    if (more > mostRestores) {
      return notAsked(`${bytes.limit} bytes are allowed, and a value may have ${length}: not reached from outside`);
    }
    if (count.used + more > count.limit) {
      return notAsked(`${count.limit} snapshots of one value come to fewer than ${bytes.limit} bytes`);
    }
    world.tell(
      `fills it with ${bytes.limit} bytes of snapshots by ${more + 1} requests, and sends 2 x ${length} bytes`,
    );
    // The first one takes the place of nothing.
    for (let turn = 0; turn <= more; turn += 1) {
      const answer = await asPlayer('fifth', `account/snapshots/${ids[turn % ids.length]}/restore`, 'POST')(world);
      if (answer.status !== 200) return stoppedBy(answer, world);
    }
    return whatIsKept(world, { oldest: String(ids[0]), limit: bytes.limit, size });
  },
};

/** The length of a value's text, well below what a value, all of them and all snapshots may have. */
async function lengthOf(world: World, ofSnapshots: number): Promise<number> {
  const { valueBytes = Number.POSITIVE_INFINITY } = world.said('fifth').limits ?? {};
  const { used, limit } = await quotaOf(world, 'fifth', 'values');
  return Math.max(1, Math.floor(Math.min(textLength, valueBytes * 0.9, (limit - used) / 2, ofSnapshots / 8)));
}

function keep(world: World, text: string): Promise<Answer> {
  return post('account/snapshots', () => ({ ...lost, value: { text } }), { as: 'fifth' })(world);
}

async function whatIsKept(
  world: World,
  { oldest, limit, size }: { oldest: string; limit: number; size: number },
): Promise<Finding> {
  const { used } = await quotaOf(world, 'fifth', 'snapshotBytes');
  const { json } = await asPlayer('fifth', 'account/snapshots')(world);
  const newest = String(member(listAt(json, 'snapshots')[0], 'id'));
  const [first, last] = [await statusOf(world, oldest), await statusOf(world, newest)];
  const isFull = used <= limit && used > limit - 2 * size;
  const got = `${used} of ${limit} bytes; the oldest is answered with ${first}, the newest with ${last}`;
  return { holds: isFull && first === 404 && last === 200, got };
}

async function statusOf(world: World, id: string): Promise<number> {
  return (await asPlayer('fifth', `account/snapshots/${id}`)(world)).status;
}

/** Where a service limits what one account may write in a minute, a visitor does not go on until it lets him. */
function stoppedBy(answer: Answer, world: World): Finding {
  if (answer.status !== 429) return { ...compare(answers(200), answer, world), holds: false };
  const name = String(member(answer.json, 'limitName') ?? '');
  const limit = /^[A-Za-z]{1,60}$/.test(name) ? ` (${name})` : '';
  const wait = String(answer.headers['retry-after'] ?? '').slice(0, 10);
  return notAsked(`the service limits this address or account before that${limit}: to be tried again in ${wait} s`);
}

/** What takes some hundred requests. */
export const snapshotBytes: Area = { name: 'Bytes of snapshots', checks: [tooManyBytes] };
