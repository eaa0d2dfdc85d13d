interface Place {
  url: string;
  gameId: string;
}

/** What the greeting gives to paste, for this very service. */
export function guestCommand({ url, gameId }: Place): string {
  return `curl -s -X POST ${url}/v2/auth/guest -H 'Content-Type: application/json' -d '{"game_id":"${gameId}","env":0,"device_id":"my-first-device"}'`;
}

export function readCommand({ url, gameId }: Place, privateKey: string): string {
  return `curl -s '${url}/v2/pr/games/${gameId}/saves/<userId>/collections/progress?env=0' -H 'Authorization: Bearer ${privateKey}'`;
}

/** The fewest lines of a page that has a player and a save. */
export function shortClientCode({ url, gameId }: Place): string {
  return `import { createClient } from 'savepoint';

const client = createClient({
  gameId: '${gameId}',
  environment: 0,
  baseUrl: '${url}',
});
const ready = await client.init();
console.log(ready.success ? \`a guest already: \${ready.userId}\` : ready.error.code);
await client.profile.collection('progress').set('main', { coins: 1 });`;
}

/** What a game has of accounts and saves, from the guest to the choice on a second device. */
export function clientCode({ url, gameId }: Place): string {
  return `import { createClient } from 'savepoint';

interface Save { level: number; coins: number }

const client = createClient({
  gameId: '${gameId}',
  environment: 0, // 0 Development, 1 Stage, 2 Production
  baseUrl: '${url}',
});
const progress = client.profile.collection<Save>('progress', { merge: { level: 'max', coins: 'sum' } });

// The name that the player typed belongs to an account already. Nothing changes before the choice.
client.events.on('conflict', async ({ local, cloud, resolve }) => {
  const question = \`Take the account's \${cloud.entries} saves in place of the \${local.entries} of this device?\`;
  await resolve(confirm(question) ? 'cloud' : 'local');
});

const ready = await client.init(); // a guest, by this device alone
console.log(ready.success ? \`a guest already: \${ready.userId}\` : ready.error.code);
await progress.load().catch(() => {}); // without a network, the copy on this device has to do
console.log('the game starts at level', progress.get('main')?.level ?? 1);

// Kept on this device at once, and sent in the background.
await progress.update('main', (save) => ({ coins: 0, ...save, level: (save?.level ?? 1) + 1 }));

// Later, when the player wants to keep the progress: the same account, from now on on every device.
const linked = await client.auth.withName('ada', 'correct horse');
if (!linked.success) console.warn(linked.error.code); // such as \`invalid_credentials\` or \`network\`
console.log('level', progress.get('main')?.level, 'of', client.auth.userId);`;
}
