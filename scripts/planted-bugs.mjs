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
    from: "...update(call, version === versions.force ? { [headers.ifNoneMatch]: '*' } : {}),",
    to: '...update({ ...call, version: versions.force }, {}),',
    tests: [`${profile}/profile.test.ts`],
  },
  {
    name: 'the outbox is cleared before the answer',
    file: 'src/client/profile/outbox.ts',
    from: 'await dependencies.asOwner(copy, (player) => {',
    to: 'await confirm(copy, name, { version, sent });\n    await dependencies.asOwner(copy, (player) => {',
    tests: [`${profile}/profile.test.ts`],
  },
  {
    name: 'what is being sent is not kept',
    file: 'src/client/profile/local-copy.ts',
    from: 'slots: [...held.slots] });',
    to: 'slots: [...held.slots].map(([name, { sent: _, ...slot }]) => [name, slot]) });',
    tests: [`${profile}/crash.test.ts`],
  },
  {
    name: 'an answer takes what was set meanwhile with it',
    file: 'src/client/profile/outbox.ts',
    from: 'const local = sameJson(slot.local, sent) ? undefined : slot.local;',
    to: 'const local = undefined;',
    tests: [`${profile}/model.test.ts`],
  },
  {
    name: 'a merge adds, instead of taking sub-totals',
    file: 'src/merge/merge-field.ts',
    from: 'cloud - totalOf(theirs) + totalOf(merged)',
    to: 'cloud + local',
    tests: [`${profile}/merge.test.ts`],
  },
  {
    name: 'the lock is held while the game is asked',
    file: 'src/client/profile/outbox.ts',
    from: 'const clash = await platform.lock(lockName, () => send(copy, name, round >= maxRounds));',
    to: `const clash = await platform.lock(lockName, async () => {
            const met = await send(copy, name, round >= maxRounds);
            if (met !== undefined) await dependencies.settle(copy, name, met);
            return met;
          });`,
    tests: [`${profile}/tabs.test.ts`],
  },
  {
    name: 'the outbox is sent for whoever is signed in',
    file: 'src/client/profile/profile.ts',
    from: 'if (user !== userId) throw superseded();',
    to: '',
    tests: [`${profile}/profile.test.ts`, `${profile}/regressions.test.ts`],
  },
  {
    name: 'all accounts of a device share one copy',
    file: 'src/client/session/session-store.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
    from: "profile:${userId ?? ''}`",
    to: 'profile:`',
    tests: [`${profile}/profile.test.ts`],
  },
  {
    name: 'a tab writes over what another has written',
    file: 'src/client/storage/compare-and-swap.ts',
    from: "if ((found ?? '') !== from) return found ?? '';",
    to: '',
    tests: [`${profile}/tabs.test.ts`],
  },
  {
    name: "a tab takes another's text for its own",
    file: 'src/client/profile/local-copy.ts',
    from: 'if (other !== null) {',
    to: 'if (other !== null && other !== next) {',
    tests: [`${profile}/tabs.test.ts`],
  },
  {
    name: 'what failed is never tried again',
    file: 'src/client/profile/outbox.ts',
    from: 'plan(backOff(failures,',
    to: 'void (backOff(failures,',
    tests: [`${profile}/outbox.test.ts`],
  },
  {
    name: 'what failed is tried again without end, and without a pause',
    file: 'src/client/profile/outbox.ts',
    from: 'plan(backOff(failures,',
    to: 'plan(0 * backOff(failures,',
    tests: [`${profile}/outbox.test.ts`],
  },
  {
    name: 'nothing is sent as the network comes back',
    file: 'src/client/profile/profile.ts',
    from: 'await copy?.sync();\n      outbox.retry();',
    to: 'await copy?.sync();',
    tests: [`${profile}/outbox.test.ts`],
  },
  {
    name: 'the cloud wins, and what loses is kept nowhere',
    file: 'src/client/profile/settle-clash.ts',
    from: 'if (!lossless) {',
    to: 'if (lossless === null) {',
    tests: [`${profile}/profile.test.ts`],
  },
  {
    name: 'an update is made again that may have been stored',
    file: 'src/client/profile/settle-clash.ts',
    from: 'options?.merge === undefined && !clash.uncertain ?',
    to: 'options?.merge === undefined ?',
    tests: [`${profile}/merge.test.ts`],
  },
  {
    name: 'a flush succeeds though the account was switched',
    file: 'src/client/profile/outbox.ts',
    from: 'if (userId !== null && dependencies.copy()?.userId !== userId) throw superseded();',
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
    file: 'src/client/profile/outbox.ts',
    from: '{ ...player, keepalive }',
    to: 'player',
    tests: [`${profile}/hide.test.ts`],
  },
  {
    name: 'what was sent in a hurry is taken for another device',
    file: 'src/client/profile/outbox.ts',
    from: 'const uncertain = !isFirst || timesHidden > before;',
    to: 'const uncertain = !isFirst;',
    tests: [`${profile}/hide.test.ts`],
  },
  {
    name: 'the ladder forgets what stands on a lower rung',
    file: 'src/client/storage/carry-over.ts',
    from: 'for (let rung = lowest; rung >= 0; rung -= 1) {',
    to: 'for (let rung = 0; rung >= 0; rung -= 1) {',
    tests: ['client/storage/ladder.test.ts'],
  },
  {
    name: 'what was set before there was an account is left behind',
    file: 'src/client/profile/profile.ts',
    from: 'unowned = copy?.userId === null ? copy : await open(null);',
    to: 'unowned = null;',
    tests: [`${profile}/profile.test.ts`],
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
    from: 'AND version = $8 RETURNING version',
    to: 'AND version >= 0 * $8 RETURNING version',
    tests: [`${stores}/service.test.ts`],
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
