import type { PlatformCheck, PlatformPreset } from 'savepoint/backend';
import type { AdminClient } from 'savepoint/server';
import { adminOf, createOperatedService, here } from './operators.js';
import { post, type TestService } from './service.js';

/** A key that seals, and another one. */
export const sealingKey = 'A'.repeat(43);
export const otherSealingKey = `${'B'.repeat(42)}A`;

export const secret = 'a-secret-of-the-wave-0123456789';
const documentation = 'https://wave.example/docs';

/** A step that holds or fails. */
const step = (name: string, holds: boolean) =>
  holds ? { step: name, result: 'passed' as const } : { step: name, result: 'failed' as const, detail: 'It does not.' };

/** A social network whose tokens are `<player>:<its secret>`, and which may be asked at an address. */
export const wave: PlatformPreset = {
  name: 'wave',
  title: 'Wave',
  kind: 'social',
  documentation,
  help: 'Look at the page of the app.',
  fields: [
    { name: 'app', label: 'App', help: 'The id of the app.', kind: 'text', isRequired: true, example: '1234' },
    { name: 'appSecret', label: 'Secret', help: 'The secret of the app.', kind: 'secret', isRequired: false },
    { name: 'server', label: 'Server', help: 'Where it is asked.', kind: 'address', isRequired: false },
    { name: 'origins', label: 'Origins', help: 'Where it is played.', kind: 'list', isRequired: false },
    { name: 'mode', label: 'Mode', help: 'How.', kind: 'choice', choices: ['live', 'test'], isRequired: false },
  ],
  create({ app, appSecret, server }, { fetch = globalThis.fetch }): PlatformCheck {
    if (app === 'wrong') throw new TypeError(`app must be another one, and not ${appSecret}`);
    const known = { at: 0 };
    const read = async (token: string): Promise<string | null> => {
      if (typeof server === 'string') {
        const answer = await fetch(new Request(server));
        if (!answer.ok) throw new Error('The wave does not answer.');
      }
      known.at += 1;
      const [player = '', shown] = token.split(':');
      if (player === 'count') return `${known.at}`;
      return shown === (appSecret ?? 'none') ? player : null;
    };
    return {
      async verify(token) {
        const id = await read(token);
        return id === null ? null : { id };
      },
      async explain(token) {
        try {
          const id = await read(token);
          return { player: id === null ? null : { id }, steps: [step('The secret is that of the app', id !== null)] };
        } catch {
          return { player: null, steps: [step('The wave answers', false)] };
        }
      },
    };
  },
};

/** An identity provider, whose tokens are not signed: a test says who made them. */
const tide: PlatformPreset = {
  name: 'tide',
  title: 'Tide',
  kind: 'identity',
  documentation,
  help: 'Look at the page of the client.',
  fields: [
    { name: 'issuer', label: 'Issuer', help: 'Who makes the tokens.', kind: 'address', isRequired: true },
    { name: 'client', label: 'Client', help: 'The id of the client.', kind: 'text', isRequired: true },
  ],
  create({ issuer, client }): PlatformCheck {
    const read = (token: string) => {
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
        [claim: string]: string;
      };
      if (claims['sub'] === 'trouble') throw new Error('The tide is out.');
      return claims['iss'] === issuer && claims['aud'] === client
        ? { id: claims['sub'] as string, issuer: issuer as string }
        : null;
    };
    return {
      issuers: [issuer as string, `${issuer}/`],
      verify: async (token) => read(token),
      explain: async (token) => ({ player: read(token), steps: [step('The client is the game', true)] }),
    };
  },
};

export const presets = [wave, tide];
export const issuer = 'https://tide.example';

/** A token that nobody has signed. */
function tideToken(claims: { [claim: string]: string }): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'ES256' }), part({ iss: issuer, aud: 'game', sub: 'ada', ...claims }), 'c2lnbmF0dXJl'].join('.');
}

/** A service with these presets and a key that seals. */
export function createServiceWithPlatforms(options: Parameters<typeof createOperatedService>[0] = {}): TestService {
  return createOperatedService({ platformPresets: presets, sealingKey, ...options });
}

/** Registers the wave as the operator, and gives what became of it. */
export function addWave(
  service: TestService,
  more: Partial<Parameters<AdminClient['savePlatform']>[0]> = {},
): ReturnType<AdminClient['savePlatform']> {
  const settings = { app: 'one', appSecret: secret };
  return adminOf(service).savePlatform({ ...here, name: 'wave', preset: 'wave', settings, ...more });
}

export const signInWithSocial = (service: TestService, token: string, platform?: string, environment = 0) =>
  post(service, '/v2/auth/social', { token, ...(platform === undefined ? {} : { platform }) }, { environment });

export const signInWithIdentity = (service: TestService, claims: { [claim: string]: string } = {}) =>
  post(service, '/v2/auth/identity', { token: tideToken(claims) });
