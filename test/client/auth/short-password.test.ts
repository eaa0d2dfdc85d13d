import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/backend/stores/memory/store.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { loginQuotas } from '../../backend/stores/contract-records.js';
import { chooseStore } from '../../support/chosen-store.js';
import { testGameId } from '../../support/service.js';
import { codeOf, createWorld, errorOf, ok, type World } from '../world.js';

const short = 'U*U';
/** crypt_blowfish's own example of that password. */
const hash = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

let world: World;
let store: Store;
beforeEach(() => {
  chooseStore(() => {
    store = createMemoryStore();
    return store;
  });
  world = createWorld();
});
afterEach(() => world.end());

/** An account that was imported with its name and a password that is shorter than a new one may be. */
async function imported(): Promise<string> {
  const { auth } = await world.player();
  const scope = { gameId: testGameId, environment: 0 } as const;
  const owner = { ...scope, accountId: auth.userId as string };
  const link = { ...scope, method: 'name', subject: 'ada', label: 'ada', credential: hash } as const;
  await store.linkMethod({ quotas: loginQuotas, owner, session: null, link, now: 1 });
  return owner.accountId;
}

it('signs an imported player in, switches to the account, and is shown once more', async () => {
  const userId = await imported();
  const client = await world.player({ autoLogin: false });
  expect(await client.auth.withName('ada', short)).toEqual({ success: true, userId });
  await client.account.reauthenticate({ method: 'name', username: 'ada', password: short });
  const other = await world.player();
  ok(await other.auth.switchTo({ method: 'name', username: 'ada', password: short }));
  expect(other.auth.userId).toBe(userId);
  const second = await world.player();
  expect(codeOf(await second.auth.withName('ada', short))).toBe('conflict_unhandled');
});

it('is too short for a name that nobody has and for a new password, and wrong where it is not the one', async () => {
  await imported();
  const client = await world.player();
  const refused = errorOf(await client.auth.withName('eve', short));
  expect(refused).toMatchObject({ code: 'password_too_short', minLength: 8 });
  expect(codeOf(await client.auth.withName('ada', 'U*'))).toBe('invalid_credentials');
  for (const username of ['ada', 'eve']) {
    const shown = { method: 'name', username, password: 'U*' } as const;
    expect(codeOf(await client.auth.switchTo(shown))).toBe('invalid_credentials');
  }
  ok(await client.auth.switchTo({ method: 'name', username: 'ada', password: short }));
  await expect(client.account.changePassword(short, 'U*U*U')).rejects.toMatchObject({ code: 'password_too_short' });
  await client.account.changePassword(short, 'correct horse');
});
