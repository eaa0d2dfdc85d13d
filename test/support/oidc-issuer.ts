import { createHash, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface OidcIssuer {
  issuer: string;
  clientId: string;
  jwksUrl: URL;
  /** Signs a user in as a browser would, and gives the ID token of the code flow. */
  idTokenFor(login: string, clientId?: string): Promise<string>;
  /** Takes new keys in the place of those that it has. */
  rotate(): void;
  /** Answers what is asked of the address that it goes by, also where that is none of this machine. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const redirectUri = 'http://127.0.0.1/callback';
const clients = ['the-game', 'another-app'];

/** A key to sign with, of the algorithm that every provider has. */
function newKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomBytes(8).toString('hex'), use: 'sig', alg: 'RS256' };
}

/**
 * A real OpenID provider on a loopback port, for tests of what a game's players bring from one. Its tokens are those of `called`, where
 * that is given; `keysAt` is the path of its keys there.
 */
export async function startOidcIssuer({
  called,
  keysAt = '/jwks',
}: {
  called?: string;
  keysAt?: string;
} = {}): Promise<OidcIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = called ?? local;
  const open = () => {
    const provider = new Provider(issuer, {
      clients: clients.map((id) => ({
        client_id: id,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      })),
      jwks: { keys: [newKey()] as never },
      pkce: { required: () => true },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    });
    // It stands behind its own address, as a provider does behind a proxy.
    provider.proxy = true;
    return provider.callback();
  };
  let handle = open();
  server.on('request', (request, response) => {
    void handle(request, response);
  });

  return {
    issuer,
    clientId: 'the-game',
    jwksUrl: new URL(`${local}/jwks`),
    idTokenFor: (login, clientId = 'the-game') => signIn(local, clientId, login),
    rotate() {
      handle = open();
    },
    fetch(request) {
      const { pathname, search, protocol, host } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.set('X-Forwarded-Proto', protocol.slice(0, -1));
      headers.set('X-Forwarded-Host', host);
      return fetch(new URL(`${pathname === keysAt ? '/jwks' : pathname}${search}`, local), {
        headers,
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function signIn(issuer: string, clientId: string, login: string): Promise<string> {
  const browse = createBrowser(issuer);
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const loginPage = await browse(`/auth?${query}`);
  const consentPage = await browse(loginPage, { prompt: 'login', login, password: 'any' });
  const callback = await browse(consentPage, { prompt: 'consent' });
  const code = new URL(callback).searchParams.get('code') ?? '';
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    }),
  });
  const { id_token: token } = (await response.json()) as { id_token?: string };
  if (token === undefined) throw new Error(`The provider gave no ID token: ${response.status}.`);
  return token;
}

/** Follows redirects with cookies until there is a page, or the client's own address; gives that address. */
function createBrowser(issuer: string) {
  const cookies = new Map<string, string>();
  return async (path: string, form?: Record<string, string>): Promise<string> => {
    let url = new URL(path, issuer);
    let init: RequestInit = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    for (;;) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
      await response.arrayBuffer();
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) return url.href;
      url = new URL(location, url);
      if (url.href.startsWith(redirectUri)) return url.href;
      init = {};
    }
  };
}
