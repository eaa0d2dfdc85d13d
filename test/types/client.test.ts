import {
  type AppConfig,
  Auth,
  type AuthResult,
  type CallOptions,
  type Client,
  type ClientAuthResult,
  type ClientReadyResult,
  type Collection,
  type Conflict,
  type ConflictSide,
  type Credential,
  createClient,
  Events,
  environments,
  isSdkError,
  type JsonObject,
  Main,
  type PeekResult,
  Profile,
  type ProfileEntry,
  type ReadyResult,
  type SdkError,
  type SnapshotSummary,
  type StandardSchema,
  type StateName,
  type SystemProfileConflict,
} from 'savepoint';
import { describe, expectTypeOf, it } from 'vitest';

describe("the types of the spec's names", () => {
  it('spell results and configuration as the spec does', () => {
    expectTypeOf(Main.Init).parameters.toEqualTypeOf<[config: AppConfig]>();
    expectTypeOf(Main.Init).returns.resolves.toEqualTypeOf<ReadyResult>();
    expectTypeOf<AuthResult>().toEqualTypeOf<{ Success: true; UserId: string } | { Success: false; Error: SdkError }>();
    expectTypeOf<Extract<ReadyResult, { Success: true }>['UserId']>().toEqualTypeOf<string | null>();
    expectTypeOf<AppConfig['GameId']>().toEqualTypeOf<string>();
    expectTypeOf<AppConfig['Environment']>().toEqualTypeOf<0 | 1 | 2>();
    expectTypeOf<AppConfig['AutoLogin']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<AppConfig>().toHaveProperty('OnReadyCallback');
    expectTypeOf<AppConfig>().not.toHaveProperty('OnReady');
  });

  it('give callbacks what the promises give', () => {
    expectTypeOf(Auth.WithName).parameter(2).toEqualTypeOf<((result: AuthResult) => unknown) | undefined>();
    expectTypeOf(Auth.AsGuest).returns.resolves.toEqualTypeOf<AuthResult>();
    expectTypeOf(Auth.GetUserId).returns.toEqualTypeOf<string | null>();
    expectTypeOf(Auth.IsAuthorized).returns.toEqualTypeOf<boolean>();
    expectTypeOf(Auth.External).toBeCallableWith('id', 'token');
    expectTypeOf(Auth.SignOut).toBeCallableWith('id', environments.Production, ({ Success }) => Success);
    type SignedOut = Extract<Awaited<ReturnType<typeof Auth.SignOut>>, { Success: true }>;
    expectTypeOf<SignedOut>().toEqualTypeOf<{ Success: true; Unsent: number }>();
    expectTypeOf(Main.Client).returns.toEqualTypeOf<Client>();
  });

  it('know each event by its name', () => {
    Events.on('OnSystemProfileConflictAppeared', (conflict) => {
      expectTypeOf(conflict).toEqualTypeOf<SystemProfileConflict>();
      expectTypeOf(conflict.Resolve).parameter(0).toEqualTypeOf<'Local' | 'Cloud' | 'Merge' | 'Cancel'>();
      expectTypeOf(conflict.Ahead).toEqualTypeOf<'Local' | 'Cloud' | null>();
      expectTypeOf(conflict.Diff[0]).toExtend<{ Collection: string; Key: string; Same: boolean } | undefined>();
      expectTypeOf(conflict.Local.UserId).toEqualTypeOf<string>();
    })();
    Events.on('OnSmartObjectsInitialized', ({ UserId, Reason }) => {
      expectTypeOf(UserId).toEqualTypeOf<string | null>();
      expectTypeOf(Reason).toEqualTypeOf<'start' | 'cloud' | 'switch' | 'merge'>();
    })();
    // @ts-expect-error: no such event.
    expectTypeOf(() => Events.on('OnNothing', () => {})).toBeFunction();
  });

  it('need game, environment and address', () => {
    // @ts-expect-error: the environment is required.
    expectTypeOf(() => Main.Init({ GameId: '', BaseUrl: '' })).toBeFunction();
    // @ts-expect-error: 3 is no environment.
    expectTypeOf(() => Main.Init({ GameId: '', BaseUrl: '', Environment: 3 })).toBeFunction();
    expectTypeOf(Profile.Collection).toEqualTypeOf<Client['profile']['collection']>();
  });
});

