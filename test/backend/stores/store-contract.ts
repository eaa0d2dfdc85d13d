import { describe } from 'vitest';
import type { Store } from '../../../src/backend/stores/store.js';
import { describeAccounts } from './accounts-contract.js';
import { describeBans } from './bans-contract.js';
import { describeCodes } from './codes-contract.js';
import { describeCommonPast } from './common-past-contract.js';
import { describeConflicts } from './conflicts-contract.js';
import { describeCounts } from './counts-contract.js';
import { describeCredentials } from './credentials-contract.js';
import { describeDevices } from './devices-contract.js';
import { describeEntries } from './entries-contract.js';
import { describeEvents } from './events-contract.js';
import { describeFullAccounts } from './full-accounts-contract.js';
import { describeImports } from './imports-contract.js';
import { describeLedger } from './ledger-contract.js';
import { describeLoginQuotas } from './login-quotas-contract.js';
import { describeMailAddresses } from './mail-addresses-contract.js';
import { describeMerges } from './merges-contract.js';
import { describeOperatorChanges } from './operator-changes-contract.js';
import { describeOperators } from './operators-contract.js';
import { describePlatforms } from './platforms-contract.js';
import { describePlayers } from './players-contract.js';
import { describeQuotas } from './quotas-contract.js';
import { describeRecent } from './recent-contract.js';
import { describeSignInCodes } from './sign-in-codes-contract.js';
import { describeTime } from './time-contract.js';
import { describeUndo } from './undo-contract.js';
import { describeWriteAccess } from './write-access-contract.js';
import { describeWriters } from './writers-contract.js';

const parts = {
  accounts: describeAccounts,
  credentials: describeCredentials,
  codes: describeCodes,
  'sign-in codes': describeSignInCodes,
  'mail addresses': describeMailAddresses,
  'recent authentication': describeRecent,
  devices: describeDevices,
  'login quotas': describeLoginQuotas,
  time: describeTime,
  conflicts: describeConflicts,
  'common past': describeCommonPast,
  entries: describeEntries,
  ledger: describeLedger,
  quotas: describeQuotas,
  'full accounts': describeFullAccounts,
  'write access': describeWriteAccess,
  writers: describeWriters,
  operators: describeOperators,
  'operator changes': describeOperatorChanges,
  players: describePlayers,
  bans: describeBans,
  merges: describeMerges,
  'choices taken back': describeUndo,
  events: describeEvents,
  counts: describeCounts,
  imports: describeImports,
  platforms: describePlatforms,
};

type Part = keyof typeof parts;

/** What every store has to hold, whatever it is made of. `create` gives an empty one. */
export function describeStore(
  name: string,
  create: () => Store | Promise<Store>,
  only: readonly Part[] = Object.keys(parts) as Part[],
): void {
  describe(`the store ${name}`, () => {
    // Each by itself: what one prepares before each of its tests is none of another's.
    for (const part of only) describe(part, () => parts[part](create));
  });
}
