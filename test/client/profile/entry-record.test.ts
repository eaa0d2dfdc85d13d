import { describe, expect, it } from 'vitest';
import {
  type CloudEntry,
  cleanCloud,
  confirmWrite,
  discard,
  type EntryRecord,
  foldIn,
  forgetCounted,
  freeze,
  hasWrite,
  isCounted,
  nextWrite,
  noteCounted,
  readRecord,
  rebaseOn,
  refresh,
  setEarly,
  setLocal,
  shownValue,
  timesOf,
  type Write,
} from '../../../src/client/profile/entry-record.js';

const write = (id: string, coins = 1): Write => ({ id, value: { coins } });
const page = (id: string, ...sent: string[]) => ({
  id,
  now: 50,
  mayHaveSent: (one: Write) => sent.includes(one.id),
});
const synced: EntryRecord = { version: 3, base: { coins: 0 } };

describe('a record on the device', () => {
  it('is read from its text, and what is damaged is no record', () => {
    const record: EntryRecord = { ...synced, local: write('l'), by: 'a', since: 1 };
    expect(readRecord(JSON.stringify(record))).toEqual(record);
    for (const text of [null, '', '{', 'null', '[]', '"text"', '{}', '{"version":"1"}', '{"version":1.5}']) {
      expect(readRecord(text)).toBeUndefined();
    }
  });

  it('shows what the game has set last, and sends what was frozen first', () => {
    const both: EntryRecord = {
      version: 3,
      base: { coins: 1 },
      times: { skin: 1 },
      sent: { ...write('s', 2), times: { skin: 2 } },
      local: { ...write('l', 3), times: { skin: 3 } },
    };
    const { local, ...sent } = both;
    const { sent: _, ...base } = sent;
    expect([both, sent, base, undefined].map(shownValue)).toEqual([
      { coins: 3 },
      { coins: 2 },
      { coins: 1 },
      undefined,
    ]);
    expect([both, sent, base, undefined].map(timesOf)).toEqual([{ skin: 3 }, { skin: 2 }, { skin: 1 }, {}]);
    expect([both, sent, base, undefined].map((record) => nextWrite(record)?.id)).toEqual([
      's',
      's',
      undefined,
      undefined,
    ]);
    expect(['s', 'l', 'x'].map((id) => hasWrite(both, id))).toEqual([true, true, false]);
  });

  it('shows no times of what it does not show', () => {
    const record: EntryRecord = { version: 3, base: { coins: 1 }, times: { skin: 1 }, local: write('l') };
    expect(timesOf(record)).toEqual({});
  });
});

describe('what the game sets', () => {
  it('begins a record, and says that the service has none as far as is known', () => {
    expect(setLocal(undefined, write('l'), page('a'))).toEqual({ version: -1, local: write('l'), by: 'a', since: 50 });
  });

  it('takes the place of what this page has set and not sent', () => {
    const before = setLocal({ ...synced, since: 7 }, write('l1'), page('a'));
    expect(setLocal(before, write('l2'), page('a'))).toEqual({ ...synced, local: write('l2'), by: 'a', since: 7 });
  });

  it('freezes what this page may have sent, and what another page has set', () => {
    const before = setLocal(synced, write('l1'), page('a'));
    const frozen = { ...synced, sent: write('l1'), local: write('l2'), since: 50 };
    expect(setLocal(before, write('l2'), page('a', 'l1'))).toEqual({ ...frozen, by: 'a' });
    expect(setLocal(before, write('l2'), page('b'))).toEqual({ ...frozen, by: 'b', counted: ['l1'] });
  });

  it('leaves what is frozen, whoever set what it replaces', () => {
    const before: EntryRecord = { ...synced, sent: write('s'), local: write('l1'), by: 'a', since: 1 };
    for (const next of [page('a'), page('a', 's')]) {
      expect(setLocal(before, write('l2'), next)).toEqual({ ...before, local: write('l2') });
    }
    const foreign = { ...before, local: write('l2'), by: 'b', counted: ['l1'] };
    expect(setLocal(before, write('l2'), page('b'))).toEqual(foreign);
  });

  it('is never frozen before an account, and says what the game had changed first', () => {
    const first = setEarly(undefined, write('l1'), { before: { coins: 4 }, by: 'a', now: 1 });
    expect(first).toEqual({ version: -1, base: { coins: 4 }, local: write('l1'), by: 'a', since: 1 });
    expect(setEarly(first, write('l2'), { before: { coins: 1 }, by: 'b', now: 2 })).toEqual({
      ...first,
      local: write('l2'),
      by: 'b',
    });
  });
});

