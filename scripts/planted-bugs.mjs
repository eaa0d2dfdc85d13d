import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Bugs that a save would be lost, doubled or given away by, one exact replacement each, and the tests that must catch it.
 * `tests` are below test/.
 */
const profile = 'client/profile';
const stores = 'backend/stores';

export const bugs = [
  {
    name: 'a write says no base version, and overwrites',
    file: 'src/http/entries.ts',
    from: "...update(call, call.version === versions.force ? { [headers.ifNoneMatch]: '*' } : {}),",
    to: '...update({ ...call, version: versions.force }, {}),',
    tests: [`${profile}/profile.test.ts`],
  },
  {
    name: 'the outbox is cleared before the answer',
    file: 'src/client/profile/send-entry.ts',
    from: 'underWay.add(write.id);',
    to: `underWay.add(write.id);
    await confirm(copy, name, write, version + 1);`,
    tests: [`${profile}/profile.test.ts`, `${profile}/crash.test.ts`],
  },
  {
    name: 'what may be under way gives way to what is set next',
    file: 'src/client/profile/entry-record.ts',
    from: 'const { sent = mayBeUnderWay(record, page), local: replaced } = record;',
    to: 'const { sent, local: replaced } = record;',
    tests: [`${profile}/entry-record.test.ts`],
  },
  {
    name: 'an answer takes what was set meanwhile with it',
    file: 'src/client/profile/entry-record.ts',
    from: 'return sent !== undefined && local !== undefined ? { ...confirmed, local, by, since: now } : confirmed;',
    to: `void [sent, by, since, now];
  return confirmed;`,
    tests: [`${profile}/entry-record.test.ts`],
  },
  {
    name: 'a merge adds both totals, and not what each side has added',
    file: 'src/merge/merge-field.ts',
    from: 'const added = (mine as number) - (from as number);',
    to: 'const added = mine as number;',
    tests: ['merge/merge-values.test.ts'],
  },
  {
    name: 'the lock is held while the game is asked',
    file: 'src/client/profile/send-entry.ts',
    from: 'const clash = await dependencies.lock(dependencies.lockName, () => attempt(copy, name));',
    to: `const clash = await dependencies.lock(dependencies.lockName, async () => {
        const met = await attempt(copy, name);
        if (met !== null) await settle(copy, name, met.write, met.cloud);
        return null as typeof met;
      });`,
    tests: [`${profile}/tabs.test.ts`],
  },
  {
    name: 'the outbox is sent for whoever is signed in',
    file: 'src/client/profile/sync.ts',
    from: 'if (user !== userId) throw superseded();',
    to: '',
    tests: [`${profile}/profile.test.ts`, `${profile}/regressions.test.ts`],
  },
  {
    name: 'all accounts of a device share one copy',
    file: 'src/client/storage/home-keys.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    from: "entry:${userId ?? ''}:`",
    to: 'entry:x:`',
    tests: [`${profile}/profile.test.ts`],
  },
  {
    name: 'a tab writes over what another has written',
    file: 'src/client/profile/account-copy.ts',
    from: 'const before = found === entry.text ? entry.record : readRecord(found);',
    to: 'const before = entry.record;',
    tests: [`${profile}/account-copy.test.ts`],
  },
  {
    name: 'a tab replaces what another tab may be sending',
    file: 'src/client/profile/entry-record.ts',
    from: '(by !== page.id || page.mayHaveSent(local))',
    to: 'page.mayHaveSent(local)',
    tests: [`${profile}/entry-record.test.ts`],
  },
  {
    name: 'what failed is never tried again',
    file: 'src/client/profile/outbox.ts',
    from: 'if (!asksForPause) timer.set(ms);',
    to: 'if (!asksForPause) void ms;',
    tests: [`${profile}/outbox.test.ts`],
  },
  {
    name: 'what failed is tried again without end, and without a pause',
    file: 'src/client/profile/outbox.ts',
    from: 'if (!asksForPause) timer.set(ms);',
    to: 'if (!asksForPause) timer.set(0 * ms);',
    tests: [`${profile}/outbox.test.ts`],
  },
  {
    name: 'nothing is sent as the network comes back',
    file: 'src/client/profile/sync.ts',
    from: `await present.adopt();
    outbox.retry();`,
    to: 'await present.adopt();',
    tests: [`${profile}/outbox.test.ts`],
  },
  {
    name: 'the cloud wins, and what loses is kept nowhere',
    file: 'src/client/profile/decide-clash.ts',
    from: 'if (!decision.isLossless) await',
    to: 'if (decision === undefined) await',
    tests: [`${profile}/profile.test.ts`],
  },
  {
    name: 'an update that may have been stored is made again on a service without a ledger',
    file: 'src/client/profile/send-entry.ts',
    from: 'if (!mayBeCarriedOut || !isUnnamed || !looksCarriedOut(asked, cloud)) return',
    to: 'if (!mayBeCarriedOut || isUnnamed || !looksCarriedOut(asked, cloud)) return',
    tests: [`${profile}/older-service.test.ts`],
  },
  {
    name: 'a flush succeeds though the account was switched',
    file: 'src/client/profile/outbox.ts',
    from: 'if (userId !== null && copy?.userId !== userId) throw superseded();',
    to: '',
    tests: [`${profile}/regressions.test.ts`],
  },
  {
    name: 'a choice in a conflict does not wait for what is owed',
    file: 'src/client/auth/conflict.ts',
    from: 'await dependencies.flush({ signal });',
    to: '',
    tests: [`${profile}/unsent.test.ts`],
  },
  {
    name: 'what is sent in a hurry dies with its page',
    file: 'src/client/profile/write-request.ts',
    from: '{ ...player, keepalive }',
    to: 'player',
    tests: [`${profile}/hide.test.ts`],
  },
  {
    name: 'what is sent in a hurry pushes another write out of the ledger',
    file: 'src/client/profile/write-request.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    from: 'const device = isHurried ? `${own}-h` : own;',
    to: 'const device = own;',
    tests: [`${profile}/hide-races.test.ts`],
  },
  {
    name: 'what was sent under one name and in a hurry is not looked for under the other',
    file: 'src/client/profile/write-request.ts',
    from: 'return ask(!isHurried);',
    to: 'throw error;',
    tests: [`${profile}/hide-races.test.ts`],
  },
  {
    name: 'what the home takes while the page is hidden is left with what comes after it, as one',
    file: 'src/client/profile/account-copy.ts',
    from: 'index === coming.length - 1 || given.has(edit) || page.isLeft(edit.id);',
    to: 'index === coming.length - 1;',
    tests: [`${profile}/hide-races.test.ts`],
  },
  {
    name: 'a page that is hidden rests on what it has heard, not on what the home had',
    file: 'src/client/profile/account-copy.ts',
    from: 'const basis = [record, ...given.values()][given.size];',
    to: 'const basis = record;',
    tests: [`${profile}/hide-sequences.test.ts`],
  },
  {
    name: 'what replaces the write of another page does not say so',
    file: 'src/client/profile/entry-record.ts',
    from: 'const isForeign = replaced !== undefined && record.by !== page.id;',
    to: 'const isForeign = false as boolean;',
    tests: [`${profile}/entry-record.test.ts`, `${profile}/hide-sequences.test.ts`],
  },
  {
    name: 'what is set whole is left to be folded in, where another tab has come in between',
    file: 'src/client/profile/apply-edits.ts',
    from: 'index > whole && page.isOvertaken(id, record)',
    to: 'page.isOvertaken(id, record)',
    tests: [`${profile}/hide-order.test.ts`],
  },
  {
    name: 'what hidden pages have left is put on top of what was set whole after it',
    file: 'src/client/profile/apply-edits.ts',
    from: 'edit.isWhole ? countLeft(name, put(latest, edit)) : put(latest, edit);',
    to: 'put(latest, edit);',
    tests: [`${profile}/hide-order.test.ts`],
  },
  {
    name: 'what the service has refused to a hidden page is asked for under the same name',
    file: 'src/client/profile/fold-journal.ts',
    from: 'isAsked && writes.length === 1 ? renamed(last) : last',
    to: 'isAsked && writes.length === 0 ? renamed(last) : last',
    tests: [`${profile}/hide-order.test.ts`],
  },
  {
    name: 'what a hidden page of this device has sent is taken for the write of another one',
    file: 'src/client/profile/decide-clash.ts',
    from: 'cloud.value === undefined || isOnOwn',
    to: 'cloud.value === undefined',
    tests: [`${profile}/hide-order.test.ts`],
  },
  {
    name: 'what a hidden page has sent is forgotten by that page before what waits has met it',
    file: 'src/client/profile/send-entry.ts',
    from: '!rests(next, version - 1));',
    to: 'true);',
    tests: [`${profile}/hide-order.test.ts`],
  },
  {
    name: 'what a hidden page has sent is forgotten by another tab before what waits has met it',
    file: 'src/client/profile/fold-journal.ts',
    from: ' || rests(next, item.version));',
    to: ');',
    tests: [`${profile}/hide-order.test.ts`],
  },
  {
    name: 'what was sent past the record counts as in it',
    file: 'src/client/profile/send-entry.ts',
    from: 'record && hasWrite(record, write.id) && page.isLeft(write.id)',
    to: 'record && page.isLeft(write.id)',
    tests: [`${profile}/hide-order.test.ts`],
  },
  {
    name: 'an answer that was overtaken takes the record back',
    file: 'src/client/profile/entry-record.ts',
    from: 'const isLatest = version > record.version;',
    to: 'const isLatest = true;',
    tests: [`${profile}/entry-record.test.ts`],
  },
  {
    name: 'a record forgets what is in the journal still',
    file: 'src/client/profile/entry-record.ts',
    from: 'index >= old || isLookedFor(id)',
    to: 'index >= old',
    tests: [`${profile}/hide-races.test.ts`],
  },
  {
    name: 'a hidden page leaves what the home has got, and says has failed, once more',
    file: 'src/client/profile/account-copy.ts',
    from: 'const coming = notStored(basis, edits);',
    to: 'const coming = notStored(undefined, edits);',
    tests: [`${profile}/hide-races.test.ts`],
  },
  {
    name: 'what counts is folded in once more, where the entry was given up',
    file: 'src/client/profile/entry-record.ts',
    from: 'return isAsBefore && !isCounted(stored, item.write.id) ?',
    to: 'return isAsBefore ?',
    tests: [`${profile}/entry-record.test.ts`],
  },
  {
    name: 'a record that is read once more is held for that of another tab',
    file: 'src/client/profile/page-writes.ts',
    from: '=> JSON.stringify(record) === JSON.stringify(basis);',
    to: '=> record === basis;',
    tests: [`${profile}/hide-races.test.ts`],
  },
  {
    name: 'what pages have left is taken in as the storage names its keys',
    file: 'src/client/profile/journal.ts',
    from: 'items.sort(([one], [other]) => turnOf(one) - turnOf(other))',
    to: 'items',
    tests: [`${profile}/journal.test.ts`],
  },
  {
    name: 'tabs leave what they have set in one text of localStorage',
    file: 'src/client/profile/journal-slots.ts',
    from: "import { isWebStorage } from '../storage/web-storage-home.js';",
    to: 'const isWebStorage = (_: StoragePort): _ is Storage => false;',
    tests: [`${profile}/hide-sequences.test.ts`, `${profile}/journal.test.ts`],
  },
  {
    name: 'what a hidden page has left does not count as unsent',
    file: 'src/client/profile/sync.ts',
    from: '...left.map(({ name }) => name)]',
    to: '...left.slice(left.length).map(({ name }) => name)]',
    tests: [`${profile}/hide.test.ts`],
  },
  {
    name: 'a write that is put in the place of another is not known to hold it',
    file: 'src/client/profile/early-copy.ts',
    from: 'return noteCounted(next, (replaced ?? write).id, write.id);',
    to: 'return noteCounted(next, write.id);',
    tests: [`${profile}/hide-sequences.test.ts`, `${profile}/early-copy.test.ts`],
  },
  {
    name: 'an item of the journal is dropped before what was asked is settled',
    file: 'src/client/profile/fold-journal.ts',
    from: 'const isWaiting = item.isAsked && (hasWrite(next, item.writes[0].id) || rests(next, item.version));',
    to: 'const isWaiting = false;',
    tests: [`${profile}/hide-sequences.test.ts`],
  },
  {
    name: 'what was set before there was an account is left behind',
    file: 'src/client/profile/present-copies.ts',
    from: 'if (userId !== null) early ??= current?.userId === null ? current : openCopy(null);',
    to: '',
    tests: [`${profile}/profile.test.ts`, `${profile}/early-copy.test.ts`],
  },
  {
    name: 'what a hidden page has left is taken in by nobody',
    file: 'src/client/profile/sync.ts',
    from: 'if (present.current !== null) await sending.foldJournal(present.current);',
    to: '',
    tests: [`${profile}/hide.test.ts`],
  },
  {
    name: 'what was set before an account forgets what it was made of',
    file: 'src/client/profile/entry-record.ts',
    from: 'return { ...beginRecord(before, record), local, by, since: now };',
    to: 'return { ...beginRecord(void before, record), local, by, since: now };',
    tests: [`${profile}/early-copy.test.ts`, `${profile}/findings/counting.test.ts`],
  },
  {
    name: 'a write that is tried again later has another name',
    file: 'src/client/profile/write-request.ts',
    from: 'name: { device, write: write.id },',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    to: "name: { device, write: `${write.id}${performance.now()}`.replace('.', '') },",
    tests: [`${profile}/crash.test.ts`, `${profile}/hide-races.test.ts`],
  },
  {
    name: 'what the device does not have yet is sent',
    file: 'src/client/profile/send-entry.ts',
    from: 'if (copy.storing.has(name)) return null;',
    to: '',
    tests: [`${profile}/send-races.test.ts`],
  },
  {
    name: 'what another page may be replacing is sent as it is',
    file: 'src/client/profile/send-entry.ts',
    from: 'const isForeign = found?.sent === undefined && found?.local !== undefined && found.by !== page.id;',
    to: 'const isForeign = false;',
    tests: [`${profile}/send-races.test.ts`],
  },
  {
    name: 'what is set while the game decides is overwritten',
    file: 'src/client/profile/send-entry.ts',
    from: 'isDecided = nextWrite(current)?.id === write.id && (current?.local ?? write).id === latest.id;',
    to: 'isDecided = latest !== undefined;',
    tests: [`${profile}/profile.test.ts`, `${profile}/merge.test.ts`, `${profile}/regressions.test.ts`],
  },
  {
    name: 'nobody listens when the home works again',
    file: 'src/client/profile/sync.ts',
    from: 'wake().catch(reportUnlessDisposed);',
    to: '',
    tests: ['client/storage/client-storage.test.ts'],
  },
  {
    name: 'one refused entry holds up all others',
    file: 'src/client/profile/outbox.ts',
    from: 'if (!isSdkError(error) || stopsAll(error)) throw error;',
    to: 'if (isSdkError(error) || stopsAll(error)) throw error;',
    tests: [`${profile}/findings/refusals.test.ts`],
  },
  {
    name: 'an entry waits for a clock that was put back',
    file: 'src/client/profile/troubles.ts',
    from: 'return now() < failedAt ? now() : retriesAt;',
    to: 'return Number.isNaN(failedAt) ? 0 : retriesAt;',
    tests: [`${profile}/outbox.test.ts`],
  },
  {
    name: 'a refused entry is asked for again at once',
    file: 'src/client/profile/troubles.ts',
    from: 'return trouble === undefined || retryOf(trouble) <= now();',
    to: 'return trouble === undefined || trouble.retriesAt !== null || now() > 0;',
    tests: [`${profile}/findings/refusals.test.ts`, `${profile}/outbox.test.ts`],
  },
  {
    name: 'what is set during a choice goes to the account that is left',
    file: 'src/client/profile/present-copies.ts',
    from: 'leaving += 1;',
    to: '',
    tests: [`${profile}/findings/sessions.test.ts`, `${profile}/regressions.test.ts`, `${profile}/profile.test.ts`],
  },
  {
    name: 'a full collection takes one more',
    file: 'src/client/profile/room.ts',
    from: 'if (before === undefined && namesIn(copies, name).length >= entriesPerCollection) {',
    to: 'if (before === undefined && namesIn(copies, name).length > entriesPerCollection) {',
    tests: [`${profile}/findings/refusals.test.ts`],
  },
  {
    name: 'what is given up is kept nowhere',
    file: 'src/client/profile/profile.ts',
    from: 'await authorized((player) => requests.addSnapshot(entry, snapshot, player), signal).catch((error) => {',
    to: 'await Promise.resolve([entry, snapshot]).catch((error) => {',
    tests: [`${profile}/findings/refusals.test.ts`],
  },
  {
    name: 'what a hidden page has sent is set again on top',
    file: 'src/client/profile/apply-edits.ts',
    from: 'return coming.slice(lost + 1).reduce((latest, edit) => {',
    to: 'return coming.slice(lost * 0).reduce((latest, edit) => {',
    tests: [`${profile}/hide-sequences.test.ts`],
  },
  {
    name: 'a home that asks twice counts twice',
    file: 'src/client/profile/apply-edits.ts',
    from: 'const coming = notStored(record, edits);',
    to: 'const coming = edits.slice();',
    tests: [`${profile}/account-copy.test.ts`],
  },
  {
    name: 'what is set while an account is given what was set before it goes with that',
    file: 'src/client/profile/entry-record.ts',
    from: 'return nextWrite(rest) === undefined ? null : rest;',
    to: 'return nextWrite(rest) === undefined ? null : null;',
    tests: [`${profile}/early-copy.test.ts`],
  },
  {
    name: 'what waits for an account goes to the next one that comes',
    file: 'src/client/profile/entry-record.ts',
    from: 'return record?.offers?.filter((offer) => offer.userId === userId) ?? [];',
    to: 'return (userId && record?.offers) || [];',
    tests: [`${profile}/early-copy.test.ts`, `${profile}/findings/sessions.test.ts`],
  },
  {
    name: 'an equal value of two devices counts once',
    file: 'src/client/profile/decide-clash.ts',
    from: 'const countsNothing = options?.merge === undefined && changes === undefined && !isUpdate;',
    to: 'const countsNothing = changes === undefined || isCounted || true;',
    tests: [`${profile}/findings/counting.test.ts`],
  },
  {
    name: 'a write that may have been done is answered as one that was not',
    file: 'src/backend/http/app.ts',
    from: 'if (isStoreUnavailable(error)) return',
    to: 'if (isStoreUnavailable(error) || true) return',
    tests: ['backend/store-unavailable.test.ts'],
  },
  {
    name: 'a method that was taken away is answered as one that was not',
    file: 'src/backend/accounts/accounts.ts',
    from: 'throw isStoreUnavailable(error) ? new Error(error.message) : error;',
    to: 'throw error;',
    tests: ['backend/store-unavailable.test.ts'],
  },
  {
    name: 'an update looks at no version',
    file: 'src/backend/stores/sql/entries.ts',
    from: "'version = $8'];",
    to: "'version >= 0 * $8'];",
    tests: [`${stores}/sqlite.test.ts`],
  },
  {
    name: 'the session is looked up before the write, and not in its step',
    file: 'src/backend/entries/entries.ts',
    from: `owner: ownerOf(by),
    sessionId,`,
    to: `owner: ownerOf(by),
    sessionId: 'sessionId' in by && (await service.store.findSession(by)) === null ? sessionId : null,`,
    tests: ['backend/write-access.test.ts'],
  },
  {
    name: 'a write asks for no session: only the account has to be there',
    file: 'src/backend/stores/rules/write-access.ts',
    from: 'return hasSession && isActive ? null',
    to: 'return hasSession || isActive ? null',
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'the one statement of a write asks for no session',
    file: 'src/backend/stores/sql/write-access.ts',
    from: 'if (session === null) return account;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    to: "if (session !== undefined) return session === null ? account : `${account} AND ${session} <> ''`;",
    tests: [`${stores}/sqlite.test.ts`],
  },
  {
    name: 'a write does not lock its account',
    file: 'src/backend/stores/sql/row-locks.ts',
    from: "exclusive: 'FOR NO KEY UPDATE'",
    to: "exclusive: ''",
    tests: [`${stores}/write-locks-on-postgres.test.ts`],
  },
  {
    name: 'a write that has waited for its account does not see that its session is gone',
    file: 'src/backend/stores/sql/row-locks.ts',
    from: "present: 'FOR KEY SHARE'",
    to: "present: ''",
    tests: [`${stores}/write-locks-on-postgres.test.ts`],
  },
  {
    name: 'a write only keeps its account from being removed',
    file: 'src/backend/stores/sql/row-locks.ts',
    from: "exclusive: 'FOR NO KEY UPDATE'",
    to: "exclusive: 'FOR KEY SHARE'",
    tests: [`${stores}/write-locks-on-postgres.test.ts`],
  },
  {
    name: 'no ledger: a write that comes again is another one',
    file: 'src/backend/stores/memory/entries.ts',
    from: 'if (name !== undefined) account.ledgers.set(',
    to: 'if (name === undefined) account.ledgers.set(',
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'the ledger is written after the transaction',
    file: 'src/backend/stores/memory/entries.ts',
    from: 'if (name !== undefined) account.ledgers.set(entryKey(request), addToLedger(ledger, name, written.version));',
    to: `if (name !== undefined) {
    setImmediate(() => account.ledgers.set(entryKey(request), addToLedger(ledger, name, written.version)));
  }`,
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'the one statement of a named write leaves the ledger alone',
    file: 'src/backend/stores/sql/entries.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    from: 'set.push(`writes = ${ledgerSql.withWrite(bind(written))}`);',
    to: 'void [ledgerSql, written];',
    tests: [`${stores}/sqlite.test.ts`],
  },
  {
    name: 'the one statement of a named write does not look into the ledger',
    file: 'src/backend/stores/sql/entries.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    from: 'conditions.push(`${ledgerSql.lastWrite(bind(name.device))} <> ${bind(name.write)}`);',
    to: '',
    tests: [`${stores}/sqlite.test.ts`],
  },
  {
    name: 'the newest device leaves the ledger',
    file: 'src/backend/stores/rules/ledger.ts',
    from: 'each[1][1] < found[1][1]',
    to: 'each[1][1] > found[1][1]',
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'the ledger has room for every device',
    file: 'src/backend/stores/rules/ledger.ts',
    from: 'if (changed.size > serviceSizes.devicesPerEntry)',
    to: 'if (changed.size < 0)',
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'a forced write is not looked up in the ledger',
    file: 'src/backend/stores/rules/ledger.ts',
    from: 'last[0] === name?.write)',
    to: 'last[0] === name?.write && version !== versions.force)',
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'a write that may have left the ledger is said to have never been carried out',
    file: 'src/backend/stores/rules/ledger.ts',
    from: '(last !== undefined || !mayHaveLeft(ledger, version))',
    to: '(last !== undefined || ledger.size > 0 || !mayHaveLeft(ledger, version))',
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'a restored entry begins a new ledger',
    file: 'src/backend/stores/sql/entries.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    from: 'if (ledger !== undefined) set.push(`writes = ${bind(ledgerText(ledger))}`);',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    to: 'if (named === undefined) set.push(`writes = ${bind(ledgerText(ledger ?? emptyLedger))}`);',
    tests: [`${stores}/sqlite.test.ts`],
  },
  {
    name: 'a dump leaves the ledgers out',
    file: 'src/backend/stores/memory/dump.ts',
    from: 'return ledger === undefined ? entry',
    to: 'return ledger !== null ? entry',
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: "a back end's write takes the times away",
    file: 'src/backend/stores/rules/held-entries.ts',
    from: 'given ?? former?.times ?? noTimes',
    to: 'given ?? noTimes',
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'the game is shown the times',
    file: 'src/backend/entries/entries.ts',
    from: "const beside = times === undefined || wire === 'game' ? '' :",
    to: "const beside = times === undefined || wire === ('' as Wire) ? '' :",
    tests: ['backend/idempotency.test.ts'],
  },
  {
    name: 'a malformed name is no name',
    file: 'src/backend/http/exchange.ts',
    from: 'if (name !== null) return name;',
    to: 'if (name !== null || header !== null) return name ?? undefined;',
    tests: ['backend/idempotency.test.ts'],
  },
  {
    name: 'a snapshot that comes again is another one',
    file: 'src/backend/entries/snapshots.ts',
    from: 'if (name !== undefined) snapshot.snapshotId =',
    to: 'if (name === undefined) snapshot.snapshotId =',
    tests: ['backend/idempotency.test.ts'],
  },
  {
    name: 'what was merged first counts as what was merged last',
    file: 'src/backend/stores/sql/snapshots.ts',
    from: 'ORDER BY ordinal DESC, snapshot_id DESC LIMIT 1',
    to: 'ORDER BY ordinal, snapshot_id LIMIT 1',
    tests: [`${stores}/sqlite.test.ts`],
  },
  {
    name: "what was merged counts for another's account",
    file: 'src/backend/stores/memory/conflicts.ts',
    from: "reason === 'merge' && fromId === other.record.accountId",
    to: "reason === 'merge' && fromId !== one.record.accountId",
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'a named write is guessed by its value where the service knows',
    file: 'src/http/entries.ts',
    from: ' && error.carriedOut !== false',
    to: '',
    tests: ['http/entries.test.ts'],
  },
  {
    name: 'a forced write is sent again, whoever the service is',
    file: 'src/http/entries.ts',
    from: 'const carriedOut = await askForOutcome(send, write, error);',
    to: 'const carriedOut = (await askForOutcome(send, write, error).catch(() => null)) && null;',
    tests: ['http/entries.test.ts'],
  },
  {
    name: 'a repeat has a name of its own',
    file: 'src/http/entries.ts',
    from: 'formatKey(name) };',
    to: 'formatKey({ ...name, write: String(Math.random()).slice(2) }) };',
    tests: ['http/entries.test.ts'],
  },
  {
    name: 'writes of an entry that run at once are one device',
    file: 'src/server/write-names.ts',
    from: 'while (taken.has(lane)) lane += 1;',
    to: '',
    tests: ['server/write-names.test.ts'],
  },
  {
    name: 'a page sends the name of a write to a service that forbids the header',
    file: 'src/client/session/access-token.ts',
    from: 'return sid === undefined ||',
    to: 'return sid !== null ||',
    tests: ['client/requests.test.ts'],
  },
  {
    name: 'a write is answered, and on the disk a moment later',
    file: 'src/backend/stores/sqlite/runner.ts',
    from: `connection.exec('BEGIN IMMEDIATE');
      told = changes.map(changes.length === 1 ? carryOutAlone : carryOut);
      connection.exec('COMMIT');`,
    to: `const open = connection as unknown as { until?: unknown };
      if (open.until === undefined) {
        connection.exec('BEGIN IMMEDIATE');
        open.until = setTimeout(() => {
          open.until = undefined;
          connection.exec('COMMIT');
        }, 20);
      }
      told = changes.map(carryOut);`,
    tests: [`${stores}/kill.test.ts`],
  },
  {
    name: 'a nonce is claimed by everybody',
    file: 'src/backend/stores/sql/nonces.ts',
    from: 'WHERE n.expires_at <= $4',
    to: 'WHERE n.expires_at > 0 * $4',
    tests: [`${stores}/service.test.ts`],
  },
  {
    name: 'a device is looked up, and its account made a moment later',
    file: 'src/backend/stores/memory/accounts.ts',
    from: `export function ensureAccount(tables: MemoryTables, request: EnsureAccountRequest): EnsuredAccount {
  const { link, accountId, session, now } = request;
  const existing = tables.links.get(linkKey(link));
  if (existing !== undefined) return { created: false, link: { ...existing } };`,
    to: `export async function ensureAccount(tables: MemoryTables, request: EnsureAccountRequest): Promise<EnsuredAccount> {
  const { link, accountId, session, now } = request;
  const existing = tables.links.get(linkKey(link));
  if (existing !== undefined) return { created: false, link: { ...existing } };
  await new Promise((resolve) => setImmediate(resolve));`,
    tests: [`${stores}/memory.test.ts`],
  },
  {
    name: 'a session is rotated by everybody who has read it',
    file: 'src/backend/stores/sql/sessions.ts',
    from: 'AND revision = $5 RETURNING',
    to: 'AND revision >= 0 * $5 RETURNING',
    tests: [`${stores}/sqlite.test.ts`],
  },
  {
    name: 'an account is found in any game',
    file: 'src/backend/stores/memory/tables.ts',
    from: 'ownerKey({ gameId, environment, accountId }: Owner): string {',
    to: `ownerKey({ environment, accountId }: Owner): string {
  const gameId = '';`,
    tests: ['backend/isolation.test.ts'],
  },
  {
    name: 'a token that is none is a failure of the service',
    file: 'src/backend/sessions/tokens.ts',
    from: '!(error instanceof jose.errors.JOSEError)',
    to: '!(error instanceof jose.errors.JWSSignatureVerificationFailed)',
    tests: ['backend/doors-fuzz.test.ts'],
  },
  {
    name: 'the home is left in silence where IndexedDB refuses',
    file: 'src/client/storage/open-home.ts',
    from: 'if (local.storage === undefined || local.record !== null) throw error;',
    to: 'if (local.storage === undefined) throw error;',
    tests: ['client/storage/open-home.test.ts'],
  },
  {
    name: 'a slow IndexedDB is taken for one that refuses',
    file: 'src/client/storage/open-home.ts',
    from: 'if (!(error instanceof DOMException)) throw error;',
    to: '',
    tests: ['client/storage/open-home.test.ts'],
  },
  {
    name: 'localStorage becomes the home beside saves of an earlier version',
    file: 'src/client/storage/open-home.ts',
    from: 'refused < refusals || livedInIndexedDb(local.storage, keys)',
    to: 'refused < refusals',
    tests: ['client/storage/open-home.test.ts'],
  },
  {
    name: 'an account is made while the home cannot be read',
    file: 'src/client/session/current-session.ts',
    from: "if (deviceId === '') throw storageUnavailable();",
    to: '',
    tests: ['client/storage/client-storage.test.ts'],
  },
  {
    name: 'the device id may not be on the disk when the start is over',
    file: 'src/client/session/session-store.ts',
    from: 'home.update(key, (text) => text ?? made, { strict: true })',
    to: 'home.update(key, (text) => text ?? made)',
    tests: ['client/storage/client-storage.test.ts'],
  },
  {
    name: 'the session may not be on the disk when the start is over',
    file: 'src/client/session/session-store.ts',
    from: 'home.update(keys.session, write, { strict: true })',
    to: 'home.update(keys.session, write)',
    tests: ['client/storage/client-storage.test.ts'],
  },
  {
    name: 'a guest of an earlier version takes the place of a linked account',
    file: 'src/client/session/session-store.ts',
    from: 'if (isLinked(here.session) !== isLinked(there.session)) return isLinked(there.session);',
    to: '',
    tests: ['client/storage/earlier-version.test.ts'],
  },
  {
    name: 'localStorage is cleared before the home has what was in it',
    file: 'src/client/storage/earlier-version.ts',
    from: 'const device = local.getItem(keys.device);',
    to: `const device = local.getItem(keys.device);
  local.removeItem(keys.session);`,
    tests: ['client/storage/earlier-version.test.ts'],
  },
  {
    name: 'an update that fails is given up',
    file: 'src/client/storage/steady-home.ts',
    from: 'await pause(Math.min(pauseMs.max, pauseMs.min * 2 ** tries), closed.signal);',
    to: 'if (tries > 0) return undefined as never;',
    tests: ['client/storage/steady-home.test.ts'],
  },
  {
    name: 'a newer update overtakes one that has not been answered',
    file: 'src/client/storage/steady-home.ts',
    from: 'queues.set(key, started);',
    to: '',
    tests: ['client/storage/steady-home.test.ts'],
  },
  {
    name: 'what is asked for just before the home is closed is dropped',
    file: 'src/client/storage/steady-home.ts',
    from: 'for (let tries = 0; ; tries += 1) {',
    to: `for (let tries = 0; ; tries += 1) {
      if (closed.signal.aborted) throw aborted();`,
    tests: ['client/storage/steady-home.test.ts'],
  },
  {
    name: 'one text that is refused fails those beside it',
    file: 'src/client/storage/indexed-db-home.ts',
    from: 'if (updates.length === 1) return updates[0]?.reject(error);',
    to: `for (const one of updates) one.reject(error);
      if (updates.length > 0) return;`,
    tests: ['client/storage/indexed-db-home.test.ts'],
  },
  {
    name: 'a transaction that was given up can still write',
    file: 'src/client/storage/indexed-db-home.ts',
    from: 'answerWithin(transactionMs, ending, abort);',
    to: 'answerWithin(transactionMs, ending, () => {});',
    tests: ['client/storage/indexed-db-home.test.ts'],
  },
  {
    name: 'a database that was deleted under a page stays empty',
    file: 'src/client/storage/indexed-db-home.ts',
    from: 'for (const [key, text] of known) values.put(text, key);',
    to: '',
    tests: ['client/storage/indexed-db-home.test.ts'],
  },
  {
    name: 'the key of a new entry is not listed in a storage of the game',
    file: 'src/client/storage/custom-home.ts',
    from: 'await updateText(list, (names) => addName(names, key.slice(list.length)));',
    to: '',
    tests: ['client/storage/homes.test.ts'],
  },
  {
    name: 'tabs do not take turns at a storage of the game',
    file: 'src/client/storage/custom-home.ts',
    from: 'return lock(key, async () => write(key, textOf(await storage.getItem(key)), change), { isNeeded: true });',
    to: 'return write(key, textOf(await storage.getItem(key)), change);',
    tests: ['client/storage/homes.test.ts'],
  },
  {
    name: 'a closed channel fails the save that it was to tell of',
    file: 'src/client/platform/tabs.ts',
    from: `    try {
      channel?.postMessage(message);
    } catch {
      // The browser has closed the channel. The other tabs look for themselves when they are next played.
    }`,
    to: '    channel?.postMessage(message);',
    tests: ['client/platform/tabs.test.ts'],
  },
];

/** Why these bugs cannot be planted below a folder: a text that is not in its file exactly once, or a test that is gone. */
export function misplaced(root, planted = bugs) {
  return planted.flatMap(({ name, file, from, tests }) => {
    const times = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8').split(from).length - 1 : null;
    const gone = tests.filter((test) => !existsSync(join(root, 'test', test)));
    return [
      ...(times === null ? [`${name}: there is no ${file}`] : []),
      ...(times === null || times === 1
        ? []
        : [`${name}: ${file} holds the text ${times} times, and must hold it once: ${from}`]),
      ...gone.map((test) => `${name}: there is no test/${test}`),
    ];
  });
}
