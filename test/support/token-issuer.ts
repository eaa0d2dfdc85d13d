import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK, type JWTPayload, SignJWT } from 'jose';

/** A key pair of somebody else, that signs tokens as they would. */
export interface SigningKey {
  jwk: JWK;
  sign(claims: JWTPayload): Promise<string>;
}

export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  return {
    jwk: { ...(await exportJWK(publicKey)), kid },
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey),
  };
}

/** Answers by address, as somebody else's service would; each answer can be changed at any time. */
export interface Site {
  fetch: (request: Request) => Promise<Response>;
  /** JSON, a status, or what to do instead of answering. */
  answers: { [address: string]: unknown | (() => Promise<Response>) };
  asked: string[];
}

export function createSite(answers: Site['answers']): Site {
  const site: Site = {
    answers,
    asked: [],
    async fetch(request) {
      site.asked.push(request.url);
      const answer = site.answers[request.url] ?? 404;
      if (typeof answer === 'function') return answer() as Promise<Response>;
      return typeof answer === 'number' ? new Response('no', { status: answer }) : Response.json(answer);
    },
  };
  return site;
}

export function keySet(...keys: SigningKey[]): JSONWebKeySet {
  return { keys: keys.map(({ jwk }) => jwk) };
}
