import { createClient } from 'savepoint';
import { describe, expect, it } from 'vitest';

const good = { gameId: '7f0c9c54-9d2e-4f0b-8a43-6b1c2d3e4f50', environment: 0, baseUrl: 'https://saves.example.com' };

describe('createClient', () => {
  it.each<[string, object | undefined]>([
    ['gameId', undefined],
    ['gameId', { ...good, gameId: 'a game' }],
    ['environment', { ...good, environment: undefined }],
    ['environment', { ...good, environment: 3 }],
    ['environment', { ...good, environment: '0' }],
    ['baseUrl', { ...good, baseUrl: undefined }],
    ['baseUrl', { ...good, baseUrl: '/saves' }],
    ['baseUrl', { ...good, baseUrl: 'https://user:password@saves.example.com' }],
    ['authUrl', { ...good, authUrl: 'ftp://saves.example.com' }],
    ['autoLogin', { ...good, autoLogin: 'no' }],
    ['network', { ...good, network: 'yes' }],
    ['deviceId', { ...good, deviceId: 'short' }],
    ['deviceId', { ...good, deviceId: 'x'.repeat(129) }],
    ['socialPlatform', { ...good, socialPlatform: 7 }],
    ['conflictFields', { ...good, conflictFields: [{ collection: 'progress', key: 'main' }] }],
    ['conflictFields', { ...good, conflictFields: [null] }],
    ['conflictFields', { ...good, conflictFields: {} }],
    ['storage', { ...good, storage: { getItem: () => null } }],
    ['storage', { ...good, storage: null }],
    ['fetch', { ...good, fetch: 'fetch' }],
    ['timeoutMs', { ...good, timeoutMs: 0 }],
    ['timeoutMs', { ...good, timeoutMs: Number.POSITIVE_INFINITY }],
    ['renewSession', { ...good, renewSession: {} }],
    ['onReady', { ...good, onReady: true }],
  ])('throws TypeError with the name of the option: %s', (option, config) => {
    const make = (): unknown => createClient(config as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`^${option} `));
  });

  it('says nothing of what is secret in a wrong option', () => {
    const make = (): unknown => createClient({ ...good, baseUrl: 'https://user:hunter22@saves.example.com' } as never);
    expect(make).not.toThrow(/hunter22/);
  });

  it('sends nothing and reads nothing by itself', () => {
    const touch = (): never => {
      throw new Error('touched');
    };
    const storage = { getItem: touch, setItem: touch, removeItem: touch };
    expect(createClient({ ...good, environment: 0, storage, fetch: touch }).auth.state).toBe('starting');
  });
});