describe('a write', () => {
  it('is frozen where it is not yet, and noted as one that counts', () => {
    const set: EntryRecord = { ...synced, local: write('l'), by: 'a', since: 1 };
    const frozen = freeze(set);
    expect(frozen).toEqual({ ...synced, sent: write('l'), by: 'a', since: 1, counted: ['l'] });
    expect(freeze(frozen)).toBe(frozen);
    expect(freeze(synced)).toBe(synced);
    const both = { ...frozen, local: write('l2'), by: 'b' };
    expect(freeze(both)).toBe(both);
  });

  it('becomes the base where it was carried out, with its times', () => {
    const times = { skin: 9 };
    const record: EntryRecord = { ...synced, times: { skin: 1 }, local: { ...write('l'), times }, by: 'a', since: 1 };
    expect(confirmWrite(record, { id: 'l', version: 4, now: 60 })).toEqual({ version: 4, base: { coins: 1 }, times });
    expect(confirmWrite(freeze(record), { id: 'l', version: 4, now: 60 })).toEqual({
      version: 4,
      base: { coins: 1 },
      times,
      counted: ['l'],
    });
  });

  it('leaves what was set meanwhile, which goes to the end of the line', () => {
    const record: EntryRecord = { ...synced, sent: write('s', 1), local: write('l', 2), by: 'a', since: 1 };
    expect(confirmWrite(record, { id: 's', version: 4, now: 60 })).toEqual({
      version: 4,
      base: { coins: 1 },
      local: write('l', 2),
      by: 'a',
      since: 60,
    });
  });

  it('that was carried out before what the record rests on takes nothing of that back', () => {
    const record: EntryRecord = { ...synced, sent: write('s', 1), since: 1 };
    expect(confirmWrite(record, { id: 's', version: synced.version - 1, now: 60 })).toEqual(synced);
  });

  it('that does not come next confirms nothing', () => {
    const record: EntryRecord = { ...synced, sent: write('s'), local: write('l'), by: 'a', since: 1 };
    expect(confirmWrite(record, { id: 'l', version: 4, now: 60 })).toBe(record);
    expect(confirmWrite(record, { id: 'x', version: 4, now: 60 })).toBe(record);
    expect(confirmWrite(synced, { id: 'l', version: 4, now: 60 })).toBe(synced);
  });

  it('that came second gives way to what the merge made, or to the cloud', () => {
    const record: EntryRecord = { ...synced, sent: write('s'), local: write('l'), by: 'a', since: 1, counted: ['x'] };
    const cloud: CloudEntry = { version: 9, value: { coins: 7 }, times: { skin: 3 } };
    const base = { version: 9, base: { coins: 7 }, times: { skin: 3 }, counted: ['x', 's', 'l'] };
    expect(rebaseOn(record, cloud, write('m', 8), 'b')).toEqual({ ...base, local: write('m', 8), by: 'b', since: 1 });
    expect(rebaseOn(record, cloud, undefined, 'b')).toEqual(base);
  });

  it('stays, whatever is read from the service', () => {
    const cloud: CloudEntry = { version: 9, value: { coins: 7 } };
    for (const record of [
      { ...synced, local: write('l') },
      { ...synced, sent: write('s') },
    ]) {
      expect(refresh(record, cloud)).toBe(record);
    }
    expect(refresh(synced, cloud)).toEqual({ version: 9, base: { coins: 7 } });
    expect(refresh(undefined, cloud)).toEqual({ version: 9, base: { coins: 7 } });
  });

  it('is given up with all that is unsent', () => {
    const record: EntryRecord = { ...synced, sent: write('s'), local: write('l'), by: 'a', since: 1, counted: ['x'] };
    expect(discard(record)).toEqual({ ...synced, counted: ['x', 's', 'l'] });
  });

  it('leaves nothing to be seen where it is given up, and nobody knows what the service has', () => {
    const record: EntryRecord = { version: -1, base: { coins: 1 }, times: { skin: 1 }, local: write('l'), by: 'a' };
    expect(shownValue(discard(record))).toBeUndefined();
    expect(timesOf(discard(record))).toEqual({});
  });
});

