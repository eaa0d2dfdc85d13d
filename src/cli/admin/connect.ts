import { isSdkError } from '../../errors.js';
import { type AdminClient, createAdminClient } from '../../server/index.js';
import type { Io } from '../io.js';
import { requireSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';

/** What every command of an operator takes. */
export const connectOptions = {
  url: { type: 'string' },
  'operator-key-file': { type: 'string' },
  json: { type: 'boolean' },
} as const;

export interface ConnectArguments {
  url?: string | undefined;
  'operator-key-file'?: string | undefined;
}

/** The service that the command line or the environment names, asked with the operator's key. */
export async function connect(given: ConnectArguments, io: Io): Promise<AdminClient> {
  const baseUrl = given.url ?? io.env['SAVEPOINT_URL'];
  if (baseUrl === undefined || baseUrl === '') {
    throw new UsageError('say where the service is: --url https://…, or SAVEPOINT_URL in the environment');
  }
  if (!/^https?:\/\/[^/]/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new UsageError('--url (or SAVEPOINT_URL): give the whole address, such as https://saves.example.com');
  }
  const key = await requireSecret(io, {
    what: "the operator's key",
    option: 'operator-key-file',
    file: given['operator-key-file'],
    variable: 'SAVEPOINT_OPERATOR_KEY',
  });
  return asked(async () => createAdminClient({ baseUrl, key }));
}

/** Asks, and says in a line what the operator can set right. */
export async function asked<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    if (!isSdkError(error)) throw error;
    const { code, message, requestId } = error;
    if (code === 'unauthorized') throw new UsageError("the service does not know this operator's key, or no longer");
    if (code === 'network' || code === 'timeout') throw new UsageError(`${message} Is the service there? See --url.`);
    const named = requestId === undefined ? '' : `, request ${requestId}`;
    if (code === 'internal' || code === 'invalid_answer') throw new Error(`${message} (${code}${named})`);
    throw new UsageError(`${message} (${code})`);
  }
}
