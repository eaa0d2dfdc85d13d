import { describe, expect, it } from 'vitest';
import { type Asked, gameId, offline, privateKey, problem, scripted, userId } from './scripted-client.js';

const entries = [
  { key: 'stats', value: { coins: 5 }, version: 3 },
  { key: 'wallet', value: {}, version: 0 },
];
const base = `https://saves.test/v2/pr/games/${gameId}/saves/${userId}/collections`;
const entry = { userId, collection: 'profile', key: 'stats' };

describe('readCollection', () => {
  it('reads by the private key and gives the entries', async () => {
    const { client, asked } = scripted(() => Response.json(entries));
    expect(await client.readCollection({ userId, collection: 'profile' })).toEqual(entries);
    const [request] = asked as [Asked];
    expect([request.method, request.url]).toEqual(['GET', `${base}/profile?env=1`]);
    expect(request.headers.get('authorization')).toBe(`Bearer ${privateKey}`);
    expect(request.body).toBe('');
  });

  it('writes a name so that it is one segment of the path', async () => {
    const { client, asked } = scripted(() => Response.json([]));
    await client.readCollection({ userId, collection: 'a/b ü?#%2F' });
    expect(asked[0]?.url).toBe(`${base}/a%2Fb%20%C3%BC%3F%23%252F?env=1`);
  });

  it('is repeated where there was no answer', async () => {
    const { client, asked } = scripted((_, index) => (index === 0 ? offline() : Response.json(entries)));
    expect(await client.readCollection({ userId, collection: 'profile' })).toEqual(entries);
    expect(asked).toHaveLength(2);
  });

  it('fails as the service says', async () => {
    const { client } = scripted(() => problem(404, 'user_not_found', { requestId: 'req-1' }));
    const call = client.readCollection({ userId, collection: 'profile' });
    await expect(call).rejects.toMatchObject({ code: 'user_not_found', status: 404, requestId: 'req-1' });
  });

  it('tells an answer of another form from a collection', async () => {
    const { client } = scripted(() => Response.json([{ key: 'stats', value: [], version: 0 }]));
    const call = client.readCollection({ userId, collection: 'profile' });
    await expect(call).rejects.toMatchObject({ code: 'invalid_answer' });
  });
});

describe('updateEntry', () => {
  it('sends the value with its version by the private key, and gives the new version', async () => {
    const { client, asked } = scripted(() => Response.json({ version: 4 }));
    expect(await client.updateEntry({ ...entry, value: { coins: 6 }, version: 3 })).toEqual({ version: 4 });
    const [request] = asked as [Asked];
    expect([request.method, request.url]).toEqual(['PATCH', `${base}/profile/stats?env=1`]);
    expect(request.headers.get('authorization')).toBe(`Bearer ${privateKey}`);
    expect(request.headers.get('content-type')).toBe('application/json');
    expect(request.body).toBe('{"value":{"coins":6},"version":3}');
  });

  it('carries what is stored where the version is another', async () => {
    const stored = { currentVersion: 7, currentValue: { coins: 9 } };
    const { client, asked } = scripted(() => problem(409, 'version_mismatch', stored));
    const call = client.updateEntry({ ...entry, value: {}, version: 3 });
    await expect(call).rejects.toMatchObject({ code: 'version_mismatch', status: 409, ...stored });
    expect(asked).toHaveLength(1);
  });

  it('repeats a conditional write that got no answer', async () => {
    const { client, asked } = scripted((_, index) => (index === 0 ? offline() : Response.json({ version: 4 })));
    expect(await client.updateEntry({ ...entry, value: {}, version: 3 })).toEqual({ version: 4 });
    expect(asked).toHaveLength(2);
  });

  it('does not repeat a forced write where the service says nothing of its name: it may have been carried out', async () => {
    const { client, asked } = scripted((_, index) =>
      index === 0 ? offline() : problem(409, 'version_mismatch', { currentVersion: 7, currentValue: {} }),
    );
    const call = client.updateEntry({ ...entry, value: {}, version: -1 });
    await expect(call).rejects.toMatchObject({ code: 'network' });
    expect(asked.filter(({ body }) => body.endsWith('"version":-1}'))).toHaveLength(1);
  });

  it.each([
    ['options', undefined],
    ['userId', { userId: 'me' }],
    ['collection', { collection: '' }],
    ['collection', { collection: undefined }],
    ['key', { key: '..' }],
    ['key', { key: 7 }],
    ['value', { value: [] }],
    ['value', { value: { coins: Number.NaN } }],
    ['value', { value: new Map() }],
    ['value', { value: undefined }],
    ['version', { version: undefined }],
    ['version', { version: -2 }],
    ['version', { version: 0.5 }],
    ['version', { version: '3' }],
    ['signal', { signal: 'stop' }],
  ])('refuses a wrong %s by name and sends nothing', async (name, wrong) => {
    const { client, asked } = scripted(() => Response.json({ version: 4 }));
    const given = wrong === undefined ? undefined : { ...entry, value: {}, version: 3, ...wrong };
    const call = client.updateEntry(given as never);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(name);
    expect(asked).toHaveLength(0);
  });
});
