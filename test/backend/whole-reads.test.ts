import { describe, expect, it } from 'vitest';
import { createWholeReads } from '../../src/backend/whole-reads.js';
import { accountDefaults } from '../../src/protocol/gaps/accounts.js';

const { largeReadBytes, largeReadsAtOnce, largeReadersKnown, wholeReadsAtOncePerAccount } = accountDefaults;

/** Reads that end when the test says so. Those who pause go on one by one, when the test says so, too. */
function readers() {
  const pausing: (() => void)[] = [];
  const reads = createWholeReads(() => new Promise((resolve) => pausing.push(resolve)));
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    pausing,
    async goOn() {
      pausing.shift()?.();
      await settle();
    },
    /** Begins one that stays; who still waits at the end of the test is sent away some time after it. */
    async begin(line: string, part?: string, bytes?: number) {
      void reads({ line, part, bytes }, async () => {
        begun.push(line);
        await new Promise<void>((resolve) => ends.push(resolve));
      }).catch(() => {});
      await settle();
    },
    /** Reads so many bytes. */
    async read(line: string, bytes: number, part?: string) {
      const done = reads({ line, part }, async (weigh) => weigh(bytes));
      await settle();
      pausing.shift()?.();
      await done;
    },
    /** Begins one that finds out on its way that it reads so many bytes, and stays; says whether it may read them. */
    async grow(line: string, bytes: number) {
      const seen = { mayGoOn: false };
      void reads({ line, part: 'p' }, async (_, grows) => {
        await grows(bytes);
        seen.mayGoOn = true;
        await new Promise<void>((resolve) => ends.push(resolve));
      }).catch(() => {});
      await settle();
      return seen;
    },
    async endOne() {
      ends.shift()?.();
      await settle();
    },
  };
}

describe('reads of whole collections and profiles', () => {
  it('of somebody who was small begin at once, however many large ones wait', async () => {
    const { begin, read, begun, pausing } = readers();
    await read('small', largeReadBytes - 1);
    const large = Array.from({ length: 40 }, (_, index) => `large${index}`);
    for (const line of large) await read(line, largeReadBytes);
    for (const line of large) await begin(line);
    expect([begun, pausing.length]).toEqual([[], largeReadsAtOnce]);
    await begin('small');
    await begin('new');
    expect(begun).toEqual(['small', 'new']);
  });

  it('that turn out to be large on their way wait among the large ones, and hold up nobody who is small', async () => {
    const { grow, begin, begun, pausing, goOn, endOne } = readers();
    const lines = Array.from({ length: 20 }, (_, index) => `large${index}`);
    const all: { mayGoOn: boolean }[] = [];
    for (const line of lines) all.push(await grow(line, largeReadBytes));
    const going = () => all.filter(({ mayGoOn }) => mayGoOn).length;
    expect([going(), pausing.length]).toEqual([0, largeReadsAtOnce]);
    for (let turn = 0; turn < largeReadsAtOnce; turn += 1) await goOn();
    expect([going(), pausing.length]).toEqual([largeReadsAtOnce, 0]);
    for (let small = 0; small < 16; small += 1) await begin(`small${small}`);
    expect(begun).toHaveLength(16);
    await endOne();
    expect(pausing).toHaveLength(1);
    await goOn();
    expect(going()).toBe(largeReadsAtOnce + 1);
  });

  it('that find out that they are small go on at once', async () => {
    const { grow, pausing } = readers();
    expect([await grow('a', largeReadBytes - 1), pausing.length]).toEqual([{ mayGoOn: true }, 0]);
  });

  it('that are known to be large before begin after a rest, the first time too', async () => {
    const { begin, begun, pausing, goOn } = readers();
    await begin('snapshot', 's', largeReadBytes);
    expect([begun, pausing.length]).toEqual([[], 1]);
    await begin('smaller', 's', largeReadBytes - 1);
    expect(begun).toEqual(['smaller']);
    await goOn();
    expect(begun).toEqual(['smaller', 'snapshot']);
  });

  it('of those who were large begin after a rest each, a few at once', async () => {
    const { begin, read, begun, pausing, goOn, endOne } = readers();
    const large = Array.from({ length: largeReadsAtOnce + 2 }, (_, index) => `large${index}`);
    for (const line of large) await read(line, largeReadBytes);
    for (const line of large) await begin(line);
    await goOn();
    expect(begun).toEqual(['large0']);
    for (const _ of large) await goOn();
    expect(begun).toEqual(large.slice(0, largeReadsAtOnce));
    await endOne();
    expect([begun.length, pausing.length]).toEqual([largeReadsAtOnce, 1]);
    await goOn();
    expect(begun).toEqual(large.slice(0, largeReadsAtOnce + 1));
  });

  it('of somebody who is small again, or whom the process has forgotten, begin at once', async () => {
    const { begin, read, begun } = readers();
    await read('shrunk', largeReadBytes);
    await read('shrunk', 10);
    await read('forgotten', largeReadBytes);
    for (let more = 0; more < largeReadersKnown; more += 1) await read(`large${more}`, largeReadBytes);
    for (const line of ['shrunk', 'forgotten', 'large0']) await begin(line);
    expect(begun).toEqual(['shrunk', 'forgotten']);
  });

  it('of a large part begin after a rest, whatever small part of the same account was read in between', async () => {
    const { begin, read, begun } = readers();
    await read('one', largeReadBytes, 'progress');
    await read('one', 2, 'empty');
    await begin('one', 'progress');
    expect(begun).toEqual([]);
    await begin('one', 'empty');
    expect(begun).toEqual(['one']);
  });

  it('of one account leave places to the others', async () => {
    const { begin, begun } = readers();
    for (let more = 0; more < 20; more += 1) await begin('one');
    await begin('other');
    expect(begun).toEqual([...Array.from({ length: wholeReadsAtOncePerAccount }, () => 'one'), 'other']);
  });
});
