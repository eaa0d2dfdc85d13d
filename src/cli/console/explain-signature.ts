import { signingDefaults } from '../../protocol/gaps/signing.js';
import { signedHeaders as names } from '../../protocol/headers.js';
import {
  decodeSignature,
  equalBytes,
  hmac,
  importPrivateKey,
  isNonce,
  signedBytes,
  timestampProblem,
} from '../../protocol/signing.js';

/** What is right and what is wrong with a signed request, part by part. */
export interface SignatureExplanation {
  timestamp: 'ok' | 'missing' | 'malformed' | 'too_old' | 'in_future';
  nonce: 'ok' | 'missing' | 'malformed' | 'reused';
  /**
   * `changed`: signed in another spelling; `joined_otherwise`: the parts of the signed text are put
   * together in another way.
   */
  body: 'ok' | 'not_json' | 'unknown_game' | 'changed' | 'joined_otherwise' | 'unknown';
  /**
   * `missing` and `malformed` are the signature's; `other_game`: of another game of this service; `decoded`:
   * not its text was the key.
   */
  key: 'ok' | 'missing' | 'malformed' | 'other_game' | 'decoded' | 'wrong';
  /** What to do, in a sentence. */
  why: string;
}

export interface SignedAttempt {
  headers: Headers;
  body: Uint8Array;
  games: readonly { id: string; privateKeys: readonly string[] }[];
  /** The service's clock when the request came. */
  now: number;
  /** What the service answered; null where it took the request. */
  code: string | null;
}

/**
 * Says why a signed request was refused, from what was sent. The service itself tells nobody: this is for a developer
 * who has the keys, and it asks nothing of the service, which checks and answers as ever.
 */
export async function explainSignature(attempt: SignedAttempt): Promise<SignatureExplanation> {
  const { headers, now, code } = attempt;
  const timestamp = timestampOf(headers.get(names.timestamp), now);
  const nonce = nonceOf(headers.get(names.nonce), code);
  const { body, key, why } = await signatureOf(attempt);
  const parts = [timestamp.why, key === 'missing' || key === 'malformed' ? why : null, nonce.why, why];
  return {
    timestamp: timestamp.state,
    nonce: nonce.state,
    body,
    key,
    why: parts.find((part) => part !== null && part !== '') ?? 'All is as it should be.',
  };
}

function timestampOf(
  text: string | null,
  now: number,
): { state: SignatureExplanation['timestamp']; why: string | null } {
  if (text === null) return { state: 'missing', why: `The header ${names.timestamp} is missing.` };
  const problem = timestampProblem(text);
  if (problem !== null) return { state: 'malformed', why: `${problem}.` };
  const ahead = Number(text) - now;
  if (Math.abs(ahead) <= signingDefaults.clockWindowMs) return { state: 'ok', why: null };
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const allowed = signingDefaults.clockWindowMs / 1000;
  const side = ahead < 0 ? 'behind' : 'ahead of';
  const why = `${names.timestamp} is ${seconds} s ${side} the service's clock; ${allowed} s are allowed. Set the sender's clock.`;
  return { state: ahead < 0 ? 'too_old' : 'in_future', why };
}

function nonceOf(
  text: string | null,
  code: string | null,
): { state: SignatureExplanation['nonce']; why: string | null } {
  if (text === null) return { state: 'missing', why: `The header ${names.nonce} is missing.` };
  if (!isNonce(text)) {
    const why = `${names.nonce} must be ${signingDefaults.nonceLength} characters of A-Z, a-z, 0-9, - and _.`;
    return { state: 'malformed', why };
  }
  if (code !== 'nonce_reused') return { state: 'ok', why: null };
  return { state: 'reused', why: 'This nonce was used before: each request needs a new one, a repeated request too.' };
}

type Verdict = Pick<SignatureExplanation, 'body' | 'key' | 'why'>;

