import type { Conflict, JsonObject } from 'savepoint';
import { describe, expect, it, vi } from 'vitest';
import type { Page } from '../world/device.js';
import { conflictName } from '../world/service.js';
import { browser, createStage, custom, holdStage, type Stage } from './stage.js';

holdStage();

/** Two devices whose accounts claim one name; gives the page that has to choose. The call waits for that where it is heard. */
async function meetConflict(stage: Stage, isHeard = false): Promise<{ ada: string; page: Page; guest: string }> {
  const one = await stage.start(0);
  const ada = await stage.signIn(one);
  await stage.set(one, { level: 7 });
  const page = await stage.start(1);
  const guest = page.client.auth.userId as string;
  await stage.set(page, { level: 2 });
  await stage.turns.pass(1_000);
  if (isHeard) page.client.events.on('conflict', () => {});
  await stage.make(page, ({ auth }) => auth.withName('ada', 'correct horse'));
  await stage.turns.pass(1_000);
  expect(page.client.conflict).not.toBeNull();
  return { ada, page, guest };
}

describe('a collection that is read before the account has its copy', () => {
  it('is kept nowhere else, and what is told of it is what is shown', async () => {
    const stage = createStage([{ ...custom, storage: 'in promises' }]);
    const first = await stage.start(0);
    await stage.set(first, { level: 1 });
    await stage.turns.pass(1_000);
    const page = stage.startSoon(0, 1);
    while (page.client.auth.userId === null) await stage.turns.turn();
    const [device] = stage.devices;
    Object.assign(device?.shelf as object, { condition: 'fails' });
    const told: unknown[] = [];
    const progress = page.client.profile.collection('progress');
    progress.onChange(({ value }) => told.push(value));
    await stage.make(page, () => progress.load());
    await stage.turns.pass(250);
    await stage.set(first, { level: 2 });
    Object.assign(device?.shelf as object, { condition: 'well' });
    await stage.turns.pass(60_000);
    expect([...(device?.shelf.texts.keys() ?? [])].filter((key) => key.includes(':entry::'))).toEqual([]);
    expect(told.at(-1)).toEqual(stage.get(page));
  });
});

describe('a page that dies before it has given its account what was set while that was read', () => {
  it('leaves it to the pages that live on', async () => {
    const stage = createStage([browser]);
    const living = await stage.start(0);
    await stage.turns.pass(1_000);
    const [device] = stage.devices;
    const dying = stage.startSoon(0, 1);
    await stage.turns.turn(2);
    const setting = { isKept: false };
    stage.turns.act(dying, () => {
      const progress = dying.client.profile.collection('progress');
      void progress.set('main', { level: 7 }).then(() => Object.assign(setting, { isKept: true }));
    });
    const isOffered = (): boolean => device?.texts().some((text) => text.includes('"offers"')) === true;
    for (let turns = 0; turns < 100 && !isOffered(); turns += 1) await stage.turns.turn();
    // The transaction ends.
    await stage.turns.turn();
    dying.kill();
    expect([setting.isKept, isOffered()]).toEqual([true, true]);
    await stage.turns.pass(5_000);
    living.raise('online');
    await stage.turns.pass(60_000);
    expect(stage.get(living)).toEqual({ level: 7 });
    expect(await stage.stored(living)).toEqual({ level: 7 });
  });
});

describe('a choice whose answer gets lost', () => {
  it('ends with what it came to, and loses nothing that was set in between', async () => {
    for (const again of ['cloud', 'cancel'] as const) {
      const stage = createStage([custom, custom]);
      const { ada, page } = await meetConflict(stage);
      const { conflict } = page.client;
      page.client.events.on('conflict', () => {});
      stage.devices[1]?.network.accidents.push('lost', 'lost', 'lost', 'lost', 'lost', 'lost');
      const first = await stage.make(page, () => conflict?.resolve('cloud') as Promise<unknown>);
      await stage.turns.pass(5_000);
      expect(first.isSettled).toBe(true);
      const between = await stage.set(page, { level: 9 }, { key: 'between' });
      stage.devices[1]?.network.accidents.splice(0);
      const second = await stage.make(page, () => conflict?.resolve(again) as Promise<unknown>);
      await stage.turns.pass(300_000);
      expect(second.value).toMatchObject({ success: true, userId: ada });
      expect(page.client.auth.userId).toBe(ada);
      if (between.isSettled && between.error === undefined) {
        expect(await stage.stored(ada, { key: 'between' })).toEqual({ level: 9 });
      }
    }
  });

  it('ends with what it came to at the next start', async () => {
    const stage = createStage([custom, custom]);
    const { ada, page } = await meetConflict(stage);
    stage.devices[1]?.network.set('lost');
    await stage.make(page, ({ conflict }) => conflict?.resolve('cloud') as Promise<unknown>);
    page.kill();
    stage.devices[1]?.network.set('on');
    const next = await stage.start(1);
    await stage.turns.pass(60_000);
    expect(next.client.auth.userId).toBe(ada);
  });
});