describe('what counts', () => {
  it('is what waits in the record, the last eight that were noted, and what is looked for still', () => {
    const all = noteCounted(synced, '0', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'c');
    const lookedFor = { has: (id: string) => id === '0', isBlind: () => false };
    const noted = forgetCounted(all, lookedFor);
    expect(noted.counted).toEqual(['0', 'b', 'd', 'e', 'f', 'g', 'h', 'i', 'c']);
    expect(forgetCounted(synced, lookedFor)).toBe(synced);
    // Who cannot read what is looked for forgets later.
    const many = noteCounted(synced, ...Array.from({ length: 70 }, (_, index) => `w${index}`));
    expect(forgetCounted(many, { has: () => false, isBlind: () => true }).counted).toHaveLength(64);
    const record = { ...noted, sent: write('s'), local: write('l') };
    expect(['a', 'b', 'c', 's', 'l'].filter((id) => isCounted(record, id))).toEqual(['b', 'c', 's', 'l']);
    expect(isCounted(undefined, 'a')).toBe(false);
  });
});

describe('what is read from the service', () => {
  it('does not go back to an answer that was overtaken', () => {
    expect(refresh(synced, { version: 2, value: { coins: 7 } })).toBe(synced);
    expect(refresh(synced, { version: 3, value: { coins: 7 } })).toBe(synced);
  });

  it('has nothing of what earlier versions kept inside values, but the times', () => {
    const value = { skin: 'red', $savepoint: { at: { skin: 4 } } };
    expect(cleanCloud(5, value)).toEqual({ version: 5, value: { skin: 'red' }, times: { skin: 4 } });
    expect(cleanCloud(5, { skin: 'red' }, {})).toEqual({ version: 5, value: { skin: 'red' } });
    expect(cleanCloud(-1, undefined)).toEqual({ version: -1, value: undefined });
  });
});

describe('what a hidden page left behind', () => {
  const item = { write: write('w', 5), version: 3, before: { coins: 0 } };

  it('is put in as frozen and noted, where the record is as it was', () => {
    expect(foldIn(synced, item, 60)).toEqual({ ...synced, sent: item.write, since: 60, counted: ['w'] });
    const begun = { version: -1, sent: item.write, since: 60, counted: ['w'] };
    expect(foldIn(undefined, { ...item, version: -1, before: undefined }, 60)).toEqual(begun);
    expect(foldIn(undefined, { ...item, version: -1 }, 60)).toEqual({ ...begun, base: { coins: 0 } });
  });

  it('changes nothing where the home has got it all the same, or another tab has come in between', () => {
    const others: EntryRecord[] = [
      { ...synced, version: 4 },
      { ...synced, counted: ['w'] },
      { ...synced, local: item.write, by: 'a', since: 1 },
      { ...synced, sent: item.write, since: 1 },
      { ...synced, local: write('l'), by: 'b' },
      { ...synced, sent: write('s') },
      { ...synced, sent: write('s'), local: write('l'), by: 'b' },
    ];
    for (const record of [...others, undefined]) expect(foldIn(record, item, 60)).toBe(record);
  });
});