async function signatureOf({ headers, body, games }: SignedAttempt): Promise<Verdict> {
  const written = headers.get(names.signature);
  if (written === null) return { body: 'unknown', key: 'missing', why: `The header ${names.signature} is missing.` };
  const signature = decodeSignature(written);
  if (signature === null) {
    return { body: 'unknown', key: 'malformed', why: `${names.signature} must be 64 hexadecimal digits, or base64.` };
  }
  const text = new TextDecoder().decode(body);
  const json = parsed(text);
  if (json === undefined)
    return { body: 'not_json', key: 'wrong', why: 'The body is not JSON, so that it names no game.' };
  const id = (json as { game_id?: unknown } | null)?.game_id;
  const game = games.find((one) => typeof id === 'string' && one.id.toLowerCase() === id.toLowerCase());
  if (game === undefined)
    return { body: 'unknown_game', key: 'wrong', why: 'The body names no game of this service (game_id).' };
  const sent = { timestamp: headers.get(names.timestamp) ?? '', nonce: headers.get(names.nonce) ?? '', text };
  const others = games.filter((one) => one !== game);
  for (const { keys, signed, verdict } of attempts(sent, { body, json, own: game.privateKeys, others })) {
    for (const key of keys) {
      const bytes = await hmac(typeof key === 'string' ? await importPrivateKey(key) : await importBytes(key), signed);
      if (equalBytes(bytes, signature)) return verdict;
    }
  }
  const why =
    'No key of the game gives this signature over the body as it came: the key is another one, or the body was changed on its way.';
  return { body: 'unknown', key: 'wrong', why };
}

interface Attempt {
  keys: readonly (string | Uint8Array<ArrayBuffer>)[];
  signed: Uint8Array<ArrayBuffer> | string;
  verdict: Verdict;
}

/** A longer body is not spelled in other ways: indentation could make gigabytes of it. */
const respelledLength = 4_096;

/**
 * How requests are signed: rightly first, and then as it is often got wrong. Each is made when
 * those before it were none.
 */
function* attempts(
  { timestamp, nonce, text }: { timestamp: string; nonce: string; text: string },
  {
    body,
    json,
    own,
    others,
  }: { body: Uint8Array; json: unknown; own: readonly string[]; others: SignedAttempt['games'] },
): Generator<Attempt> {
  const exact = signedBytes(timestamp, nonce, body);
  const changed = (spelled: string, how: string): Attempt => ({
    keys: own,
    signed: `${timestamp}\n${nonce}\n${spelled}\n`,
    verdict: { body: 'changed', key: 'ok', why: `The body was signed ${how}: sign exactly the bytes that are sent.` },
  });
  const joined = (signed: string, how: string): Attempt => ({
    keys: own,
    signed,
    verdict: {
      body: 'joined_otherwise',
      key: 'ok',
      why: `The signed text was put together ${how}: it is timestamp, nonce and body, each followed by a line break.`,
    },
  });
  const decoded = own
    .flatMap((key) => [Buffer.from(key, 'base64'), Buffer.from(key, 'hex')])
    .filter((key) => key.length > 0);
  yield* [
    { keys: own, signed: exact, verdict: { body: 'ok', key: 'ok', why: '' } },
    {
      keys: others.flatMap(({ privateKeys }) => privateKeys),
      signed: exact,
      verdict: {
        body: 'ok',
        key: 'other_game',
        why: 'It is signed with the private key of another game of this service.',
      },
    },
    {
      keys: decoded.map((key) => new Uint8Array(key)),
      signed: exact,
      verdict: {
        body: 'ok',
        key: 'decoded',
        why: 'The key was decoded first: its text as it is, in UTF-8, is the key.',
      },
    },
    {
      keys: own.map((key) => `${key}\n`),
      signed: exact,
      verdict: { body: 'ok', key: 'wrong', why: 'The key was read with the line break at its end.' },
    },
  ];
  if (text.length <= respelledLength) {
    yield changed(JSON.stringify(json), 'without white space');
    yield changed(JSON.stringify(json, null, 2), 'with indentation');
  }
  yield* [
    changed(text.trim(), 'without the white space around it'),
    changed('', 'empty'),
    joined(`${timestamp}\n${nonce}\n${text}`, 'without the last line break'),
    joined(`${timestamp}${nonce}${text}`, 'without line breaks'),
    joined(`${nonce}\n${timestamp}\n${text}\n`, 'with the nonce first'),
    joined(`${timestamp}\r\n${nonce}\r\n${text}\r\n`, 'with CR LF'),
    joined(text, 'of the body alone'),
  ];
}

function importBytes(key: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
