import { type OperatorScope, operatorKeyRequest } from '../../protocol/admin-messages.js';
import { readAudit } from '../admin/audit.js';
import {
  listOperatorKeys,
  makeOperatorKey,
  type Operator,
  requireOperator,
  revokeOperatorKey,
} from '../admin/operators.js';
import { readPage } from '../admin/pages.js';
import { empty, json } from '../http/answers.js';
import { bearerToken, type Exchange, type Handlers, validate } from '../http/exchange.js';

/** What an operator asks. The key is checked first: without it nobody learns anything. */
export const admin = {
  async listGames(exchange) {
    await operatorOf(exchange, 'read');
    return json({ games: [...exchange.service.games.keys()].map((id) => ({ id })) });
  },

  async listOperatorKeys(exchange) {
    await operatorOf(exchange, 'admin');
    return json({ keys: await listOperatorKeys(exchange.service) });
  },

  async makeOperatorKey(exchange) {
    const operator = await operatorOf(exchange, 'admin');
    const wanted = validate(operatorKeyRequest, (await exchange.body()).json);
    return json(await makeOperatorKey(exchange.service, operator, wanted));
  },

  async revokeOperatorKey(exchange) {
    const operator = await operatorOf(exchange, 'admin');
    await revokeOperatorKey(exchange.service, operator, exchange.params['id'] ?? '');
    return empty();
  },

  async readAuditLog(exchange) {
    await operatorOf(exchange, 'read');
    return json(await readAudit(exchange.service, null, readPage(exchange.url, 'audit')));
  },
} satisfies Handlers;

function operatorOf({ service, request }: Exchange, needed: OperatorScope): Promise<Operator> {
  return requireOperator(service, bearerToken(request), needed);
}
