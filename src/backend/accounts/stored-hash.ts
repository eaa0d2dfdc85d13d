/** The hashes of passwords that a store may be given from elsewhere: none whose parameters would let one sign-in take the service's memory or minutes. */

const base64url = (least: number): string => `[\\w-]{${least},512}`;
const ownScrypt = new RegExp(`^scrypt\\$(\\d{4,5}),(\\d{1,2}),(\\d{1,2})\\$${base64url(8)}\\$${base64url(20)}$`);
const ownPbkdf2 = new RegExp(`^pbkdf2-sha256\\$[1-9]\\d{0,6}\\$${base64url(8)}\\$${base64url(20)}$`);
const firebaseScrypt = new RegExp(
  `^firebase-scrypt\\$(\\d{1,5}),(\\d{1,2}),(1),${base64url(0)},${base64url(2)}\\$${base64url(2)}\\$${base64url(20)}$`,
);

/** Scrypt with N and r takes 128 * N * r bytes, and p times as long. */
const scryptBounds = { bytes: 64 * 1024 * 1024, parallelization: 16 };

/** What is wrong with a hash; null where it may be taken over. Never says anything of the hash itself. */
export function hashProblem(hash: string): string | null {
  const scrypt = ownScrypt.exec(hash) ?? firebaseScrypt.exec(hash);
  if (scrypt !== null) return scryptProblem(scrypt.slice(1, 4).map(Number));
  return ownPbkdf2.test(hash) ? null : 'must be a hash as savepoint makes it';
}

function scryptProblem([cost = 0, blockSize = 0, parallelization = 0]: readonly number[]): string | null {
  const isPower = cost >= 2 && (cost & (cost - 1)) === 0;
  if (!isPower || blockSize < 1 || parallelization < 1) return 'must be a hash as savepoint makes it';
  const isBounded = 128 * cost * blockSize <= scryptBounds.bytes && parallelization <= scryptBounds.parallelization;
  return isBounded ? null : 'takes more memory or time than a sign-in may';
}
