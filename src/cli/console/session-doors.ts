import { householdOf } from '../../backend/household.js';
import { readBody } from '../../backend/http/body.js';
import type { RequestSource } from '../../backend/http/service-core.js';
import { Refusal } from '../../backend/refusal.js';
import { withCookies } from './cookies.js';
import type { ConsoleOptions } from './options.js';
import { requireSameOrigin } from './origins.js';
import { createSignIn } from './sign-in.js';
import type { Visitor } from './visitors.js';

type Door = (request: Request, from: RequestSource) => Promise<Response>;

/** A key and its name around it. */
const signInBytes = 4_096;

/** The addresses at which somebody signs in and out, and sees who is signed in. They need no session. */
export function createSessionDoors(options: ConsoleOptions): {
  readonly [path: string]: { readonly [method: string]: Door };
} {
  const { mode, visitors, findOperator, games, peers, devFacts, link, now } = options;
  const signIn = createSignIn({ counts: async (key) => (await findOperator(key)) !== null, link, now });

  /** Who asks, and what the page may know of it. A session whose key was taken away has ended. */
  async function sessionAnswer(visitor: Visitor | null, cookies: readonly string[] = []): Promise<Response> {
    const operator = visitor === null ? null : await findOperator(visitor.key);
    const nobody = { mode, operator: null, csrf: null, games: [], expiresAt: null, dev: null };
    if (visitor === null || operator === null) return withCookies(Response.json(nobody), cookies);
    const { name, scope } = operator;
    const { csrf, expiresAt } = visitor;
    const body = { mode, operator: { name, scope }, csrf, games: games(), expiresAt, dev: devFacts?.() ?? null };
    return withCookies(Response.json(body), cookies);
  }

  async function begin(
    request: Request,
    { address }: RequestSource,
    keyOf: (body: { [name: string]: unknown }, household: string) => Promise<string> | string,
  ): Promise<Response> {
    requireSameOrigin(request);
    const given = (await readBody(request, signInBytes)).parse().json;
    const body = typeof given === 'object' && given !== null ? (given as { [name: string]: unknown }) : {};
    const household = householdOf(peers.addressOf(request, address) ?? '');
    const key = await keyOf(body, household);
    const operator = await findOperator(key);
    if (operator === null) throw new Refusal('invalid_credentials');
    await options.noteSignIn(operator, household === '' ? null : household);
    const { visitor, cookie } = visitors.begin(request, key, address !== undefined && peers.isTrusted(address));
    return sessionAnswer(visitor, [cookie]);
  }

  return {
    session: {
      async GET(request) {
        requireSameOrigin(request);
        return sessionAnswer(await visitors.of(request));
      },
      POST: (request, from) => begin(request, from, ({ key }, household) => signIn.withKey(key, household)),
      async DELETE(request) {
        requireSameOrigin(request);
        // Where this fails, the browser keeps its cookie and the operator may try again.
        await visitors.end(request);
        return withCookies(new Response(null, { status: 204 }), visitors.forget(request));
      },
    },
    'session/link': {
      POST: (request, from) => begin(request, from, ({ link: code }, household) => signIn.withLink(code, household)),
    },
  };
}
