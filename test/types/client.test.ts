import {
  type AppConfig,
  Auth,
  type AuthResult,
  type Client,
  type ClientAuthResult,
  type ClientReadyResult,
  type Conflict,
  createClient,
  Events,
  environments,
  isSdkError,
  Main,
  Profile,
  type ProfileEntry,
  type ReadyResult,
  type SdkError,
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
    type Collection = ReturnType<Client['profile']['collection']>;
    expectTypeOf<Collection['load']>().returns.resolves.toEqualTypeOf<ProfileEntry[]>();
    expectTypeOf<Collection['get']>().returns.toEqualTypeOf<{ [key: string]: unknown } | undefined>();
    expectTypeOf<Client['auth']['userId']>().toEqualTypeOf<string | null>();
  });

  it('guard errors', () => {
    const error: unknown = null;
    if (isSdkError(error)) expectTypeOf(error).toEqualTypeOf<SdkError>();
  });
});
