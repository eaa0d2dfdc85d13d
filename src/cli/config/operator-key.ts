import type { ServiceConfig } from '../../backend/index.js';
import type { Io } from '../io.js';
import { findSecret } from '../secrets.js';
import type { Missing } from './games.js';
import { isReference, referenced, unresolved } from './references.js';

export interface OperatorArguments {
  'operator-key-file'?: string | undefined;
}

/** The first operator's key; null where none is given, which is no mistake. */
export async function readOperatorKey(
  given: OperatorArguments,
  { operatorKey }: ServiceConfig,
  io: Io,
  missing: Missing,
): Promise<string | null> {
  const found = await findSecret(io, {
    what: "the operator's key",
    option: 'operator-key-file',
    file: given['operator-key-file'],
    variable: 'SAVEPOINT_OPERATOR_KEY',
  });
  if (found !== null || operatorKey === undefined) return found;
  if (!isReference(operatorKey)) return operatorKey;
  return (await referenced(operatorKey, 'operatorKey', io)) ?? missing(unresolved(operatorKey, 'operatorKey'));
}
