/** The seed that each world's randomness begins with: what a sequence does may not depend on those before it. */
const seed = 0x2545f491;
let state = seed;

/** The platform's own, which is another one each time: the games of all sequences share a store. */
export const freshUuid = crypto.randomUUID.bind(crypto);

/** Begins the same randomness again. */
export function restartRandomness(): void {
  state = seed;
}

/** Xorshift: the same bytes at every run. */
function nextWord(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}

/** Gives so many bytes. */
function randomBytes(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, nextWord);
}

function newUuid(): string {
  const digits = [...randomBytes(16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const parts = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map(([from, to]) => digits.slice(from, to));
  return `${parts[0]}-${parts[1]}-4${parts[2]}-8${parts[3]}-${parts[4]}`;
}

/** Makes what the platform gives at random the same at every run. */
export function holdRandomness(): () => void {
  const { random } = Math;
  Math.random = () => nextWord() / 2 ** 32;
  Object.defineProperties(crypto, {
    randomUUID: { configurable: true, value: newUuid },
    getRandomValues: {
      configurable: true,
      value: (bytes: Uint8Array) => {
        bytes.set(randomBytes(bytes.length));
        return bytes;
      },
    },
  });
  return () => {
    Math.random = random;
    for (const name of ['randomUUID', 'getRandomValues'] as const) delete (crypto as Partial<Crypto>)[name];
  };
}
