import { inspect } from 'node:util';
import { isSdkError } from 'savepoint';
import { afterEach, expect, it, vi } from 'vitest';
import { codeOf, createMemoryStorage, createWorld, meetConflict, type World } from './world.js';

let world: World;
afterEach(() => {
  world.end();
  vi.restoreAllMocks();
});

/** Everything that a game could log of this: its text, what inspect shows of it, its JSON. */
function shown(thing: unknown): string {
  const text = thing instanceof Error ? `${thing.stack}${inspect(thing, { depth: 12, showHidden: false })}` : '';
  return `${String(thing)}${text}${inspect(thing, { depth: 12 })}${JSON.stringify(thing)}`;
}

it('no error, event, console line or address holds a token, password, ticket or device id', async () => {
  world = createWorld({ socialPlatforms: { pals: () => null } });
  const seen: unknown[] = [];
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation((...line) => void seen.push(...line));
  }
  const storage = createMemoryStorage();
  const { second, conflict, pending } = await meetConflict(world, { storage });
  for (const name of ['conflict', 'initialized', 'stateChanged', 'sessionExpired', 'storageDegraded'] as const) {
    second.events.on(name, (payload: unknown) => void seen.push(payload));
  }
  seen.push(conflict);
  const faults = ['offline', 'malformed', 'lost-answer', { status: 500 }, { status: 503 }, { status: 429 }] as const;
  for (const fault of faults) {
    world.backend.control.fail({ route: 'conflict', with: fault, times: 3 });
    seen.push(await conflict.resolve('local'));
  }
  seen.push(await conflict.resolve('cancel'), await pending);
  const operations = [
    () => second.auth.withName('ada', 'battery staple'),
    () => second.auth.withSocialToken('social-token-secret'),
    () => second.auth.withIdentityToken('identity-token-secret'),
    () => second.profile.collection('progress').load(),
  ];
  for (const operation of operations) {
    for (const fault of [...faults, { status: 401 } as const]) {
      world.backend.control.fail({ with: fault, times: 3 });
      seen.push(await operation().catch((error: unknown) => error));
      world.backend.control.restore();
    }
  }
  // One more conflict, that nobody hears of.
  const deaf = await world.player();
  const unheard = await deaf.auth.withName('ada', 'correct horse');
  expect(codeOf(unheard)).toBe('conflict_unhandled');
  seen.push(unheard);

  const secrets = new Set(['correct horse', 'battery staple', 'social-token-secret', 'identity-token-secret']);
  for (const { body, authorization } of world.sent) {
    if (authorization !== null) secrets.add(authorization.replace('Bearer ', ''));
    const fields = body === '' ? {} : (JSON.parse(body) as Record<string, string>);
    for (const name of ['refresh_token', 'ticket', 'device_id']) if (fields[name]) secrets.add(fields[name]);
  }
  expect(secrets.size).toBeGreaterThan(8);
  expect(seen.length).toBeGreaterThan(30);
  expect(seen.some((one) => isSdkError((one as { error?: unknown }).error))).toBe(true);
  const text =
    seen.map(shown).join('\n') + world.sent.map(({ path }) => path).join('\n') + world.reported.map(shown).join();
  for (const secret of secrets) expect(text).not.toContain(secret);
});
