import type { OperationName } from '../../protocol/operations.js';
import type { Handler } from '../http/exchange.js';
import { account } from './account.js';
import { admin } from './admin.js';
import { auth } from './auth.js';
import { entries } from './entries.js';
import { game } from './game.js';
import { service } from './service.js';

/** The handler of each operation. */
export const handlers: { readonly [operation in OperationName]: Handler } = {
  ...auth,
  ...account,
  ...entries,
  ...game,
  ...admin,
  ...service,
};
