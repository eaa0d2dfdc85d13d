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

it('no error, event, console line or address holds a token, password, ticket, recovery code or device id', async () => {
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
    for (const [route, choice] of [
      ['resolveConflict', 'local'],
      ['resolveConflict', 'merge'],
      ['readConflictSides', 'merge'],
    ] as const) {
      world.backend.control.fail({ route, with: fault, times: 3 });
      seen.push(await conflict.resolve(choice));
      world.backend.control.restore();
    }
  }
  // A page is closed over it, and the next one knows it again.
  second.dispose();
  const again = world.client({ storage });
  for (const name of ['conflict', 'initialized', 'stateChanged'] as const) {
    again.events.on(name, (payload: unknown) => void seen.push(payload));
  }
  seen.push(await again.init(), again.conflict, await again.conflict?.resolve('cancel'), await pending);
  const code = await again.account.recoveryCode();
  const operations = [
    () => again.auth.withName('ada', 'battery staple'),
    () => again.auth.withSocialToken('social-token-secret'),
    () => again.auth.withIdentityToken('identity-token-secret'),
    () => again.profile.collection('progress').load(),
    () => again.auth.peek({ method: 'name', username: 'ada', password: 'battery staple' }),
    () => again.auth.peek({ method: 'recovery', code }),
    () => again.auth.link({ method: 'recovery', code: 'recovery-code-secret' }),
    () => again.auth.switchTo({ method: 'recovery', code: 'recovery-code-secret' }),
    () => again.account.changePassword('old-password-secret', 'new-password-secret'),
    () => again.account.unlink('name'),
    () => again.account.snapshots(),
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

  const secrets = new Set(['correct horse', 'battery staple', code]);
  for (const name of ['social-token', 'identity-token', 'recovery-code', 'old-password', 'new-password']) {
    secrets.add(`${name}-secret`);
  }
  for (const { body, authorization } of world.sent) {
    if (authorization !== null) secrets.add(authorization.replace('Bearer ', ''));
    const fields = body === '' ? {} : (JSON.parse(body) as Record<string, string>);
    for (const name of ['refresh_token', 'ticket', 'device_id']) if (fields[name]) secrets.add(fields[name]);
  }
  expect(secrets.size).toBeGreaterThan(12);
  expect(seen.length).toBeGreaterThan(90);
  expect(seen.some((one) => isSdkError((one as { error?: unknown }).error))).toBe(true);
  const text =
    seen.map(shown).join('\n') + world.sent.map(({ path }) => path).join('\n') + world.reported.map(shown).join();
  for (const secret of secrets) expect(text).not.toContain(secret);
});
