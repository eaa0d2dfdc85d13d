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

export function clientCode({ url, gameId }: Place): string {
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