describe('a choice that was carried out', () => {
  it('is found out about, where a repeat of the unanswered request was told that the service is busy', async () => {
    const stage = createStage([custom, custom]);
    const { page, guest } = await meetConflict(stage, true);
    const conflict = page.client.conflict as Conflict;
    const { network } = page.device;
    network.accidents.push('lost');
    network.set('busy');
    const choice = await stage.make(page, () => conflict.resolve('local'));
    await stage.turns.pass(60_000);
    network.set('on');
    expect(choice.value).toMatchObject({ success: false, error: { code: 'unavailable' } });
    expect(stage.service.choiceOf(conflictName(conflict))?.choice).toBe('local');
    const end = await stage.make(page, () => conflict.resolve('cancel'));
    await stage.turns.pass(60_000);
    expect(end.value).toEqual({ success: true, userId: guest });
  });

  it('is not cancelled with what the player had thought better of before', async () => {
    const stage = createStage([custom, custom]);
    const { ada, page } = await meetConflict(stage, true);
    const conflict = page.client.conflict as Conflict;
    const { network } = page.device;
    network.set('off');
    await stage.make(page, () => conflict.resolve('local'));
    await stage.turns.pass(60_000);
    network.set('held');
    const cancelled = await stage.make(page, () => conflict.resolve('cancel'));
    const chosen = await stage.make(page, () => conflict.resolve('cloud'));
    network.set('on');
    await stage.turns.pass(60_000);
    expect(stage.service.choiceOf(conflictName(conflict))?.choice).toBe('cloud');
    expect(cancelled.value).toMatchObject({ success: false, error: { code: 'conflict_pending' } });
    expect(chosen.value).toEqual({ success: true, userId: ada });
  });

  it('is not said to have expired, where its time is over before that is found out', async () => {
    const stage = createStage([custom, custom]);
    const { page } = await meetConflict(stage, true);
    const conflict = page.client.conflict as Conflict;
    const { network } = page.device;
    network.set('lost');
    await stage.make(page, () => conflict.resolve('cloud'));
    await stage.turns.pass(60_000);
    network.set('off');
    await stage.turns.pass(15 * 60_000);
    const end = await stage.make(page, () => conflict.resolve('cancel'));
    await stage.turns.pass(60_000);
    expect(end.value).toMatchObject({ success: false, error: { code: 'aborted' } });
  });

  it('cannot be cancelled before that is found out', async () => {
    const stage = createStage([custom, custom]);
    const { ada, page } = await meetConflict(stage, true);
    const conflict = page.client.conflict as Conflict;
    const { network } = page.device;
    network.set('lost');
    for (const choice of ['cloud', 'cancel'] as const) {
      const made = await stage.make(page, () => conflict.resolve(choice));
      await stage.turns.pass(60_000);
      expect(made.value).toMatchObject({ success: false, error: { code: 'network' } });
      expect(page.client.conflict).toBe(conflict);
    }
    network.set('on');
    const end = await stage.make(page, () => conflict.resolve('cancel'));
    await stage.turns.pass(60_000);
    expect(end.value).toEqual({ success: true, userId: ada });
  });

  it('is never said to be none, where the player signs out before the account has come', async () => {
    const codes: unknown[] = [];
    for (let after = 0; after < 24; after += 1) {
      const stage = createStage([custom, { ...custom, delays: [1] }]);
      const { page } = await meetConflict(stage, true);
      const conflict = page.client.conflict as Conflict;
      const results: Awaited<ReturnType<Conflict['resolve']>>[] = [];
      stage.turns.act(page, () => void conflict.resolve('cloud').then((result) => results.push(result)));
      await stage.turns.turn(after);
      const isCarriedOut = stage.service.choiceOf(conflictName(conflict))?.choice === 'cloud';
      stage.turns.act(page, () => void page.client.auth.signOut());
      await stage.turns.pass(60_000);
      expect(results).toHaveLength(1);
      if (isCarriedOut && results[0]?.success === false) codes.push(results[0].error.code);
    }
    expect(new Set(codes)).toEqual(new Set(['aborted']));
  });
});

