/**
 * The hashes of passwords that a store may be given from elsewhere: none whose parameters would let one sign-in take
 * the service's memory or minutes.
 */

const base64url = (least: number): string => `[\\w-]{${least},512}`;
const ownScrypt = new RegExp(`^scrypt\\$(\\d{4,5}),(\\d{1,2}),(\\d{1,2})\\$${base64url(8)}\\$${base64url(20)}$`);
const ownPbkdf2 = new RegExp(`^pbkdf2-sha256\\$[1-9]\\d{0,6}\\$${base64url(8)}\\$${base64url(20)}$`);
const firebaseScrypt = new RegExp(
  `^firebase-scrypt\\$(\\d{1,5}),(\\d{1,2}),(1),${base64url(0)},${base64url(2)}\\$${base64url(2)}\\$${base64url(20)}$`,
);

/** Scrypt with N and r takes 128 * N * r bytes, and p times as long. */
const scryptBounds = { bytes: 64 * 1024 * 1024, parallelization: 16 };

/** $2x$ is left out: it is what a mistaken version has made, and stays wrong. */
const bcrypt = /^\$2[aby]\$(\d\d)\$[./A-Za-z\d]{53}$/;
const argon2 =
  /^\$argon2(?:id|i|d)\$v=(\d{1,3})\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,5})\$[A-Za-z\d+/]{11,128}\$[A-Za-z\d+/]{16,128}$/;

/** Each more doubles the time; 15 takes some seconds. */
const bcryptCosts = { min: 4, max: 15 };
/** Memory is in KiB; memory times passes is what takes the time. */
const argon2Bounds = { memory: 256 * 1024, work: 1024 * 1024, parallelism: 16 };

/** Whether it is a hash of bcrypt or argon2, which others make and we only check. */
export function isForeignHash(hash: string): boolean {
  return hash.startsWith('$');
}

/** What is wrong with a hash; null where it may be taken over. Never says anything of the hash itself. */
export function hashProblem(hash: string): string | null {
  const scrypt = ownScrypt.exec(hash) ?? firebaseScrypt.exec(hash);
  if (scrypt !== null) return scryptProblem(scrypt.slice(1, 4).map(Number));
  const cost = bcrypt.exec(hash)?.[1];
  if (cost !== undefined)
    return Number(cost) < bcryptCosts.min ? notAHash : Number(cost) > bcryptCosts.max ? tooMuch : null;
  const parameters = argon2.exec(hash);
  if (parameters !== null) return argon2Problem(parameters.slice(1, 5).map(Number));
  return ownPbkdf2.test(hash) ? null : notAHash;
}

const notAHash = 'must be a hash as savepoint makes it, or one of bcrypt ($2a$, $2b$, $2y$) or argon2 (version 19)';
const tooMuch = 'takes more memory or time than a sign-in may';

function argon2Problem([version, memory = 0, passes = 0, parallelism = 0]: readonly number[]): string | null {
  if (version !== 19 || passes < 1 || parallelism < 1 || memory < 8 * parallelism) return notAHash;
  const { memory: most, work, parallelism: lanes } = argon2Bounds;
  return memory <= most && memory * passes <= work && parallelism <= lanes ? null : tooMuch;
}

function scryptProblem([cost = 0, blockSize = 0, parallelization = 0]: readonly number[]): string | null {
  const isPower = cost >= 2 && (cost & (cost - 1)) === 0;
  if (!isPower || blockSize < 1 || parallelization < 1) return notAHash;
  const isBounded = 128 * cost * blockSize <= scryptBounds.bytes && parallelization <= scryptBounds.parallelization;
  return isBounded ? null : tooMuch;
}
