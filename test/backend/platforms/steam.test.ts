import { platformPresets, type SteamOptions, steam } from 'savepoint/backend/platforms';
import { describe, expect, it } from 'vitest';
import { testGameId, testStart } from '../../support/service.js';
import { steamDouble } from './doubles.js';

const context = { gameId: testGameId, environment: 0 as const, now: testStart };
const preset = platformPresets.find(({ name }) => name === 'steam') as (typeof platformPresets)[number];
const ada = '76561197960287930';

/** Steam, with some things changed in its answer and in the game's options. */
async function open({
  answer = {},
  ...options
}: Partial<SteamOptions> & { answer?: { [name: string]: unknown } } = {}) {
  const { settings, fetch, tokenFor, tokenForAnotherApp } = steamDouble(answer);
  const check = preset.create({ ...settings, ...(options as object) }, { fetch: fetch ?? undefined });
  return { check, ticket: await tokenFor(ada, testStart), foreign: await tokenForAnotherApp(ada, testStart) };
}

const failure = async ({ check, ticket }: Awaited<ReturnType<typeof open>>) =>
  (await check.explain(ticket, context)).steps.find(({ result }) => result === 'failed')?.detail;

describe('the preset of Steam', () => {
  it('asks with the key in a header, and with the app, the ticket and the identity in the address', async () => {
    const asked: string[] = [];
    const fetch = async (request: Request) => {
      asked.push(`${request.url} ${request.headers.get('x-webapi-key')}`);
      return Response.json({ response: { params: { result: 'OK', steamid: ada, ownersteamid: ada } } });
    };
    expect(await steam({ key: 'K', appId: '480', identity: 'a&b', fetch })('0aFF', context)).toEqual({ id: ada });
    expect(await steam({ key: 'K', appId: '480', host: 'public', fetch })('0aFF', context)).toEqual({ id: ada });
    const path = '/ISteamUserAuth/AuthenticateUserTicket/v1/?appid=480&ticket=0aFF';
    expect(asked).toEqual([
      `https://partner.steam-api.com${path}&identity=a%26b K`,
      `https://api.steampowered.com${path} K`,
    ]);
  });

  it('asks nobody about what is no hexadecimal', async () => {
    const fetch = () => Promise.reject(new Error('asked'));
    for (const ticket of ['0', 'xy', '0a ', '0a&appid=570', '%30']) {
      expect(await steam({ key: 'K', appId: '480', fetch })(ticket, context)).toBeNull();
    }
  });

  it('says that a ticket is for another app, or for another identity', async () => {
    const { check, foreign } = await open();
    expect(await check.verify(foreign, context)).toBeNull();
    expect(await failure({ check, ticket: foreign, foreign })).toBe('The ticket is for another app (102).');
    expect(await failure(await open({ identity: 'another-game' }))).toBe('Steam calls the ticket invalid (101).');
    const fetch = async () => Response.json({ response: { error: { errorcode: 3, errordesc: 'Invalid parameter' } } });
    expect(await steam({ key: 'K', appId: '480', fetch })('0a', context)).toBeNull();
  });

  it('takes only those errors for a refusal that the game names, where it names some', async () => {
    const fetchOf = (errorcode: number) => async () => Response.json({ response: { error: { errorcode } } });
    const verify = (errorcode: number) =>
      steam({ key: 'K', appId: '480', refusals: ['101', '102'], fetch: fetchOf(errorcode) })('0a', context);
    expect(await verify(101)).toBeNull();
    await expect(verify(3)).rejects.toThrow('Steam has an error that refuses no ticket here (3).');
    expect(() => steam({ key: 'K', appId: '480', refusals: ['x'] })).toThrow('refusals must be numbers of errors');
  });

  it('refuses by a ban, and by the owner of the copy, where the game wants that', async () => {
    const banned = { publisherbanned: true };
    const vac = { vacbanned: true };
    expect(await failure(await open({ answer: { ...banned, ...vac } }))).toBeUndefined();
    expect(await failure(await open({ answer: banned, bans: 'publisher' }))).toBe(
      'The publisher has banned the player.',
    );
    expect(await failure(await open({ answer: vac, bans: 'publisher' }))).toBeUndefined();
    expect(await failure(await open({ answer: vac, bans: 'all' }))).toBe('VAC has banned the player.');
    expect(await failure(await open({ answer: banned, bans: 'all' }))).toBe('The publisher has banned the player.');
    const shared = { ownersteamid: '76561197960265729' };
    expect(await failure(await open({ answer: shared }))).toBeUndefined();
    expect(await failure(await open({ answer: shared, familySharing: 'refuse' }))).toBe(
      'The copy belongs to somebody else.',
    );
    expect(await failure(await open({ familySharing: 'refuse' }))).toBeUndefined();
  });

  it.each<[string, Partial<SteamOptions> & { answer: { [name: string]: unknown } }]>([
    ['has a rounded number for the player', { answer: { steamid: Number(ada) } }],
    ['has no SteamID', { answer: { steamid: 'ada' } }],
    ['has nobody', { answer: { steamid: undefined } }],
    ['does not say whether there is a ban that counts', { answer: { publisherbanned: 'no' }, bans: 'publisher' }],
    ['does not say whose the copy is, where that counts', { answer: { ownersteamid: 0 }, familySharing: 'refuse' }],
  ])('does not know where the answer %s', async (_, changed) => {
    const { check, ticket } = await open(changed);
    await expect(check.verify(ticket, context)).rejects.toThrow('The answer');
  });

  it('refuses what Steam does not call OK', async () => {
    expect(await failure(await open({ answer: { result: 'Failed' } }))).toBe('Steam does not call the ticket OK.');
  });

  it('calls no ticket wrong where the key is', async () => {
    const { check, ticket } = await open({ key: 'ANOTHER' });
    await expect(check.verify(ticket, context)).rejects.toThrow('The answer (403) is a refusal.');
  });

  it('asks Steam each time: whether a ticket is good for one question alone is for Steam to say', async () => {
    const { fetch, settings, tokenFor } = steamDouble();
    let asked = 0;
    const check = preset.create(settings, {
      fetch: async (request) => {
        asked += 1;
        const answer = await (fetch ?? globalThis.fetch)(request);
        return asked === 1
          ? answer
          : Response.json({ response: { error: { errorcode: 101, errordesc: 'Invalid ticket' } } });
      },
    });
    const ticket = await tokenFor(ada, testStart);
    expect(await check.verify(ticket, context)).toEqual({ id: ada });
    expect(await check.verify(ticket, context)).toBeNull();
  });

  it('names what is wrong with its options', () => {
    for (const appId of ['0', 'x', '-1', '12345678901', '480&key=x']) {
      expect(() => steam({ key: 'K', appId })).toThrow('appId must be the number of the app');
    }
    expect(() => steam({ key: 'K K', appId: '480' })).toThrow('key must be without spaces');
    expect(() => steam({ key: 'K\u00e9', appId: '480' })).toThrow('key must be of printable ASCII');
  });
});
