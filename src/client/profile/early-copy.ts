import { versions } from '../../protocol/gaps/versions.js';
import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import type { AccountCopy } from './account-copy.js';
import type { CollectionOptions } from './collection.js';
import { remake } from './edit.js';
import { splitName } from './entry-name.js';
import {
  type EntryRecord,
  endOffer,
  freeze,
  isCounted,
  nextWrite,
  noteCounted,
  offersOf,
  offerTo,
  type SetElsewhere,
  setLocal,
  shownValue,
} from './entry-record.js';
import type { PageWrites } from './page-writes.js';

/**
 * Takes in what was set elsewhere. The record says which writes it has taken in last (`counted`), so that it may be
 * stopped at any moment, and begun again by any tab. Without that the write has to wait.
 */
export type TakeIn = (name: string, record: EntryRecord | undefined, set: SetElsewhere) => EntryRecord | undefined;

export function createTakeIn(dependencies: {
  page: PageWrites;
  optionsOf(collection: string): CollectionOptions<unknown> | undefined;
  now(): number;
  serverTime(): number;
  /** The bytes that a value may have. */
  maxBytes(): number;
}): TakeIn {
  const { page, now } = dependencies;

  /**
   * What the game has set, made again on top of the account's value. Undefined where that would take the place of
   * something: then both meet at the service, as those of two devices do.
   */
  function onTop(
    name: string,
    record: EntryRecord | undefined,
    { write, base: before }: Pick<SetElsewhere, 'write' | 'base'>,
  ): JsonObject | undefined {
    const { value } = write;
    const options = dependencies.optionsOf(splitName(name)[0]);
    const latest = shownValue(record);
    if (sameJson(latest, before)) return value;
    if (options === undefined) return undefined;
    const changes = options.merge === undefined ? page.changesOf(write) : undefined;
    // Nobody knows any more how an update was made whose page is gone; and what the game has set since in the account,
    // and the service has not got, nothing may take the place of.
    const isWhole = options.merge === undefined && changes === undefined;
    if (isWhole && (write.isUpdate === true || nextWrite(record) !== undefined)) return undefined;
    const change = changes && ((stored: unknown) => changes.reduce((present, one) => one(present), stored));
    const [now, maxBytes] = [dependencies.serverTime(), dependencies.maxBytes()];
    try {
      return remake(options, { before, value, change, now, maxBytes }, latest);
    } catch {
      // Both together are too large, or the game's own function fails.
      return undefined;
    }
  }

  return (name, record, { write, base, since = now(), isOthers }) => {
    if (isCounted(record, write.id)) return record;
    const isAlone = nextWrite(record) === undefined;
    // Nothing known here to put it on, the service may have the entry all the same: it is told
    // what the game had changed.
    const isNew = base === undefined || shownValue(record) === undefined;
    // What another account had is put on top of nothing that waits to be sent: where no rule of the game decides about a member,
    // it would take that one's place, and nobody would keep it. The service does.
    const meets = isOthers === true && (!isAlone || dependencies.optionsOf(splitName(name)[0])?.merge === undefined);
    const value = meets || (isAlone && isNew) ? undefined : onTop(name, record, { write, base });
    if (value === undefined) {
      if (!isAlone) return record;
      // Written as a new entry: where the service has one, both are merged as those of two devices.
      const { base: __, times: ___, ...rest } = record ?? {};
      return noteCounted({ ...rest, version: versions.force, base, local: write, by: page.id, since }, write.id);
    }
    const frozen = record && freeze(record);
    const { local: replaced } = frozen ?? {};
    if (replaced !== undefined) page.remember(write.id, page.changesOf(replaced, write));
    const local = { ...write, value };
    const next = setLocal(frozen, local, { id: page.id, mayHaveSent: page.mayHaveSent, now: since });
    return noteCounted(next, (replaced ?? write).id, write.id);
  };
}

/**
 * Gives what was set before an account to the account that has come. What that one has as well is decided as between
 * two devices, by what the game has declared; where it is unsent itself, it goes first. Gives whether something has to
 * wait: it waits for this account, whoever comes meanwhile.
 */
export async function giveAway(early: AccountCopy, account: AccountCopy, takeIn: TakeIn): Promise<boolean> {
  const userId = account.userId as string;
  const given = await Promise.all([...new Set([...early.unsent, ...early.offered(userId)])].map(giveEntry));
  return given.includes(false);

  async function giveEntry(name: string): Promise<boolean> {
    // Whose it is is noted in the step that begins it: it may be stopped after that, and the account be gone.
    const offered = await early.change(name, 'game', (latest) => latest && offerTo(userId, latest));
    const left = await giveOffers(name, offered, early, account, takeIn);
    if (left === null) return false;
    // What was set meanwhile counts from there.
    const isEmpty = nextWrite(left) === undefined && offersOf(userId, left).length === 0;
    return isEmpty || giveEntry(name);
  }
}

/** Gives the account what a page had for it, that is gone: what it had for nobody yet is not this one's to take. */
export async function giveOffered(early: AccountCopy, account: AccountCopy, takeIn: TakeIn): Promise<void> {
  const names = early.offered(account.userId as string);
  await Promise.all(names.map((name) => giveOffers(name, early.record(name), early, account, takeIn)));
}

/** Gives what is left in the record then; null where something has to wait. */
async function giveOffers(
  name: string,
  offered: EntryRecord | undefined,
  early: AccountCopy,
  account: AccountCopy,
  takeIn: TakeIn,
): Promise<EntryRecord | undefined | null> {
  let left = offered;
  // Read anew after each: another tab may have given the next one, and what the account has of it be sent and dropped.
  for (;;) {
    const [offer] = offersOf(account.userId, left);
    if (offer === undefined) return left;
    const taken = await account.change(name, 'game', (record) => takeIn(name, record, offer));
    if (!isCounted(taken, offer.write.id)) return null;
    left = await early.change(name, 'game', (latest) => latest && endOffer(offer.write.id, latest));
  }
}
