/**
 * Checks passwords against hashes of bcrypt and argon2, in Node. Null where the runtime is no Node, as in a browser:
 * only an import brings such hashes. Modules are loaded without an import, so that pages can bundle this file, and
 * hash-wasm only when such a hash is met.
 *
 * Each check has a thread of its own, for it computes without a pause; its memory, up to 256 MiB,
 * is gone with the thread.
 */
export function nodeForeignHashes(): CheckForeignHash | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: GetBuiltinModule } };
  const threads = process?.getBuiltinModule?.('node:worker_threads');
  const modules = process?.getBuiltinModule?.('node:module');
  if (threads === undefined || modules === undefined) return null;
  return (password, hash) => {
    const library = modules.createRequire(import.meta.url).resolve('hash-wasm');
    const worker = new threads.Worker(program, { eval: true, execArgv: [], workerData: { library, password, hash } });
    return new Promise<boolean>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('A thread that checked a password has ended early.')));
    }).finally(() => worker.terminate());
  };
}

/**
 * Whether the password is right. The hash must be one that `hashProblem` lets pass, for nothing
 * else bounds what it takes.
 */
export type CheckForeignHash = (password: string, hash: string) => Promise<boolean>;

/** What the thread runs. Of bcrypt the first 72 bytes count, as everywhere else. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { argon2Verify, bcryptVerify } = require(workerData.library);
  const { hash } = workerData;
  const password = new TextEncoder().encode(workerData.password);
  const checked = hash.startsWith('$2')
    ? bcryptVerify({ password: password.subarray(0, 72), hash })
    : argon2Verify({ password, hash });
  checked.then((isRight) => parentPort.postMessage(isRight));
`;

interface Worker {
  once(event: 'message', listener: (isRight: boolean) => void): void;
  once(event: 'error', listener: (error: Error) => void): void;
  once(event: 'exit', listener: () => void): void;
  terminate(): Promise<unknown>;
}

interface GetBuiltinModule {
  (
    name: 'node:worker_threads',
  ): {
    Worker: new (program: string, options: { eval: true; execArgv: string[]; workerData: unknown }) => Worker;
  };
  (name: 'node:module'): { createRequire(from: string): { resolve(name: string): string } };
}
