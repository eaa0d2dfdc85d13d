import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPasswords } from '../../../src/backend/accounts/passwords.js';
import { usernameSubject } from '../../../src/backend/accounts/usernames.js';
import type { LinkRecord } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { pathOf } from '../../../src/protocol/addresses.js';
import { operations } from '../../../src/protocol/operations.js';
import type { PlayerAuthAnswer } from '../../../src/protocol/player-messages.js';
import { createTestService, post, send, signInGuest, type TestService, useName } from '../../support/service.js';
import { newSigningKey } from '../../support/signing-key.js';
import { type Gate, holdable, type Place } from './held.js';

const before = { username: 'ada', password: 'correct horse' };
const after = { username: 'ada', password: 'battery staple' };
const own = { deviceId: 'device-one' };
const strange = { deviceId: 'device-strange' };

/** Two services on one store: each call of `open` gives the store as another process would have it. */
export interface SharedStore {
  open(): Promise<Store>;
  end(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what is in it.
type Answer = Awaited<ReturnType<typeof post<any>>>;

/** What the owner does while a request of somebody else is held. */
interface World {
  /** Where the owner is. */
  home: TestService;
  /** Where somebody else's requests arrive; they can be held there. */
  away: TestService;
  owner: PlayerAuthAnswer;
  hold(place: Place): Gate;
}

/**
 * What ends all that a credential has allowed, also what is on its way: a request is held between its check and what
 * the check allows, and goes on when the check no longer holds.
 */
export function describeInFlight(name: string, create: () => SharedStore): void {
  describe(`credentials ${name}`, () => {
    let shared: SharedStore;
    let world: World;

    beforeEach(async () => {
      shared = create();
      const { store, hold } = holdable(await shared.open());
      const signingKey = await newSigningKey();
      const home = createTestService({ store: await shared.open(), signingKey });
      // No two processes have the same random ids.
      const random = (size: number) => crypto.getRandomValues(new Uint8Array(size));
      const away = createTestService({ store, signingKey, random });
      await Promise.all([home, away].map(({ backend }) => backend.ready()));
      const owner = await signInGuest(home, own.deviceId);
      await useName(home, before, { ...own, token: owner.accessToken });
      world = { home, away, owner, hold };
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await shared.end();
    });

    /** Sends a request, holds it, lets the owner act, and gives its answer. */
    async function meanwhile(place: Place, ask: () => Promise<Answer>, act: () => Promise<unknown>): Promise<Answer> {
      const gate = world.hold(place);
      const answer = ask();
      await Promise.race([gate.arrived, answer.then(({ status }) => Promise.reject(new Error(`not held: ${status}`)))]);
      await act();
      gate.open();
      return answer;
    }

    const byName = (credential: typeof before, more: object = {}, request: { token?: string } = {}) =>
      post(world.away, operations.signInWithName.path, { ...credential, ...more }, { ...strange, ...request });
    const changePassword = async (player: { accessToken: string } = world.owner) => {
      const passwords = { old_password: before.password, new_password: after.password };
      const { accessToken: token } = player;
      const answer = await post(world.home, operations.changePassword.path, passwords, { ...own, token });
      expect(answer.status).toBe(204);
    };
    const unlink = async (method: string) => {
      const request = { method: 'DELETE', token: world.owner.accessToken };
      expect((await send(world.home, pathOf(operations.unlinkMethod, { method }), request)).status).toBe(200);
    };
    const relink = async () => {
      await unlink('name');
      await useName(world.home, before, { ...own, token: world.owner.accessToken });
    };
    const signOutEverywhere = async () => {
      const request = { ...own, token: world.owner.accessToken };
      const answer = await post(world.home, operations.signOut.path, { everywhere: true }, request);
      expect(answer.status).toBe(204);
    };
    const deleteAccount = async () => {
      const request = { method: 'DELETE', token: world.owner.accessToken };
      const { status, body } = await send(world.home, operations.deleteAccount.path, request);
      expect(status).toBe(200);
      return body.recoveryCode as string;
    };
    const restore = async (code: string) => {
      const request = { code, restore: true };
      const answer = await post(world.home, operations.signInWithRecoveryCode.path, request, own);
      expect(answer.body.userId).toBe(world.owner.userId);
    };
    const account = ({ accessToken: token }: { accessToken: string }) =>
      send(world.home, operations.readAccount.path, { token });
    const methodsOf = async (player: { accessToken: string }) =>
      (await account(player)).body.methods.map(({ method }: { method: string }) => method);
    /** How many sessions the owner's account has. */
    const sessions = async () => {
      const owner = { gameId: world.home.gameId, environment: 0 as const, accountId: world.owner.userId };
      return (await (await shared.open()).listSessions(owner)).length;
    };
    /** A guest elsewhere, with a ticket for the owner's account. */
    const openConflict = async () => {
      const guest = await signInGuest(world.away, strange.deviceId);
      const { status, body } = await byName(before, {}, { token: guest.accessToken });
      expect(status).toBe(409);
      return { guest, ticket: body.conflict.ticket as string };
    };
    const choose = (ticket: string, choice: string) =>
      post(world.away, operations.resolveConflict.path, { ticket, choice }, strange);

    const refused = { status: 401, body: { code: 'invalid_credentials' } };
    const signedOut = { status: 401, body: { code: 'unauthorized' } };

    describe.each(['hasher', 'openSession'] as const)('a sign-in that is held before %s', (place) => {
      it('is refused where the password was changed meanwhile', async () => {
        expect(await meanwhile(place, () => byName(before), changePassword)).toMatchObject(refused);
        expect(await sessions()).toBe(1);
        expect((await useName(world.away, after, strange)).userId).toBe(world.owner.userId);
      });

      it('is refused where the name was unlinked meanwhile, or makes an account of its own', async () => {
        const switching = () => byName(before, { intent: 'switch' });
        expect(await meanwhile(place, switching, () => unlink('name'))).toMatchObject(refused);
        await useName(world.home, before, { ...own, token: world.owner.accessToken });
        const { status, body } = await meanwhile(
          place,
          () => byName(before),
          () => unlink('name'),
        );
        expect(status).toBe(200);
        expect(body.userId).not.toBe(world.owner.userId);
        expect(await sessions()).toBe(1);
      });

      it('checks the password again where everybody was signed out or the name linked anew', async () => {
        for (const act of [relink, signOutEverywhere]) {
          const derive = vi.spyOn(crypto.subtle, 'deriveBits');
          let hashes = 0;
          const answer = await meanwhile(
            place,
            () => byName(before),
            async () => {
              await act();
              hashes = derive.mock.calls.length;
            },
          );
          expect(answer).toMatchObject({ status: 200, body: { userId: world.owner.userId } });
          expect(derive.mock.calls.length).toBe(hashes + 1);
          vi.restoreAllMocks();
        }
      });

      it('is told where the account was deleted meanwhile', async () => {
        const answer = await meanwhile(place, () => byName(before), deleteAccount);
        expect(answer).toMatchObject({ status: 403, body: { code: 'account_deleted' } });
        expect(await sessions()).toBe(0);
      });

      it('goes on where the account was deleted and restored, for its password is still right', async () => {
        const answer = await meanwhile(
          place,
          () => byName(before),
          async () => restore(await deleteAccount()),
        );
        expect(answer).toMatchObject({ status: 200, body: { userId: world.owner.userId } });
      });
    });

    describe.each(['hasher', 'openTicket'] as const)('a conflict whose request is held before %s', (place) => {
      const link = async () => {
        const { accessToken: token } = await signInGuest(world.away, strange.deviceId);
        return () => byName(before, { show: [{ collection: 'progress', key: 'main', field: 'coins' }] }, { token });
      };

      it('is none where the password was changed or the name unlinked meanwhile', async () => {
        const ask = await link();
        expect(await meanwhile(place, ask, changePassword)).toMatchObject(refused);
        await useName(world.away, after, strange);
        await unlink('name');
        const { accessToken: token } = await signInGuest(world.away, strange.deviceId);
        await useName(world.home, before, { ...own, token: world.owner.accessToken });
        const again = () => byName(before, {}, { token });
        const linked = await meanwhile(place, again, () => unlink('name'));
        expect(linked).toMatchObject({ status: 200, body: { methods: ['device', 'name'] } });
        expect(linked.body.userId).not.toBe(world.owner.userId);
      });

      it('is none where the account was deleted meanwhile, or the player has signed out', async () => {
        const guest = await signInGuest(world.away, strange.deviceId);
        const ask = () => byName(before, {}, { token: guest.accessToken });
        const end = () =>
          post(world.home, operations.signOut.path, {}, { ...strange, token: guest.accessToken }) as Promise<unknown>;
        expect(await meanwhile(place, ask, end)).toMatchObject(signedOut);
        const deleted = await meanwhile(place, await link(), deleteAccount);
        expect(deleted).toMatchObject({ status: 403, body: { code: 'account_deleted' } });
      });
    });

    it.each([
      ['the password was changed', changePassword],
      ['the name was unlinked', () => unlink('name')],
      ['the name was linked anew', relink],
      ['everybody was signed out', signOutEverywhere],
      ['the account was deleted', deleteAccount],
      ['the account was deleted and restored', async () => restore(await deleteAccount())],
    ])('a ticket chooses nothing after %s', async (_, act) => {
      const { guest, ticket } = await openConflict();
      await (act as () => Promise<unknown>)();
      const left = await sessions();
      for (const choice of ['local', 'cloud']) {
        expect(await choose(ticket, choice)).toMatchObject({ status: 409, body: { code: 'conflict_stale' } });
      }
      const sides = await post(world.away, operations.readConflictSides.path, { ticket }, strange);
      expect(sides).toMatchObject({ status: 409, body: { code: 'conflict_stale' } });
      expect(await methodsOf(guest)).toEqual(['device']);
      expect(await sessions()).toBe(left);
    });

    it.each(['local', 'cloud'])(
      'the choice %s that is held is stale where the password was changed',
      async (choice) => {
        const { guest, ticket } = await openConflict();
        const answer = await meanwhile('resolveConflict', () => choose(ticket, choice), changePassword);
        expect(answer).toMatchObject({ status: 409, body: { code: 'conflict_stale' } });
        expect(await methodsOf(guest)).toEqual(['device']);
        expect((await useName(world.home, after, own)).userId).toBe(world.owner.userId);
      },
    );

    it('a look at another account is held before it tells anything, and tells nothing', async () => {
      const path = pathOf(operations.peek, { method: 'name' });
      const look = () => post(world.away, path, before, strange);
      expect(await meanwhile('readAccount', look, changePassword)).toMatchObject(refused);
    });

    it('a restore by a password that was changed before the account was deleted restores nothing', async () => {
      const answer = await meanwhile(
        'cancelDeletion',
        () => byName(before, { restore: true }),
        async () => {
          await changePassword();
          await deleteAccount();
        },
      );
      expect(answer).toMatchObject(refused);
      const still = await post(world.home, operations.signInWithName.path, after, own);
      expect(still).toMatchObject({ status: 403, body: { code: 'account_deleted' } });
    });

    it('a restore that is held goes on where its credential is still right', async () => {
      const code = await deleteAccount();
      const answer = await meanwhile(
        'cancelDeletion',
        () => byName(before, { restore: true }),
        async () => {
          await restore(code);
          world.owner = await signInGuest(world.home, own.deviceId);
          await deleteAccount();
        },
      );
      expect(answer).toMatchObject({ status: 200, body: { userId: world.owner.userId } });
    });

    describe('a password that was hashed in an older way', () => {
      beforeEach(async () => {
        const store = await shared.open();
        const link = await store.findLink({
          gameId: world.home.gameId,
          environment: 0,
          method: 'name',
          subject: usernameSubject(before.username),
        });
        const random = (size: number) => crypto.getRandomValues(new Uint8Array(size));
        // Hashed by scrypt: only what is hashed anew is counted below.
        const to = await createPasswords({ random }).hash(before.password);
        await store.replaceCredential({ link: link as LinkRecord, to, isSamePassword: true, session: null });
      });

      it('is not hashed anew where it was changed meanwhile, and lets nobody in', async () => {
        const answer = await meanwhile('replaceCredential', () => byName(before), changePassword);
        expect(answer).toMatchObject(refused);
        expect(await byName(before)).toMatchObject(refused);
        expect((await useName(world.home, after, own)).userId).toBe(world.owner.userId);
      });

      it('is changed at the first try where it is hashed anew meanwhile', async () => {
        const derive = vi.spyOn(crypto.subtle, 'deriveBits');
        const passwords = { old_password: before.password, new_password: after.password };
        const change = () =>
          post(world.away, operations.changePassword.path, passwords, { ...own, token: world.owner.accessToken });
        const signIn = () => useName(world.home, before, own);
        expect((await meanwhile('replaceCredential', change, signIn)).status).toBe(204);
        expect(derive).toHaveBeenCalledTimes(2);
        expect(await byName(before)).toMatchObject(refused);
        expect((await useName(world.home, after, own)).userId).toBe(world.owner.userId);
      });

      it('is checked once by a sign-in that another one comes before', async () => {
        const derive = vi.spyOn(crypto.subtle, 'deriveBits');
        const signIn = () => useName(world.home, before, own);
        const answer = await meanwhile('replaceCredential', () => byName(before), signIn);
        expect(answer).toMatchObject({ status: 200, body: { userId: world.owner.userId } });
        expect(derive).toHaveBeenCalledTimes(2);
      });
    });

    describe('a session that ends while it asks', () => {
      let thief: PlayerAuthAnswer;

      beforeEach(async () => {
        thief = await useName(world.away, before, strange);
        expect(thief.userId).toBe(world.owner.userId);
      });

      const asks: [string, Place, () => Promise<Answer>][] = [
        [
          'makes no recovery code',
          'replaceLink',
          () => send(world.away, operations.makeRecoveryCode.path, { method: 'POST', token: thief.accessToken }),
        ],
        [
          'links no device',
          'linkMethod',
          () =>
            post(world.away, operations.signInAsGuest.path, {}, { deviceId: 'device-new', token: thief.accessToken }),
        ],
        [
          'unlinks nothing',
          'unlinkMethod',
          () =>
            send(world.away, pathOf(operations.unlinkMethod, { method: 'device' }), {
              method: 'DELETE',
              token: thief.accessToken,
            }),
        ],
        [
          'deletes nothing',
          'deleteAccount',
          () => send(world.away, operations.deleteAccount.path, { method: 'DELETE', token: thief.accessToken }),
        ],
        [
          'changes no password',
          'replaceCredential',
          () =>
            post(
              world.away,
              operations.changePassword.path,
              { old_password: before.password, new_password: 'taken by a thief' },
              { ...strange, token: thief.accessToken },
            ),
        ],
      ];

      it.each(asks)('%s', async (_, place, ask) => {
        const answer = await meanwhile(place, ask, changePassword);
        expect(answer).toMatchObject(signedOut);
        expect(await methodsOf(world.owner)).toEqual(['device', 'name']);
        expect((await useName(world.home, after, own)).userId).toBe(world.owner.userId);
      });

      it('gets no new tokens for a name that it has shown rightly before', async () => {
        const show = () => byName(before, {}, { token: thief.accessToken });
        expect((await meanwhile('hasher', show, changePassword)).status).toBe(401);
        expect(await sessions()).toBe(1);
      });

      it('is ended by an unlinked method, and the session that unlinks it is not', async () => {
        await unlink('name');
        expect(await account(thief)).toMatchObject(signedOut);
        const refresh = { refresh_token: thief.refreshToken };
        expect(await post(world.home, operations.refreshSession.path, refresh, strange)).toMatchObject(signedOut);
        expect((await account(world.owner)).status).toBe(200);
        const named = await useName(world.home, before, { ...own, token: world.owner.accessToken });
        const byOwnName = await useName(world.home, before, own);
        expect(byOwnName.userId).toBe(named.userId);
        world.owner = byOwnName;
        await unlink('name');
        expect((await account(byOwnName)).status).toBe(200);
      });
    });
  });
}
