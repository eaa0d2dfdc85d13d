import {
  type Explanation,
  type PlatformCheck,
  type PlatformPlayer,
  type PlatformPreset,
  type PlatformSurroundings,
  platformPresets,
} from 'savepoint/backend/platforms';
import { beforeAll, describe, expect, it } from 'vitest';
import { testGameId, testStart } from '../../support/service.js';
import { createDoubles, type PlatformDouble } from './doubles.js';

/** What verify gave: the player, null, or what it threw. */
type Verified = PlatformPlayer | null | Error;

let doubles: { [preset: string]: PlatformDouble };

beforeAll(async () => {
  doubles = await createDoubles();
});

function doubleOf({ name }: PlatformPreset): PlatformDouble {
  return doubles[name] as PlatformDouble;
}

const at = (now: number) => ({ gameId: testGameId, environment: 0 as const, now });

function open(preset: PlatformPreset, surroundings: PlatformSurroundings = {}): PlatformCheck {
  const { settings, fetch } = doubleOf(preset);
  return preset.create(settings, { ...(fetch === null ? {} : { fetch }), ...surroundings });
}

/** Does both, each with a check of its own, so that neither profits by what the other has had, and holds one against the other. */
async function tryToken(make: () => PlatformCheck, token: string, now = testStart): Promise<[Verified, Explanation]> {
  const verified = await make()
    .verify(token, at(now))
    .catch((error: Error) => error);
  const explained = await make().explain(token, at(now));
  const results = explained.steps.map(({ result }) => result);
  if (verified === null || verified instanceof Error) {
    expect(explained.player).toBeNull();
    const failed = results.indexOf('failed');
    expect(failed).toBeGreaterThanOrEqual(0);
    expect(results).toEqual(
      results.map((_, index) => (['passed', 'failed', 'not_reached'] as const)[Math.sign(index - failed) + 1]),
    );
    expect(explained.steps[failed]?.detail).toMatch(/^\S.{10,200}\.$/);
  } else {
    expect(explained.player).toEqual(verified);
    expect(new Set(results)).toEqual(new Set(['passed']));
  }
  return [verified, explained];
}

const tellsNothing = (told: [Verified, Explanation], token: string, secrets: readonly string[]): void => {
  const [verified, { steps }] = told;
  const text = `${verified instanceof Error ? `${verified.stack} ${JSON.stringify(verified)}` : ''} ${JSON.stringify(steps)}`;
  for (const secret of [...secrets, token]) {
    if (secret.length > 3) expect(text).not.toContain(secret);
  }
};

