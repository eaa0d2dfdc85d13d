import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createServerClient, signRequest, verifyRequest } from '../../src/server/index.js';
import { privateKey, userId, validOptions } from './scripted-client.js';

describe('createServerClient', () => {
  it.each([
    ['options', undefined],
    ['gameId', { gameId: 'my-game' }],
    ['gameId', { gameId: undefined }],
    ['environment', { environment: 3 }],
    ['environment', { environment: '0' }],
    ['environment', { environment: undefined }],
    ['privateKey', { privateKey: undefined }],
    ['privateKey', { privateKey: '' }],
    ['privateKey', { privateKey: ` ${privateKey}` }],
    ['privateKey', { privateKey: `${privateKey}\n` }],
    ['privateKey', { privateKey: 'two\nlines' }],
    ['privateKey', { privateKey: 'ключ' }],
    ['baseUrl', { baseUrl: undefined }],
    ['baseUrl', { baseUrl: 'saves.test' }],
    ['baseUrl', { baseUrl: 'ftp://saves.test' }],
    ['authUrl', { authUrl: 'https://user:secret@auth.test' }],
    ['fetch', { fetch: 'fetch' }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: '10' }],
    ['signatureEncoding', { signatureEncoding: 'base32' }],
    ['now', { now: 5 }],
  ])('refuses a wrong %s by name, at once', (name, wrong) => {
    const options = (wrong === undefined ? undefined : { ...validOptions, ...wrong }) as never;
    expect(() => createServerClient(options)).toThrow(TypeError);
    expect(() => createServerClient(options)).toThrow(name);
  });

  it('does not show a key that it refuses', () => {
    const key = `${privateKey} `;
    let message = '';
    try {
      createServerClient({ ...validOptions, privateKey: key });
    } catch (error) {
      message = inspect(error);
    }
    expect(message).toContain('white space');
    expect(message).not.toContain(privateKey);
  });

  it('does not show its key to whoever prints it', () => {
    const client = createServerClient(validOptions);
    const shown = inspect(client, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + JSON.stringify(client);
    expect(shown).not.toContain(privateKey);
  });

  it('asks baseUrl for players where there is no authUrl, below a path as well', async () => {
    const urls: string[] = [];
    const { authUrl: _, ...options } = { ...validOptions, baseUrl: 'https://saves.test/service/' };
    const client = createServerClient({
      ...options,
      fetch: async (request) => {
        urls.push(request.url);
        return Response.json({ code: 'x' }, { status: 400 });
      },
    });
    await client.authenticate({ customUserId: 'player-42', deviceId: 'device-7', ip: '::1' }).catch(() => {});
    expect(urls).toEqual(['https://saves.test/service/v2/auth/server']);
  });
});

describe('timeoutMs', () => {
  it('ends a try that gets no answer', async () => {
    const client = createServerClient({ ...validOptions, timeoutMs: 1, fetch: () => new Promise(() => {}) });
    const entry = { userId, collection: 'profile', key: 'wallet' };
    const call = client.updateEntry({ ...entry, value: {}, version: -1 });
    await expect(call).rejects.toMatchObject({ code: 'timeout', message: 'No answer within 1 ms.' });
  });
});

describe('in a page', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('the client and both functions refuse to run', async () => {
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('document', {});
    const refusal = /refuses to run in a page/;
    expect(() => createServerClient(validOptions)).toThrow(refusal);
    await expect(signRequest({ privateKey, body: '{}' })).rejects.toThrow(refusal);
    await expect(verifyRequest({ privateKeys: [privateKey], headers: {}, body: '{}' })).rejects.toThrow(refusal);
  });

  it('is not what a worker is: there is no document', () => {
    vi.stubGlobal('window', globalThis);
    expect(() => createServerClient(validOptions)).not.toThrow();
  });
});
