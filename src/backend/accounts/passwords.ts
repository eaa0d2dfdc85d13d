import { base64url } from 'jose';
import { passwordDefaults } from '../../protocol/gaps/passwords.js';
import { equalBytes } from '../../protocol/signing.js';
import { createConcurrencyLimit, type Waiting } from '../concurrency-limit.js';
import { lineOf } from '../household.js';
import { nodeForeignHashes } from './node-foreign-hashes.js';
import { nodeScrypt, type Scrypt, type ScryptCost } from './node-scrypt.js';
import { isForeignHash } from './stored-hash.js';

/**
 * Hashes passwords. Spec gap: with scrypt in Node, with PBKDF2-SHA256 elsewhere. A hash names its parameters, so that
 * newer versions can raise them: `isOutdated` says that a hash should be made again when its password is next shown.
 * Only a few hashes are made at once, so that they take neither all memory nor all threads; where too many wait, it
 * refuses with `unavailable`.
 */
export interface Passwords {
  hash(password: string, turn?: Turn): Promise<string>;
  /** Whether the password is right. Without a hash none is, nor is an empty one, and that takes as long as a wrong one. */
  verify(password: string, hash: string | null, turn?: Turn): Promise<boolean>;
  isOutdated(hash: string): boolean;
  /** Waits for a turn, as for a hash, and makes none. */
  wait(turn: Turn): Promise<void>;
  /** How many hashes are made at this moment, and how many wait for their turn. */
  load(): { running: number; waiting: number };
}

/** Who waits for a hash. */
export interface Turn extends Omit<Waiting, 'line'> {
  /** The address of the player; undefined where it is not known. */
  address: string | undefined;
  /** Called when the turn has come, before any work; what it throws ends the turn. */
  begin?(): Promise<void>;
}

const nobody: Turn = { address: undefined };

type Scheme =
  | { name: 'scrypt'; cost: ScryptCost }
  | { name: 'pbkdf2-sha256'; iterations: number }
  | { name: 'firebase-scrypt'; cost: ScryptCost; signerKey: Uint8Array; saltSeparator: Uint8Array };

/** `insecureFast` hashes in one round, which protects nothing and is for tests. */
export function createPasswords({
  random,
  insecureFast = false,
}: {
  random: (size: number) => Uint8Array;
  insecureFast?: boolean;
}): Passwords {
  const scrypt = nodeScrypt();
  const current = currentScheme(scrypt, insecureFast);
  const limited = createConcurrencyLimit({
    atOnce: passwordDefaults.hashesAtOnce,
    waiting: passwordDefaults.hashesWaiting,
    names: { waiting: 'hashesWaiting' },
  });

  const inLine = <Result>({ address, signal }: Turn, task: () => Promise<Result>): Promise<Result> =>
    limited({ line: lineOf(address), signal }, task);

  /** Derives the bytes when the turn has come. */
  const derived = (turn: Turn, ...given: Parameters<typeof derive>): Promise<Uint8Array> =>
    inLine(turn, async () => {
      await turn.begin?.();
      return derive(...given);
    });

  async function hash(password: string, turn = nobody): Promise<string> {
    const salt = random(passwordDefaults.saltBytes);
    const bytes = await derived(turn, current, scrypt, { password, salt, size: passwordDefaults.hashBytes });
    return [prefixOf(current), base64url.encode(salt), base64url.encode(bytes)].join('$');
  }

  return {
    hash,
    async verify(password, stored, turn = nobody) {
      if (stored === null || password === '') {
        await hash(password, turn);
        return false;
      }
      if (isForeignHash(stored)) {
        return inLine(turn, async () => {
          await turn.begin?.();
          return checkForeign(password, stored);
        });
      }
      const { scheme, salt, hash: expected } = parseHash(stored);
      const bytes = await derived(turn, scheme, scrypt, { password, salt, size: expected.length });
      return equalBytes(bytes, expected);
    },
    isOutdated: (stored) => !stored.startsWith(`${prefixOf(current)}$`),
    wait: (turn) => inLine(turn, async () => turn.begin?.()),
    load: limited.load,
  };
}