describe('a tab that starts while another one carries a choice out', () => {
  it('sends what is set in it afterwards', async () => {
    const sent: unknown[] = [];
    for (let after = 0; after < 24; after += 1) {
      const stage = createStage([custom, { ...custom, storage: 'with swap' }]);
      const { ada, page } = await meetConflict(stage, true);
      stage.turns.act(page, () => void page.client.conflict?.resolve('cloud'));
      await stage.turns.turn(after);
      const other = await stage.start(1, 1);
      await stage.turns.pass(1_000);
      await stage.set(other, { after });
      await stage.turns.pass(60_000);
      sent.push(await stage.stored(ada));
    }
    expect(sent).toEqual(sent.map((_, after) => ({ after })));
  });
});

describe('a tab that starts while the player signs in on another one', () => {
  it.each([
    ['hears of it', true],
    ['does not hear of it', false],
  ])('puts no guest in the place of the player, where it %s', async (_, hasChannel) => {
    for (let after = 0; after < 40; after += 1) {
      const stage = createStage([{ ...browser, hasChannel, delays: [2] }]);
      const { turns } = stage;
      const first = await stage.start(0);
      const guest = first.client.auth.userId;
      await stage.run(first, ({ auth }) => auth.signOut());
      await stage.set(first, { level: 1 });
      const signing = { isIn: false };
      turns.act(first, () => {
        void first.client.auth.withName('ada', 'correct horse').then(({ success }) => {
          signing.isIn = success;
        });
      });
      await turns.turn(after);
      const other = stage.startSoon(0, 1);
      let isStarted = false;
      turns.act(other, () => {
        void other.client.init().then(({ success }) => {
          isStarted = success;
        });
      });
      await turns.pass(2_000);
      const here = [first, other].map(({ client }) => client.auth.userId);
      // A guest who was there first has the name linked to his account.
      expect([after, signing.isIn, isStarted, new Set(here).size]).toEqual([after, true, true, 1]);
      if (here[0] === guest) expect([after, first.client.auth.state]).toEqual([after, 'linked']);
    }
  });
});

describe('what was set before an account, and waits for it', () => {
  it('is that of no other account, where that one is deleted elsewhere', async () => {
    let canRead = false;
    const migrate = (stored: JsonObject): JsonObject => {
      if (canRead) return stored;
      throw new Error('The game cannot read it yet.');
    };
    const stage = createStage([custom, custom], { progress: { merge: { level: 'max' }, migrate } });
    const { turns, devices } = stage;
    const [page, elsewhere] = [await stage.start(0), await stage.start(1)];
    const ada = await stage.signIn(page);
    elsewhere.client.events.on('conflict', (conflict) => void conflict.resolve('cloud'));
    await stage.signIn(elsewhere);
    devices[0]?.network.set('lost');
    await stage.set(page, { level: 2 });
    const other = stage.startSoon(0, 1);
    await stage.set(other, { level: 3 });
    expect(other.client.auth.userId).toBe(ada);
    for (const one of [page, other]) one.kill();
    const { recoveryCode: code } = await stage.run(elsewhere, ({ account }) => account.delete());

    devices[0]?.network.set('on');
    const next = await stage.start(0);
    await stage.make(next, ({ profile }) => profile.flush());
    await turns.pass(10_000);
    const guest = (await stage.run(next, ({ auth }) => auth.asGuest())) as { userId: string };
    await turns.pass(10_000);
    expect(guest.userId).not.toBe(ada);
    expect([stage.get(next), await stage.stored(next), next.client.profile.status]).toEqual([
      undefined,
      undefined,
      'synced',
    ]);

    canRead = true;
    await stage.run(next, ({ auth }) => auth.switchTo({ method: 'recovery', code }, { restore: true }));
    await turns.pass(10_000);
    expect([next.client.auth.userId, await stage.stored(next)]).toEqual([ada, { level: 3 }]);
  });
});

