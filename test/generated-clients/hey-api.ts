import { readAccount, readCollection, signInAsGuest, updateEntry } from './generated/hey-api';
import { createClient, createConfig } from './generated/hey-api/client';

type Save = { coins: number; items: string[] };

/** A guest who writes a save and reads it, and what they are refused. */
export async function play(baseUrl: string, game: string) {
  const anybody = createClient(createConfig({ baseUrl }));
  const body = { game_id: game, device_id: 'device-of-hey-api' };
  const signedIn = await signInAsGuest({ client: anybody, body: { ...body, env: 0 } });
  if (signedIn.data === undefined) throw new Error(signedIn.error.code);
  const { accessToken, userId } = signedIn.data;
  const client = createClient(createConfig({ baseUrl, auth: () => accessToken }));

  const save: Save = { coins: 7, items: ['sword'] };
  const path = { game, collection: 'progress', key: 'main' };
  const written = await updateEntry({ client, path, query: { env: 0 }, body: { value: save, version: -1 } });
  const late = await updateEntry({ client, path, query: { env: 0 }, body: { value: save, version: 5 } });
  const read = await readCollection({ client, path, query: { env: 0 } });
  const account = await readAccount({ client });
  const coins = read.data?.[0]?.value['coins'];
  return {
    userId,
    version: written.data?.version,
    refusal: late.error?.code === 'version_mismatch' ? late.error.currentVersion : undefined,
    coins: typeof coins === 'number' ? coins : undefined,
    methods: account.data?.methods.map(({ method }) => method),
  };
}

/** What the types have to refuse: without these the others would prove nothing. */
export async function refusedByTheCompiler(game: string): Promise<void> {
  // @ts-expect-error there is no such environment
  await signInAsGuest({ body: { game_id: game, env: 3, device_id: 'device-one' } });
  // @ts-expect-error a device has an id
  await signInAsGuest({ body: { game_id: game, env: 0 } });
  // @ts-expect-error an entry is in a collection
  await updateEntry({ path: { game, key: 'main' }, query: { env: 0 }, body: { value: {}, version: -1 } });
  const { data } = await readAccount();
  // @ts-expect-error an account has no such member
  data?.password;
}
