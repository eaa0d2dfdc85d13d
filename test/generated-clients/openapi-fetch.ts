import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-typescript.js';

type Save = { coins: number; items: string[] };

/** A guest who writes a save and reads it, and what they are refused. */
export async function play(baseUrl: string, game: string) {
  const client = createClient<paths>({ baseUrl });
  const signedIn = await client.POST('/v2/auth/guest', {
    body: { game_id: game, env: 0, device_id: 'device-of-openapi-fetch' },
  });
  if (signedIn.error !== undefined) throw new Error(signedIn.error.code);
  client.use({
    onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${signedIn.data.accessToken}`);
    },
  });

  const save: Save = { coins: 7, items: ['sword'] };
  const entry = '/v2/cl/games/{game}/collections/{collection}/{key}';
  const place = { game, collection: 'progress', key: 'main' };
  const written = await client.PATCH(entry, {
    params: { path: place, query: { env: 0 } },
    body: { value: save, version: -1 },
  });
  const late = await client.PATCH(entry, {
    params: { path: place, query: { env: 0 } },
    body: { value: save, version: 5 },
  });
  const read = await client.GET('/v2/cl/games/{game}/collections/{collection}', {
    params: { path: place, query: { env: 0 } },
  });
  const account = await client.GET('/v2/auth/account');
  const coins = read.data?.[0]?.value['coins'];
  return {
    userId: signedIn.data.userId,
    version: written.data?.version,
    refusal: late.error?.code === 'version_mismatch' ? late.error.currentVersion : undefined,
    coins: typeof coins === 'number' ? coins : undefined,
    methods: account.data?.methods.map(({ method }) => method),
  };
}

/** What the types have to refuse: without these the others would prove nothing. */
export async function refusedByTheCompiler(baseUrl: string, game: string): Promise<void> {
  const client = createClient<paths>({ baseUrl });
  // @ts-expect-error there is no such environment
  await client.POST('/v2/auth/guest', { body: { game_id: game, env: 3, device_id: 'device-one' } });
  // @ts-expect-error a device has an id
  await client.POST('/v2/auth/guest', { body: { game_id: game, env: 0 } });
  // @ts-expect-error there is no such address
  await client.POST('/v2/auth/ghost', {});
  const { data } = await client.GET('/v2/auth/account');
  // @ts-expect-error an account has no such member
  data?.password;
}