describe('the types of the idiomatic face', () => {
  it('narrow a result by success', () => {
    expectTypeOf(createClient).returns.toEqualTypeOf<Client>();
    expectTypeOf<Client['init']>().returns.resolves.toEqualTypeOf<ClientReadyResult>();
    expectTypeOf<Extract<ClientAuthResult, { success: true }>>().toEqualTypeOf<{ success: true; userId: string }>();
    expectTypeOf<Extract<ClientAuthResult, { success: false }>['error']>().toEqualTypeOf<SdkError>();
  });

  it('describe state, conflict and entries', () => {
    expectTypeOf<Client['auth']['state']>().toEqualTypeOf<StateName>();
    expectTypeOf<Client['conflict']>().toEqualTypeOf<Conflict | null>();
    expectTypeOf<Conflict>().not.toHaveProperty('ticket');
    type AnyCollection = ReturnType<Client['profile']['collection']>;
    expectTypeOf<AnyCollection['load']>().returns.resolves.toEqualTypeOf<ProfileEntry[]>();
    expectTypeOf<AnyCollection['get']>().returns.toEqualTypeOf<{ [key: string]: unknown } | undefined>();
    expectTypeOf<Client['auth']['userId']>().toEqualTypeOf<string | null>();
  });

  it('say what a conflict is, and what can be chosen', () => {
    expectTypeOf<Conflict['resolve']>().parameter(0).toEqualTypeOf<'local' | 'cloud' | 'merge' | 'cancel'>();
    expectTypeOf<Conflict['ahead']>().toEqualTypeOf<'local' | 'cloud' | null>();
    expectTypeOf<Conflict['kind']>().toEqualTypeOf<'fast-forward' | 'diverged'>();
    expectTypeOf<Conflict['mergeable']>().toEqualTypeOf<boolean>();
  });

  it('tell credentials apart by their method', () => {
    expectTypeOf<Client['auth']['peek']>().returns.resolves.toEqualTypeOf<PeekResult>();
    expectTypeOf<Extract<PeekResult, { success: true }>['outcome']>().toEqualTypeOf<'free' | 'mine' | 'other'>();
    expectTypeOf<Extract<PeekResult, { success: true }>['side']>().toEqualTypeOf<ConflictSide | undefined>();
    expectTypeOf<Client['auth']['switchTo']>().toBeCallableWith({ method: 'recovery', code: '' }, { restore: true });
    expectTypeOf<Credential['method']>().toEqualTypeOf<'name' | 'identity' | 'social' | 'recovery'>();
    const make = (credential: Credential): Credential => credential;
    // @ts-expect-error: a name needs a password.
    expectTypeOf(() => make({ method: 'name', username: 'ada' })).toBeFunction();
    const link = (client: Client) => client.auth.link;
    // @ts-expect-error: a link restores nothing.
    expectTypeOf((client: Client) => link(client)({ method: 'recovery', code: '' }, { restore: true })).toBeFunction();
  });

  it('give the account its calls', () => {
    type Account = Client['account'];
    expectTypeOf<Account['snapshots']>().returns.resolves.toEqualTypeOf<SnapshotSummary[]>();
    expectTypeOf<Account['delete']>().returns.resolves.toEqualTypeOf<{ removedAt: number; recoveryCode: string }>();
    expectTypeOf<Account['recoveryCode']>().returns.resolves.toEqualTypeOf<string>();
    expectTypeOf<Account['changePassword']>().parameter(2).toEqualTypeOf<CallOptions | undefined>();
    expectTypeOf<Awaited<ReturnType<Account['methods']>>[number]['label']>().toEqualTypeOf<string | undefined>();
  });

  it('take one type for the values of a collection, on the way in and out', () => {
    interface Save {
      level: number;
      coins: number;
    }
    const open = (client: Client) => client.profile.collection<Save>('progress', { merge: { coins: 'sum' } });
    type Saves = ReturnType<typeof open>;
    expectTypeOf<Saves>().toEqualTypeOf<Collection<Save>>();
    expectTypeOf<Saves['get']>().returns.toEqualTypeOf<Save | undefined>();
    expectTypeOf<Saves['set']>().parameter(1).toEqualTypeOf<Save>();
    expectTypeOf<Saves['update']>().parameter(1).toEqualTypeOf<(value: Save | undefined) => Save>();
    expectTypeOf<Saves['update']>().returns.resolves.toEqualTypeOf<Save>();
    const openInSpec = () => Profile.Collection<Save>('progress');
    expectTypeOf(openInSpec).returns.toEqualTypeOf<Collection<Save>>();
    const ask = (client: Client) =>
      client.profile.collection<Save>('progress', {
        onConflict: ({ local, cloud }) => {
          expectTypeOf(local).toEqualTypeOf<Save>();
          return { ...cloud, coins: local.coins };
        },
      });
    expectTypeOf(ask).returns.toEqualTypeOf<Collection<Save>>();
    // @ts-expect-error: a save is no text.
    expectTypeOf((client: Client) => client.profile.collection<string>('progress')).toBeFunction();
    // @ts-expect-error: coins are missing.
    expectTypeOf((saves: Saves) => saves.set('main', { level: 1 })).toBeFunction();
    // @ts-expect-error: coins are missing.
    expectTypeOf((saves: Saves) => saves.update('main', () => ({ level: 1 }))).toBeFunction();
  });

  it('take the types of a collection from its schema', () => {
    const schema = null as unknown as StandardSchema<{ level: string }, { level: number }>;
    const open = (client: Client) => client.profile.collection('progress', { schema });
    expectTypeOf(open).returns.toEqualTypeOf<Collection<{ level: string }, { level: number }>>();
    const openInSpec = () => Profile.Collection('progress', { schema, merge: { level: 'max' } });
    expectTypeOf(openInSpec).returns.toEqualTypeOf<Collection<{ level: string }, { level: number }>>();
    type Levels = ReturnType<typeof open>;
    expectTypeOf<Levels['update']>()
      .parameter(1)
      .toEqualTypeOf<(value: { level: number } | undefined) => { level: string }>();
  });

  it('take any JSON objects for the values of a collection of which nothing is said', () => {
    const open = (client: Client) => client.profile.collection('progress');
    expectTypeOf(open).returns.toEqualTypeOf<Collection<JsonObject>>();
    const openWithRules = () =>
      Profile.Collection('progress', { merge: { level: 'max' }, onConflict: () => ({ level: 1 }) });
    expectTypeOf(openWithRules).returns.toEqualTypeOf<Collection<JsonObject>>();
  });

  it('guard errors', () => {
    const error: unknown = null;
    if (isSdkError(error)) expectTypeOf(error).toEqualTypeOf<SdkError>();
  });
});