/** As it was typed: who made the hash did not know our normal form. */
function checkForeign(password: string, stored: string): Promise<boolean> {
  const check = nodeForeignHashes();
  if (check === null) throw new Error('A password is stored as bcrypt or argon2, which this runtime cannot check.');
  return check(password, stored);
}

function currentScheme(scrypt: Scrypt | null, insecureFast: boolean): Scheme {
  if (insecureFast) return { name: 'pbkdf2-sha256', iterations: 1 };
  if (scrypt !== null) return { name: 'scrypt', cost: passwordDefaults.scrypt };
  return { name: 'pbkdf2-sha256', iterations: passwordDefaults.pbkdf2.iterations };
}

function prefixOf(scheme: Scheme): string {
  if (scheme.name === 'pbkdf2-sha256') return `${scheme.name}$${scheme.iterations}`;
  const { cost, blockSize, parallelization } = scheme.cost;
  // Only ours are made; Firebase's come by an import.
  return `${scheme.name}$${cost},${blockSize},${parallelization}`;
}

function parseHash(stored: string): { scheme: Scheme; salt: Uint8Array; hash: Uint8Array } {
  const [name, parameters = '', salt = '', hash = ''] = stored.split('$');
  return { scheme: parseScheme(name, parameters), salt: base64url.decode(salt), hash: base64url.decode(hash) };
}

function parseScheme(name: string | undefined, parameters: string): Scheme {
  const [first = 0, second = 0, third = 0] = parameters.split(',').map(Number);
  const cost = { cost: first, blockSize: second, parallelization: third };
  if (name === 'scrypt') return { name, cost };
  if (name !== 'firebase-scrypt') return { name: 'pbkdf2-sha256', iterations: first };
  const [saltSeparator = '', signerKey = ''] = parameters.split(',').slice(3);
  return { name, cost, saltSeparator: base64url.decode(saltSeparator), signerKey: base64url.decode(signerKey) };
}

async function derive(
  scheme: Scheme,
  scrypt: Scrypt | null,
  { password, salt, size }: { password: string; salt: Uint8Array; size: number },
): Promise<Uint8Array> {
  if (scheme.name === 'firebase-scrypt') return deriveAsFirebase(scheme, scrypt, { password, salt });
  // Two keyboards may write one letter in two ways, such as é and e with an accent.
  const normal = password.normalize('NFC');
  if (scheme.name === 'scrypt') {
    if (scrypt === null) throw new Error('A password is stored as scrypt, which this runtime does not have.');
    return scrypt(normal, salt, size, scheme.cost);
  }
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(normal), 'PBKDF2', false, ['deriveBits']);
  const { iterations } = scheme;
  const bits = await crypto.subtle.deriveBits(
    { name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(salt), iterations },
    key,
    size * 8,
  );
  return new Uint8Array(bits);
}

/**
 * Firebase's own scrypt (github.com/firebase/scrypt): what scrypt derives is the key that the
 * project's key is encrypted by.
 */
async function deriveAsFirebase(
  { cost, signerKey, saltSeparator }: Scheme & { name: 'firebase-scrypt' },
  scrypt: Scrypt | null,
  { password, salt }: { password: string; salt: Uint8Array },
): Promise<Uint8Array> {
  if (scrypt === null) throw new Error('A password is stored as scrypt, which this runtime does not have.');
  const derived = await scrypt(password, Uint8Array.of(...salt, ...saltSeparator), 32, cost);
  const key = await crypto.subtle.importKey('raw', new Uint8Array(derived), 'AES-CTR', false, ['encrypt']);
  const counter = { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 };
  return new Uint8Array(await crypto.subtle.encrypt(counter, key, new Uint8Array(signerKey)));
}
