// Three ways in, each with a token as its network would make it, and what becomes of one that does not hold.
import { createHmac } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createClient } from 'savepoint';
import { createBackend } from 'savepoint/backend';
import { chat, network, portal } from './verifiers.mjs';

const gameId = '3b0f0f4e-6a55-4c8a-9a7c-5d1f2e3a4b5c';
const seconds = () => Math.floor(Date.now() / 1000);

/** @param {{ print?: (line: string) => void }} options */
export async function main({ print = console.log } = {}) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'portal-1' }] };
  const ofPortal = (/** @type {object} */ claims) =>
    new SignJWT({ iat: seconds(), exp: seconds() + 60, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'portal-1' })
      .sign(privateKey);
  const ofChat = (/** @type {object} */ content) => {
    const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${createHmac('sha256', 'the shared secret').update(payload).digest('base64url')}.${payload}`;
  };

  // In the place of the network: it knows one token, until it is away.
  let isAway = false;
  const fetch = async (/** @type {Request} */ request) => {
    if (isAway) return new Response(null, { status: 502 });
    const isKnown = (await request.text()) === 'token=known';
    return Response.json(isKnown ? { active: true, client_id: 'my-app', sub: 'ada' } : { active: false });
  };

  const backend = createBackend({
    games: [
      {
        id: gameId,
        privateKeys: [crypto.randomUUID()],
        socialPlatforms: {
          portal: portal({ keys, gameId: 'my-game' }),
          network: network({ address: 'https://network.example/introspect', appId: 'my-app', secret: 'x', fetch }),
          chat: chat('the shared secret'),
        },
      },
    ],
  });
  const client = createClient({
    gameId,
    environment: 0,
    baseUrl: 'https://saves.example',
    autoLogin: false,
    fetch: (request) => backend.fetch(request),
  });
  await client.init();

  const signIn = async (/** @type {string} */ platform, /** @type {string} */ token, /** @type {string} */ what) => {
    const result = await client.auth.withSocialToken(token, { platform });
    print(`${what}: ${result.success ? 'signed in' : result.error.code}.`);
    if (result.success) await client.auth.signOut();
  };

  await signIn('portal', await ofPortal({ userId: 'ada', gameId: 'my-game' }), "The portal's token");
  await signIn('portal', await ofPortal({ userId: 'ada', gameId: 'another' }), 'One for another game of the portal');
  await signIn('network', 'known', "The network's token");
  await signIn('network', 'forged', 'One that the network does not know');
  await signIn('chat', ofChat({ player: 'ada', issuedAt: seconds() }), "The chat app's token");
  await signIn('chat', ofChat({ player: 'ada', issuedAt: seconds() - 600 }), 'One from ten minutes ago');
  isAway = true;
  await signIn('network', 'known', 'While the network is away');
  client.dispose();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