describe('a client that is disposed', () => {
  it.each(['browser', 'with swap', 'at once'] as const)(
    'settles every set, and leaves no rejection: %s',
    async (storage) => {
      for (let after = 0; after < 8; after += 1) {
        const stage = createStage([{ ...browser, storage }]);
        const [page] = [await stage.start(0, 0), await stage.start(0, 1)];
        stage.turns.act(page, () => void page.client.profile.collection('progress').set('main', { after }));
        await stage.turns.turn(after);
        stage.turns.act(page, () => page.client.dispose());
        const next = await stage.make(page, ({ profile }) => profile.collection('progress').set('main', { next: 1 }));
        await stage.turns.pass(60_000);
        expect(next.isSettled).toBe(true);
        expect(stage.unhandled).toEqual([]);
      }
    },
  );
});

describe('a network that is switched off', () => {
  it('is left at once, with the repeats of what is under way', async () => {
    const stage = createStage([custom]);
    const page = await stage.start(0);
    stage.devices[0]?.network.set('off');
    for (let turns = 0; turns < 6; turns += 1) {
      await stage.run(page, ({ setNetwork }) => setNetwork('on').then(() => {}));
      const flushing = stage.set(page, { turns });
      stage.turns.act(page, () => void page.client.profile.flush().catch(() => {}));
      await stage.turns.turn(turns);
      stage.turns.act(page, () => {
        page.isOffline = true;
        void page.client.setNetwork('off');
      });
      await flushing;
      await stage.turns.pass(60_000);
      expect(stage.devices[0]?.network.complaints).toEqual([]);
      page.isOffline = false;
    }
  });
});

describe('an entry that misses the schema', () => {
  it('keeps nobody from reading the others', async () => {
    const validate = (value: unknown) =>
      typeof (value as { level?: unknown }).level === 'number'
        ? { value: value as { level: number } }
        : { issues: [{ message: 'it has no level' }] };
    const schema = { '~standard': { version: 1 as const, vendor: 'test', validate } };
    const stage = createStage([custom], { progress: { schema } });
    const page = await stage.start(0);
    await stage.set(page, { level: 1 });
    await stage.run(page, ({ profile }) => profile.flush());
    await stage.backEnd.overwrite(page.client.auth.userId as string, 'progress', { odd: true }, 'odd');
    const loaded = await stage.run(page, ({ profile }) => profile.collection('progress').load());
    expect(loaded).toContainEqual({ key: 'main', value: { level: 1 }, version: 0 });
    const entries = stage.turns.read(page, () => page.client.profile.collection('progress').entries());
    expect(entries).toContainEqual({ key: 'main', value: { level: 1 }, version: 0 });
  });
});

describe('a listener', () => {
  it('is told once of a value that only its stored form has changed', async () => {
    const migrate = ({ gold, ...value }: { gold?: unknown }) => (gold === undefined ? value : { coins: gold });
    const stage = createStage([custom], { aged: { migrate: migrate as never } });
    const page = await stage.start(0);
    const account = page.client.auth.userId as string;
    const told = vi.fn();
    stage.turns.read(page, () => page.client.profile.collection('aged').onChange(({ value }) => told(value)));
    for (const value of [{ gold: 5 }, { coins: 5 }]) {
      await stage.backEnd.overwrite(account, 'aged', value);
      await stage.run(page, ({ profile }) => profile.collection('aged').load());
    }
    expect(told.mock.calls).toEqual([[{ coins: 5 }]]);
  });

  it('is told once of a value where a sign-out meets the start of another tab', async () => {
    const again: unknown[] = [];
    for (let pause = 0; pause < 12; pause += 1) {
      const stage = createStage([{ ...custom, delays: [1] }]);
      const { turns } = stage;
      const page = await stage.start(0, 0);
      await stage.signIn(page);
      await stage.set(page, { level: 1 });
      await stage.turns.pass(1_000);
      let told: string | null = null;
      page.client.events.on('stateChanged', () => {
        told = null;
      });
      turns.read(page, () =>
        page.client.profile.collection('progress').onChange(({ value }) => {
          const now = JSON.stringify([page.client.auth.userId, value]);
          if (now === told) again.push([pause, value]);
          told = now;
        }),
      );
      turns.act(page, () => void page.client.auth.signOut());
      await turns.turn(0);
      const other = stage.startSoon(0, 1);
      await turns.turn(pause);
      turns.act(other, () => void other.client.auth.signOut());
      await turns.turn(0);
      stage.startSoon(0, 2);
      await turns.pass(1_000);
    }
    expect(again).toEqual([]);
  });
});
