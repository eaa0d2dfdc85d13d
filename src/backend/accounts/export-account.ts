import { entriesText } from '../entries/entries.js';
import { listSnapshots, readSnapshot } from '../entries/snapshots.js';
import type { BodyStream, Text } from '../http/answers.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { AccountLink, EntryName, Owner } from '../stores/records.js';
import { readableSubjects } from '../stores/rules/readable-subjects.js';
import { describeChoice, describeLink } from './accounts.js';
import type { ExportSlot } from './running-exports.js';

/** How many entries are read at once: at most some 3 MiB. */
const pageEntries = 20;

/**
 * Everything that the service knows of a player, as JSON text. What somebody could sign in with is left out: hashes of
 * passwords, device ids and recovery codes, and tokens.
 *
 * Spec gap: it is read while it is sent, so that it takes the memory of one page or one snapshot, however large the
 * account is. Each page of entries and each snapshot is of one moment, but not all of them of the same. Refuses with
 * `rate_limited` while the account has as many exports running as it may.
 */
export async function exportAccount(service: Service, owner: Owner): Promise<BodyStream> {
  const slot = service.exports.begin(owner);
  try {
    return inPieces(service, slot, await exportTexts(service, owner));
  } catch (error) {
    slot.end();
    throw error;
  }
}

/** The texts that make the export, each read when it is asked for. What the account is made of is read at once. */
async function exportTexts(service: Service, owner: Owner): Promise<AsyncGenerator<Text>> {
  const { store } = service;
  const found = await store.readAccount(owner);
  if (found === null) throw new Refusal('unauthorized');
  const sessions = (await store.listSessions(owner)).map(({ method, openedAt, expiresAt }) => {
    return { method, openedAt, expiresAt };
  });
  const choice = await store.readChoice({ owner, now: service.now() });
  const { gameId, environment, accountId, createdAt } = found.account;
  const about = {
    userId: accountId,
    gameId,
    env: environment,
    createdAt,
    exportedAt: service.now(),
    methods: found.links.map(exportLink),
    sessions,
    ...(choice === null ? {} : { choice: describeChoice(choice) }),
  };
  return (async function* () {
    yield `${JSON.stringify(about).slice(0, -1)},"entries":[`;
    yield* entryTexts(service, owner);
    yield '],"snapshots":[';
    let separator = '';
    for (const { id } of await listSnapshots(service, owner)) {
      const text = await readSnapshot(service, owner, id);
      // It has expired, or given way to newer ones, since they were listed.
      if (text === null) continue;
      yield [separator, ...text];
      separator = ',';
    }
    yield ']}';
  })();
}

async function* entryTexts({ store }: Service, owner: Owner): AsyncGenerator<Text> {
  let after: EntryName | null = null;
  for (;;) {
    const page = await store.readEntries({ owner, after, max: pageEntries });
    // An account that is gone must not look like an empty one.
    if (page === null) throw new Error('The account was removed while it was exported.');
    const last = page.at(-1);
    // Without the brackets of each page.
    if (last !== undefined) yield [after === null ? '' : ',', ...entriesText(page, 'game').slice(1, -1)];
    if (last === undefined || page.length < pageEntries) return;
    after = { collection: last.collection, key: last.key };
  }
}

function inPieces({ report, pause }: Service, slot: ExportSlot, texts: AsyncGenerator<Text>): BodyStream {
  return {
    async next() {
      slot.renew();
      // A store that answers at once would otherwise let nobody else be served between two pieces.
      await pause();
      try {
        const { done, value } = await texts.next();
        return done === true ? null : value;
      } catch (error) {
        report('An export was cut short.', error);
        throw error;
      }
    },
    close: () => slot.end(),
  };
}

function exportLink(link: AccountLink) {
  return { ...describeLink(link), ...(readableSubjects.includes(link.method) ? { subject: link.subject } : {}) };
}
