import type { JWK } from 'jose';
import { createMemoryStore, defineConfig, type ServiceConfig } from 'savepoint/backend';
import { describe, expectTypeOf, it } from 'vitest';

const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const signingKey: JWK = {};
const make = (...configs: ServiceConfig[]): void => void configs.map(defineConfig);

describe('the type of a configuration', () => {
  it('takes keys, stores and signing keys as they are, or where they stand', () => {
    expectTypeOf(defineConfig).toEqualTypeOf<(config: ServiceConfig) => ServiceConfig>();
    make(
      {},
      { games: [{ id }] },
      { games: [{ id, privateKeys: ['a-key', { env: 'OLD_KEY' }] }], store: './saves.db', signingKey },
      { store: { env: 'DATABASE' }, signingKey: { file: 'key.json' }, formerSigningKeys: [signingKey, { env: 'OLD' }] },
      { store: createMemoryStore(), port: 0, host: '::', drain: { noticeMs: 1, maxMs: 2 } },
      {
        limits: { rates: { newGuestsPerAddressPerHour: 1, readsPerAccount: { tries: 1, windowMs: 1 } }, valueBytes: 1 },
      },
      { trustedProxies: ['10.0.0.0/8'], allowedOrigins: (origin) => origin.endsWith('.example'), issuer: 'arcade' },
      {
        games: [
          {
            id,
            socialPlatforms: { chirp: async (token) => ({ id: token }) },
            identityProviders: [{ issuer: 'https://accounts.example', audience: ['a', 'b'] }],
            accountMerge: false,
          },
        ],
      },
    );
  });

  it('has no name that is spelled otherwise', () => {
    // @ts-expect-error: games.
    make({ gaems: [] });
    // @ts-expect-error: privateKeys.
    make({ games: [{ id, privatKeys: [] }] });
    // @ts-expect-error: limits.rates.
    make({ limits: { rate: true } });
    // @ts-expect-error: drain.maxMs.
    make({ drain: { maxSeconds: 1 } });
    // @ts-expect-error: the log is the command's own.
    make({ log: () => {} });
  });

  it('needs the id of a game, and its keys in a list', () => {
    // @ts-expect-error: without an id it is no game.
    make({ games: [{ privateKeys: ['a-key'] }] });
    // @ts-expect-error: one or two keys, in a list.
    make({ games: [{ id, privateKeys: 'a-key' }] });
    // @ts-expect-error: the name of the variable is a text.
    make({ games: [{ id, privateKeys: [{ env: 5 }] }] });
    // @ts-expect-error: a secret stands in a variable or a file.
    make({ games: [{ id, privateKeys: [{ vault: 'a' }] }] });
    // @ts-expect-error: a signing key is no text.
    make({ signingKey: 'a-key' });
    // @ts-expect-error: former keys are a list.
    make({ formerSigningKeys: { env: 'OLD_KEY' } });
  });

  it('refuses a provider that names no audience, and a verifier that gives no player', () => {
    // @ts-expect-error: a token for another game must not count.
    make({ games: [{ id, identityProviders: [{ issuer: 'https://accounts.example' }] }] });
    // @ts-expect-error: a verifier is a function.
    make({ games: [{ id, socialPlatforms: { chirp: 'https://chirp.example' } }] });
    // @ts-expect-error: a player has an id.
    make({ games: [{ id, socialPlatforms: { chirp: () => ({ name: 'ada' }) } }] });
  });

  it('refuses what is no store', () => {
    // @ts-expect-error: a number is none.
    make({ store: 5 });
    // @ts-expect-error: an object that finds sessions only is none.
    make({ store: { findSession: async () => null } });
    // @ts-expect-error: a port is a number.
    make({ port: '8080' });
  });
});
