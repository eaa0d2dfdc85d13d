import type { HttpMethod } from '../../protocol/addresses.js';
import { type OperationName, type OperationPath, operations } from '../../protocol/operations.js';
import { Refusal } from '../refusal.js';

/** One operation by its name, such as `updateEntry`, or all operations of a path by its pattern. */
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

/** Whether a page may be allowed to call an address: never one of the private API, nor that of signed requests. */
export function isForPages(path: string): boolean {
  if (path === operations.authenticate.path) return false;
  const isOfPlayers = path.startsWith('/v2/auth/') || path.startsWith('/v2/cl/');
  return isOfPlayers || path === operations.readPublicKeys.path || path === operations.readApiDocument.path;
}

/** The path as it was sent, so that an encoded slash stays in its segment; one trailing slash is accepted. */
export function pathOf({ pathname }: URL): string {
  return pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}

/** Which segments of each path are parameters, and their names. */
const parameterSegments = new Map(
  [...methodsOfPath.keys()].map((pattern) => {
    const segments = pattern
      .split('/')
      .map((segment, index) => ({ name: segment.slice(1), index, isParameter: segment.startsWith(':') }));
    return [pattern, segments.filter(({ isParameter }) => isParameter)] as const;
  }),
);

/** A path's parameters, each decoded once. Refuses with `invalid_key` what cannot be decoded. */
export function parametersOf(pattern: OperationPath | null, path: string): { [name: string]: string } {
  const parameters: { [name: string]: string } = {};
  const found = (pattern && parameterSegments.get(pattern)) ?? [];
  if (found.length === 0) return parameters;
  const segments = path.split('/');
  for (const { name, index } of found) parameters[name] = decodeSegment(segments[index] ?? '');
  return parameters;
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('invalid_key', { detail: 'The address has an escape that cannot be decoded.' });
  }
}
