import { type HttpMethod, type OperationName, type OperationPath, operations } from '../../protocol/operations.js';

/** An operation by its name, or all operations of a path by its pattern. */
export type Route = OperationName | OperationPath;

/** The operations of one path, by their methods. */
export type Methods = { readonly [method in HttpMethod]?: OperationName };

/** Every path of the service, as a pattern for a router, with its operations. */
export const methodsOfPath: ReadonlyMap<OperationPath, Methods> = byPath();

function byPath(): Map<OperationPath, Methods> {
  const found = new Map<OperationPath, Methods>();
  for (const name of Object.keys(operations) as OperationName[]) {
    const { method, path } = operations[name];
    found.set(path, { ...found.get(path), [method]: name });
  }
  return found;
}

/** True for the addresses that a page may be allowed to call: never the private API, nor signed requests. */
export function isForPages(path: string): boolean {
  if (path === operations.authenticate.path) return false;
  const isOfPlayers = path.startsWith('/v2/auth/') || path.startsWith('/v2/cl/');
  return isOfPlayers || path === operations.readPublicKeys.path || path === operations.readApiDocument.path;
}
