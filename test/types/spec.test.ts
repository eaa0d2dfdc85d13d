import type {
  AppConfig,
  AuthResult,
  ClientAuthResult,
  ClientConfig,
  ClientEvents,
  ClientReadyResult,
  ClientSignOutResult,
  Conflict,
  ConflictDifference,
  ConflictSide,
  ReadyResult,
  SignOutResult,
  SpecEvents,
  SystemProfileConflict,
  SystemProfileConflictDifference,
  SystemProfileConflictSide,
} from 'savepoint';
import { describe, expectTypeOf, it } from 'vitest';
import type { PascalCase } from '../../src/client/spec/spelling.js';

/** Equal in both directions, optional and readonly members included: neither spelling can have what the other has not. */
describe("what is written out in the interface's spelling is what the client has in its own", () => {
  it('in results', () => {
    expectTypeOf<AuthResult>().toEqualTypeOf<PascalCase<ClientAuthResult>>();
    expectTypeOf<ReadyResult>().toEqualTypeOf<PascalCase<ClientReadyResult>>();
    expectTypeOf<SignOutResult>().toEqualTypeOf<PascalCase<ClientSignOutResult>>();
  });

  it('in the configuration, but for the callback', () => {
    expectTypeOf<Omit<AppConfig, 'OnReadyCallback'>>().toEqualTypeOf<PascalCase<Omit<ClientConfig, 'onReady'>>>();
    expectTypeOf<AppConfig['OnReadyCallback']>().toEqualTypeOf<((result: ReadyResult) => unknown) | undefined>();
  });

  it('in the sides and differences of a conflict', () => {
    expectTypeOf<SystemProfileConflictSide>().toEqualTypeOf<PascalCase<ConflictSide>>();
    expectTypeOf<SystemProfileConflictDifference>().toEqualTypeOf<PascalCase<ConflictDifference>>();
  });

  it('in a conflict, but for the members whose values are spelled too', () => {
    type Respelled = 'local' | 'cloud' | 'ahead' | 'diff' | 'resolve';
    expectTypeOf<Omit<SystemProfileConflict, Capitalize<Respelled>>>().toEqualTypeOf<
      PascalCase<Omit<Conflict, Respelled>>
    >();
    expectTypeOf<Pick<SystemProfileConflict, Capitalize<Exclude<Respelled, 'resolve'>>>>().toEqualTypeOf<{
      readonly Local: PascalCase<ConflictSide>;
      readonly Cloud: PascalCase<ConflictSide>;
      readonly Ahead: Capitalize<NonNullable<Conflict['ahead']>> | null;
      readonly Diff: readonly PascalCase<ConflictDifference>[];
    }>();
    expectTypeOf<SystemProfileConflict['Resolve']>()
      .parameter(0)
      .toEqualTypeOf<Capitalize<Parameters<Conflict['resolve']>[0]>>();
    expectTypeOf<SystemProfileConflict['Resolve']>().returns.resolves.toEqualTypeOf<AuthResult>();
  });

  it('in events', () => {
    expectTypeOf<SpecEvents>().toEqualTypeOf<{
      OnSystemProfileConflictAppeared: SystemProfileConflict;
      OnSmartObjectsInitialized: PascalCase<ClientEvents['initialized']>;
      OnStateChanged: PascalCase<ClientEvents['stateChanged']>;
      OnSyncChanged: PascalCase<ClientEvents['syncChanged']>;
      OnStorageDegraded: PascalCase<ClientEvents['storageDegraded']>;
      OnStorageRestored: PascalCase<ClientEvents['storageRestored']>;
      OnSessionExpired: PascalCase<ClientEvents['sessionExpired']>;
    }>();
  });
});
