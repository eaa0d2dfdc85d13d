import { baseAddress } from '../protocol/addresses.js';
import { mediaTypes, signedHeaders } from '../protocol/headers.js';
import { operations } from '../protocol/operations.js';
import { signRequest } from '../server/index.js';
import { readAddress } from '../server/options.js';
import { readArguments } from './arguments.js';
import { curlCommand } from './curl-command.js';
import type { ExitCode, Io } from './io.js';
import { readBytes, requireSecret } from './secrets.js';
import { UsageError } from './usage-error.js';

/**
 * `savepoint sign`: the headers of a signed request (docs/interface.md#signed-requests), or the command that sends it.
 */
export async function sign(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'sign' }, args, {
    'private-key-file': { type: 'string' },
    'body-file': { type: 'string' },
    curl: { type: 'boolean' },
    'auth-url': { type: 'string' },
    ip: { type: 'string' },
    encoding: { type: 'string' },
    timestamp: { type: 'string' },
    nonce: { type: 'string' },
  });
  const { curl = false, ip, 'auth-url': authUrl, 'private-key-file': keyFile } = values;
  if (curl && authUrl === undefined) throw new UsageError('--curl needs --auth-url <url>, the service that it goes to');
  if (!curl && authUrl !== undefined) throw new UsageError('--auth-url is for --curl: the headers do not depend on it');
  if (keyFile === '-' && values['body-file'] === undefined) {
    throw new UsageError('stdin cannot be both the key and the body: give the body with --body-file <file>');
  }
  const address = asked(() => (ip === undefined ? null : readAddress(ip, '--ip')));
  const url = asked(() =>
    authUrl === undefined ? '' : baseAddress(authUrl, '--auth-url') + operations.authenticate.path,
  );
  const privateKey = await requireSecret(io, {
    what: 'the private key',
    option: 'private-key-file',
    file: keyFile,
    variable: 'SAVEPOINT_PRIVATE_KEY',
  });
  const body = await readBody(io, values['body-file']);
  const { timestamp, nonce, encoding } = values;
  if (encoding !== undefined && encoding !== 'hex' && encoding !== 'base64') {
    throw new UsageError('--encoding must be hex or base64');
  }
  const signed = await asked(() =>
    signRequest({
      privateKey,
      body,
      nonce,
      encoding,
      ...(timestamp === undefined ? {} : { timestamp: Number(timestamp) }),
    }),
  );
  const forwarded = address === null ? {} : { [signedHeaders.forwardedFor]: address };
  const headers = Object.entries({ ...signed.headers, ...forwarded });
  if (curl) io.out(`${curlCommand({ url, headers, body })}\n`);
  else for (const [name, value] of headers) io.out(`${name}: ${value}\n`);
  return 0;
}

/** The exact text: what is signed is what has to be sent. */
async function readBody(io: Io, file: string | undefined): Promise<string> {
  const body = textOf(file === undefined ? await io.input() : await readBytes(file, '--body-file'));
  if (body.trim() === '') throw new UsageError('there is no body: savepoint sign … < body.json');
  try {
    JSON.parse(body);
  } catch {
    throw new UsageError(`the body is not JSON, and ${mediaTypes.json} is what the service takes`);
  }
  return body;
}

function textOf(bytes: Uint8Array | null): string {
  if (bytes === null) throw new UsageError('the body comes in on stdin: savepoint sign … < body.json');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError('the body is not UTF-8');
  }
}

/** What the caller can set right. The messages of these checks show nothing of what was given. */
function asked<Result>(check: () => Result): Result {
  const restate = (error: unknown): never => {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  };
  try {
    const result = check();
    return result instanceof Promise ? (result.catch(restate) as Result) : result;
  } catch (error) {
    return restate(error);
  }
}
