import { adminOperations } from '../../protocol/admin-operations.js';
import { bytesPerCount } from '../../protocol/gaps/rates.js';
import { type OperationName, operations } from '../../protocol/operations.js';
import { householdOf } from '../household.js';
import { createRateTable, type RateTable } from '../rate-table.js';
import type { Rate, Rates } from '../rates.js';
import { refuseWhile } from '../refusal.js';

/**
 * Counts every request by the door that it comes through, in the memory of this process. Both
 * refuse with `rate_limited`.
 */
export interface DoorRates {
  /** Before a request is read. */
  countAddress(operation: OperationName, address: string | undefined, now: number): void;
  /** As soon as it is known whose request it is, before the store is asked. */
  countAccount(operation: OperationName, accountId: string, now: number): void;
  /**
   * Counts the bytes that a request has brought, or that were read for it, for its account. It refuses nothing: the
   * account's next requests are.
   */
  weigh(operation: OperationName, accountId: string, bytes: number, now: number): void;
  /** The same for the address of a player of whom nobody knows yet who it is. */
  weighAddress(operation: OperationName, address: string | undefined, bytes: number, now: number): void;
}

type Door = 'signIn' | 'read' | 'write' | 'refresh' | 'game' | 'operator';

/** The doors that a method does not tell. */
const namedDoors: { readonly [operation in OperationName]?: Door } = {
  signInAsGuest: 'signIn',
  signInWithName: 'signIn',
  signInWithIdentityToken: 'signIn',
  signInWithSocialToken: 'signIn',
  signInWithRecoveryCode: 'signIn',
  requestReset: 'signIn',
  resetPassword: 'signIn',
  peek: 'signIn',
  resolveConflict: 'signIn',
  refreshSession: 'refresh',
  authenticate: 'game',
  readUserCollection: 'game',
  readUserUsage: 'game',
  updateUserEntry: 'game',
};

function doorOf(operation: OperationName): Door {
  if (Object.hasOwn(adminOperations, operation)) return 'operator';
  return namedDoors[operation] ?? (operations[operation].method === 'GET' ? 'read' : 'write');
}

/** The rates that have windows. */
type DoorRate = { [name in keyof Rates]: Rates[name] extends Rate ? name : never }[keyof Rates];

/** A rate's counts, and the name that a refusal says. */
interface NamedTable {
  name: DoorRate;
  table: RateTable;
}

/** Without rates nothing is counted. */
export function createDoorRates(rates: Rates | null): DoorRates {
  if (rates === null) return { countAddress() {}, countAccount() {}, weigh() {}, weighAddress() {} };
  const tableOf = (name: DoorRate): NamedTable => ({ name, table: createRateTable(rates[name]) });
  const byAddress: { readonly [door in Door]: NamedTable } = {
    signIn: tableOf('signInsPerAddress'),
    read: tableOf('readsPerAddress'),
    write: tableOf('writesPerAddress'),
    refresh: tableOf('refreshesPerAddress'),
    game: tableOf('gameRequestsPerAddress'),
    operator: tableOf('operatorRequestsPerAddress'),
  };
  const reads = tableOf('readsPerAccount');
  const byAccount: { readonly [door in Door]?: NamedTable } = {
    // Who links a method may meet a conflict, for which two whole accounts are read.
    signIn: reads,
    read: reads,
    write: tableOf('writesPerAccount'),
    refresh: tableOf('refreshesPerAccount'),
    game: tableOf('gameRequestsPerAccount'),
  };

  function count(counted: NamedTable | undefined, key: string, now: number): void {
    if (counted !== undefined) refuseWhile(counted.table.take(key, now), counted.name);
  }

  function charge(counted: NamedTable | undefined, key: string, bytes: number, now: number): void {
    const more = Math.floor(bytes / bytesPerCount);
    if (more > 0) counted?.table.charge(key, more, now);
  }

  return {
    countAddress(operation, address, now) {
      if (address !== undefined) count(byAddress[doorOf(operation)], householdOf(address), now);
    },
    countAccount: (operation, accountId, now) => count(byAccount[doorOf(operation)], accountId, now),
    weigh(operation, accountId, bytes, now) {
      charge(byAccount[doorOf(operation)], accountId, bytes, now);
    },
    weighAddress(operation, address, bytes, now) {
      const door = doorOf(operation);
      // A back end and an operator have shown a key by then.
      const isOfPlayers = door !== 'game' && door !== 'operator';
      if (isOfPlayers && address !== undefined) charge(byAddress[door], householdOf(address), bytes, now);
    },
  };
}