describe('the presets', () => {
  it('are these, and each has a double here', () => {
    const names = platformPresets.map(({ name }) => name);
    expect(names).toEqual(Object.keys(doubles));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(platformPresets.map((preset) => [preset.name, preset] as const))('the preset %s', (_, preset) => {
  it('knows whose a token of the platform is', async () => {
    const { player, tokenFor, secrets } = doubleOf(preset);
    // A code is good for one question: each gets one of its own.
    for (const now of [testStart, testStart + 60_000]) {
      const verified = await open(preset).verify(await tokenFor(player.id, now), at(now));
      expect(verified).toEqual(player);
      const token = await tokenFor(player.id, now);
      const explained = await open(preset).explain(token, at(now));
      expect(explained.player).toEqual(player);
      expect(explained.steps.map(({ result }) => result)).toEqual(explained.steps.map(() => 'passed'));
      tellsNothing([verified, explained], token, secrets);
    }
  });

  it('refuses a token that was made for another app', async () => {
    const { player, tokenForAnotherApp, secrets } = doubleOf(preset);
    const token = await tokenForAnotherApp(player.id, testStart);
    const told = await tryToken(() => open(preset), token);
    expect(told[0]).toBeNull();
    tellsNothing(told, token, secrets);
  });

  it('refuses a token that is too old, where the token says how old it is', async () => {
    const { player, tokenFor, lifetimeMs, secrets } = doubleOf(preset);
    if (lifetimeMs === null) return expect((await open(preset).explain('x', at(testStart))).player).toBeNull();
    const token = await tokenFor(player.id, testStart);
    expect((await tryToken(() => open(preset), token, testStart + lifetimeMs - 1000))[0]).toEqual(player);
    const late = await tryToken(() => open(preset), token, testStart + lifetimeMs + 61_000);
    expect(late[0]).toBeNull();
    tellsNothing(late, token, secrets);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a word', 'nonsense'],
    ['a megabyte', 'a'.repeat(1_048_576)],
    ['as much as a request may hold', 'a'.repeat(16_384)],
    ['signs that turn the writing around', '\u202Eneves\u2066\u2069\u200F'],
    ['another header', 'token\r\nX-Forwarded-For: 127.0.0.1\r\n\r\nGET / HTTP/1.1'],
    ['half a character', '\uD800\uDC00\uD800'],
    ['the end of a text', 'token\u0000rest'],
    ['another parameter', 'x&appid=570&key=y#z'],
    ['a way up', '../../../oauth2/token?x=%2e%2e'],
    ['JSON', '{"id":"ada","__proto__":{"id":"ada"}}'],
    ['deep JSON in a token', `${btoa('{"alg":"RS256"}')}.${btoa(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)}.x`],
    ['deep JSON in a query', `user=${'['.repeat(5_000)}&hash=${'0'.repeat(64)}&auth_date=1`],
    [
      'a token without a signature',
      `${btoa('{"alg":"none"}')}.${btoa('{"sub":"ada","aud":"the-game","iss":"https://id.example/players","exp":9999999999}')}.`,
    ],
    ['a token that is no object', `${btoa('"RS256"')}.${btoa('null')}.${btoa('x')}`],
    ['dots', '.......'],
  ])('refuses %s', async (_name, token) => {
    const { secrets } = doubleOf(preset);
    const told = await tryToken(() => open(preset), token);
    expect(told[0]).toBeNull();
    tellsNothing(told, token, secrets);
  });

  it('answers null to whatever is not a right token, and throws nothing', async () => {
    const { player, tokenFor } = doubleOf(preset);
    const token = await tokenFor(player.id, testStart);
    const changed = [0, 0.25, 0.5, 0.75].map((part) => {
      const place = Math.floor(token.length * part);
      return `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`;
    });
    for (const wrong of [...changed, token.slice(0, -10), `${token}~`, `~${token}`]) {
      expect((await tryToken(() => open(preset), wrong))[0]).toBeNull();
    }
  });

  it('says of a token that is shown again what docs/platforms.md says of it', async () => {
    const { player, tokenFor, isGoodOnce } = doubleOf(preset);
    const token = await tokenFor(player.id, testStart);
    const check = open(preset);
    expect(await check.verify(token, at(testStart))).toEqual(player);
    const again = await check.verify(token, at(testStart));
    expect(again).toEqual(isGoodOnce ? null : player);
  });

  /** What the platform does, and how the step tells of it. */
  const trouble: [string, (request: Request) => Promise<Response>, string][] = [
    ['fails', async () => new Response('oops', { status: 500 }), 'The answer (500) is a refusal.'],
    ['is asked too often', async () => new Response('slowly', { status: 429 }), 'The answer (429) is a refusal.'],
    [
      'answers with a page',
      async () => new Response('<!doctype html><title>Log in</title>'),
      'The answer (200) is not JSON.',
    ],
    [
      'answers with a page as JSON',
      async () => new Response('<html>', { headers: { 'content-type': 'application/json' } }),
      'The answer (200) is not JSON.',
    ],
    ['has moved', async () => Response.redirect('https://elsewhere.example/'), 'The answer (302) leads elsewhere.'],
    [
      'answers too much',
      async () => new Response(`{"more":"${'x'.repeat(300_000)}"}`),
      'The answer (200) is too large.',
    ],
    ['answers nothing', async () => new Response(null, { status: 204 }), 'The answer (200) is not JSON.'],
    [
      'cannot be reached',
      (request) => Promise.reject(new TypeError(`no way to ${request.url} ${[...request.headers]}`)),
      'No answer came in time, or none.',
    ],
  ];

  it.each(trouble)(
    'does not call a token wrong where the platform %s, and tells that',
    async (_name, fetch, detail) => {
      const double = doubleOf(preset);
      const token = await double.tokenFor(double.player.id, testStart);
      const told = await tryToken(() => open(preset, { fetch }), token);
      if (double.fetch === null) return expect(told[0]).toEqual(double.player);
      expect(told[0]).toBeInstanceOf(Error);
      expect((told[0] as Error).name).toBe('PlatformUnavailable');
      expect((told[0] as Error).message).toContain(detail);
      expect(told[1].steps.find(({ result }) => result === 'failed')).toMatchObject({ detail });
      tellsNothing(told, token, double.secrets);
    },
  );

  it('does not wait for a platform that hangs, before its answer or in the middle', async () => {
    const double = doubleOf(preset);
    const token = await double.tokenFor(double.player.id, testStart);
    for (const fetch of [() => new Promise<never>(() => {}), async () => new Response(new ReadableStream())]) {
      const told = await tryToken(() => open(preset, { fetch, timeoutMs: 1 }), token);
      if (double.fetch === null) expect(told[0]).toEqual(double.player);
      else expect((told[0] as Error).message).toContain('No answer came in time, or none.');
      tellsNothing(told, token, double.secrets);
    }
  });

  it('tells a form what it needs', () => {
    const { title, documentation, help, fields, kind } = preset;
    expect(['social', 'identity']).toContain(kind);
    expect([title, help].every((text) => text.length > 3)).toBe(true);
    expect(documentation).toMatch(/^https:\/\//);
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
    for (const { label, help: ofField, kind: ofKind, choices } of fields) {
      expect(label.length).toBeGreaterThan(3);
      expect(ofField).toMatch(/\.$/);
      expect(choices !== undefined).toBe(ofKind === 'choice');
    }
  });

  it('names the field that is missing, unknown or wrong, without showing it', () => {
    const { settings } = doubleOf(preset);
    const create = (changed: object) => () => preset.create({ ...settings, ...changed } as never, {});
    expect(create({})).not.toThrow();
    expect(create({ cleintId: 'x' })).toThrow(
      new TypeError('cleintId must be left out: this platform has no such field'),
    );
    for (const { name, kind, isRequired } of preset.fields) {
      const wrong = [
        '',
        ' padded ',
        '\u202Eright',
        'two\r\nlines',
        5,
        {},
        null,
        [],
        [''],
        ['ok', 5],
        'x'.repeat(5_000),
      ];
      const ofKind = kind === 'list' ? [] : [['a-secret-value']];
      const { [name]: _left, ...others } = settings;
      if (isRequired) expect(() => preset.create(others, {})).toThrow(new TypeError(`${name} must be given`));
      for (const value of [...wrong, ...ofKind, ...(kind === 'choice' ? ['a-secret-value'] : [])]) {
        const attempt = create({ [name]: value });
        expect(attempt).toThrow(TypeError);
        expect(attempt).toThrow(new RegExp(`^${name} must be `));
        expect(attempt).not.toThrow('a-secret-value');
      }
      if (kind !== 'address') continue;
      for (const address of [
        'id.example',
        'http://id.example/x',
        'ftp://id.example',
        'https://ada:pw@id.example/x',
        'https://id.example/#x',
        'javascript:alert(1)',
        'http://127.0.0.1.elsewhere.example/',
      ]) {
        expect(create({ [name]: address })).toThrow(new RegExp(`^${name} must be `));
      }
    }
  });
});
