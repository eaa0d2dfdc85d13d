import { accountCases } from './account-cases.js';
import { credentialRefusals } from './credential-refusals.js';
import type { DoorCase } from './door-case.js';
import { entryCases } from './entry-cases.js';
import { entryRefusals } from './entry-refusals.js';
import { lastCases } from './last-cases.js';
import { serviceCases } from './service-cases.js';

/** In this order: a case may build on what an earlier one was answered. */
export const doorCases: readonly DoorCase[] = [
  ...accountCases,
  ...entryCases,
  ...serviceCases,
  ...entryRefusals,
  ...credentialRefusals,
  ...lastCases,
];
