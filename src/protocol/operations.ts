import { entrySegment } from './entry-name.js';

/**
 * Every operation of the service with its method and path. The client's requests, the service's handlers and its OpenAPI
 * document take names and paths from this table. Paths are below `{base_url}` or `{auth_url}`; a segment that begins with
 * a colon is variable.
 */
export const operations = {
  authenticate: { method: 'POST', path: '/v2/auth/server' },
  readUserCollection: { method: 'GET', path: '/v2/pr/games/:game/saves/:user/collections/:collection' },
  updateUserEntry: { method: 'PATCH', path: '/v2/pr/games/:game/saves/:user/collections/:collection/:key' },

  signInAsGuest: { method: 'POST', path: '/v2/auth/guest' },
  signInWithName: { method: 'POST', path: '/v2/auth/name' },
  signInWithIdentityToken: { method: 'POST', path: '/v2/auth/identity' },
  signInWithSocialToken: { method: 'POST', path: '/v2/auth/social' },
  signInWithRecoveryCode: { method: 'POST', path: '/v2/auth/recovery' },
  peek: { method: 'POST', path: '/v2/auth/peek/:method' },
  resolveConflict: { method: 'POST', path: '/v2/auth/conflict' },
  readConflictSides: { method: 'POST', path: '/v2/auth/conflict/sides' },
  refreshSession: { method: 'POST', path: '/v2/auth/refresh' },
  signOut: { method: 'POST', path: '/v2/auth/sign-out' },

  readAccount: { method: 'GET', path: '/v2/auth/account' },
  deleteAccount: { method: 'DELETE', path: '/v2/auth/account' },
  exportAccount: { method: 'GET', path: '/v2/auth/account/export' },
  changePassword: { method: 'POST', path: '/v2/auth/account/password' },
  makeRecoveryCode: { method: 'POST', path: '/v2/auth/account/recovery-code' },
  unlinkMethod: { method: 'DELETE', path: '/v2/auth/methods/:method' },
  listSnapshots: { method: 'GET', path: '/v2/auth/account/snapshots' },
  addSnapshot: { method: 'POST', path: '/v2/auth/account/snapshots' },
  readSnapshot: { method: 'GET', path: '/v2/auth/account/snapshots/:snapshot' },
  restoreSnapshot: { method: 'POST', path: '/v2/auth/account/snapshots/:snapshot/restore' },
  readCollection: { method: 'GET', path: '/v2/cl/games/:game/collections/:collection' },
  updateEntry: { method: 'PATCH', path: '/v2/cl/games/:game/collections/:collection/:key' },

  readPublicKeys: { method: 'GET', path: '/.well-known/jwks.json' },
  readApiDocument: { method: 'GET', path: '/openapi.json' },
} as const satisfies { readonly [operation: string]: { readonly method: HttpMethod; readonly path: string } };

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export type OperationName = keyof typeof operations;

/** The operation that signs a player in by a login method, or links the method. */
export const signInOperations = {
  guest: 'signInAsGuest',
  name: 'signInWithName',
  identity: 'signInWithIdentityToken',
  social: 'signInWithSocialToken',
  recovery: 'signInWithRecoveryCode',
} as const satisfies { readonly [method: string]: OperationName };

/** The path of an operation, as a pattern. */
export type OperationPath = (typeof operations)[OperationName]['path'];

/** The names of the variable segments of a path: those that begin with a colon. */
type SegmentNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | SegmentNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The values of the variable segments of an operation's path. */
export type PathParameters<Name extends OperationName> = {
  readonly [Segment in SegmentNames<(typeof operations)[Name]['path']>]: string;
};

/**
 * Gives the path of an operation with the values of its variable segments, each encoded. Throws TypeError for a
 * collection's name or an entry's key that cannot be used.
 */
export function pathOf<Name extends OperationName>(operation: Name, parameters: PathParameters<Name>): string {
  const given: { readonly [segment: string]: string } = parameters;
  return operations[operation].path.replace(/:(\w+)/g, (_, segment: string) => {
    const text = given[segment] as string;
    return segment === 'collection' || segment === 'key' ? entrySegment(text) : encodeURIComponent(text);
  });
}

/** Whether the service answers a path below `{base_url}` or `{auth_url}`. */
export function isServicePath(path: string): boolean {
  const own: readonly string[] = [operations.readPublicKeys.path, operations.readApiDocument.path];
  return path.startsWith('/v2/') || own.includes(path.replace(/\/$/, ''));
}
