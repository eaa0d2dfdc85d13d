import { discord, platformPresets } from 'savepoint/backend/platforms';
import { describe, expect, it } from 'vitest';
import { testGameId, testStart } from '../../support/service.js';
import { discordDouble } from './doubles.js';

const context = { gameId: testGameId, environment: 0 as const, now: testStart };
const clientId = '159799960412356608';
const me = 'https://discord.com/api/v10/oauth2/@me';
const exchange = 'https://discord.com/api/v10/oauth2/token';
const preset = platformPresets.find(({ name }) => name === 'discord') as (typeof platformPresets)[number];

const failedStep = async (check: ReturnType<typeof preset.create>, token: string) =>
  (await check.explain(token, context)).steps.find(({ result }) => result === 'failed');

describe('the preset of Discord, by access token', () => {
  it('asks for whom and for which application it is, with the token in a header', async () => {
    const asked: string[] = [];
    const fetch = async (request: Request) => {
      asked.push(`${request.method} ${request.url} ${request.headers.get('authorization')}`);
      return Response.json({ application: { id: clientId }, scopes: ['identify'], user: { id: '268473310986240001' } });
    };
    expect(await discord({ clientId, fetch })('a-token', context)).toEqual({ id: '268473310986240001' });
    expect(asked).toEqual([`GET ${me} Bearer a-token`]);
  });

  it.each<[string, unknown, string]>([
    ['is for another application', { application: { id: '1' }, user: { id: '2' } }, 'another application'],
    ['was not granted `identify`', { application: { id: clientId }, scopes: [] }, 'not granted'],
  ])('refuses a token that %s', async (_, answer, detail) => {
    const check = preset.create({ clientId }, { fetch: async () => Response.json(answer) });
    expect(await check.verify('a-token', context)).toBeNull();
    expect((await failedStep(check, 'a-token'))?.detail).toContain(detail);
  });

  it.each<[string, unknown]>([
    ['of no application', { user: { id: '2' } }],
    ['with a number for the application', { application: { id: 159799960412356600 }, user: { id: '2' } }],
    ['with a rounded number for the player', { application: { id: clientId }, user: { id: 268473310986240000 } }],
    ['with an empty id', { application: { id: clientId }, user: { id: '' } }],
    ['with nobody', { application: { id: clientId }, user: null }],
  ])('takes an answer %s for none, since Discord documents another one', async (_, answer) => {
    const check = preset.create({ clientId }, { fetch: async () => Response.json(answer) });
    await expect(check.verify('a-token', context)).rejects.toThrow('which the platform documents');
  });

  it('refuses what Discord does not know any more, and may be asked about it again', async () => {
    const check = preset.create({ clientId }, { fetch: async () => new Response(null, { status: 401 }) });
    expect(await check.verify('an-expired-token', context)).toBeNull();
    const double = discordDouble('accessToken');
    const again = preset.create(double.settings, { fetch: double.fetch ?? undefined });
    const token = await double.tokenFor('268473310986240001', testStart);
    // Discord documents no access token that is good for one question alone.
    for (let time = 0; time < 2; time += 1) expect(await again.verify(token, context)).not.toBeNull();
  });
});

describe('the preset of Discord, by code', () => {
  it('exchanges a code once, and refuses it the second time', async () => {
    const { settings, fetch, tokenFor } = discordDouble('code');
    const check = preset.create(settings, { fetch: fetch ?? undefined });
    const code = await tokenFor('268473310986240001', testStart);
    expect(await check.verify(code, context)).toEqual({ id: '268473310986240001' });
    expect(await check.verify(code, context)).toBeNull();
    expect(await failedStep(check, code)).toMatchObject({
      detail: 'The code is wrong, was used before, or is too old.',
    });
  });

  it('refuses the code of another application, which got another redirect address', async () => {
    const { settings, fetch, tokenFor, tokenForAnotherApp } = discordDouble('code');
    const check = preset.create(settings, { fetch: fetch ?? undefined });
    expect((await failedStep(check, await tokenForAnotherApp('1', testStart)))?.step).toContain('this application');
    const elsewhere = preset.create(
      { ...settings, redirectUri: 'https://elsewhere.example' },
      { fetch: fetch ?? undefined },
    );
    expect((await failedStep(elsewhere, await tokenFor('1', testStart)))?.step).toContain('exchanges');
  });

  it('sends no redirect address for an Activity, whose code has none', async () => {
    const bodies: string[] = [];
    const fetch = async (request: Request) => {
      if (request.url === me) return Response.json({ application: { id: clientId }, user: { id: '2' } });
      bodies.push(await request.text());
      return Response.json({ access_token: 'x', token_type: 'Bearer' });
    };
    const verify = discord({ clientId, accepts: 'code', clientSecret: 's', fetch });
    expect(await verify('a&b=c', context)).toEqual({ id: '2' });
    expect(bodies).toEqual(['grant_type=authorization_code&code=a%26b%3Dc']);
  });

  it('calls no code wrong where the secret is', async () => {
    const { settings, fetch, tokenFor } = discordDouble('code');
    const check = preset.create({ ...settings, clientSecret: 'another' }, { fetch: fetch ?? undefined });
    const code = await tokenFor('1', testStart);
    await expect(check.verify(code, context)).rejects.toThrow('does not accept the application id and the secret');
  });

  it.each<[string, unknown]>([
    ['no access token', {}],
    ['one that no header can carry', { access_token: 'a\r\nb' }],
    ['an error of another kind', { error: 'unauthorized_client' }],
  ])('calls no code wrong where Discord gives %s', async (_, answer) => {
    const fetch = async (request: Request) => (request.url === exchange ? Response.json(answer) : Response.json({}));
    await expect(discord({ clientId, accepts: 'code', clientSecret: 's', fetch })('code', context)).rejects.toThrow(
      'Discord',
    );
  });

  it('needs the secret', () => {
    expect(() => discord({ clientId, accepts: 'code' })).toThrow('clientSecret must be given');
    expect(() => discord({ clientId: 'my-app' })).toThrow('clientId must be the number');
  });
});
