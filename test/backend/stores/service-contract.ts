import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../src/protocol/operations.js';
import { grouped, printFigures } from '../../support/figures.js';
import { type KeptConnections, keepConnections } from '../../support/kept-connections.js';
import { post, readEntries, signedRequest, signInGuest, type TestService } from '../../support/service.js';
import { type ServiceProcess, type StorePlace, storeProcesses } from '../../support/store-processes.js';
import { updateAtOnce, updates } from './update-at-once.js';

const timeout = process.env['PROVE'] === '1' ? 900_000 : 300_000;
const replays = process.env['PROVE'] === '1' ? 10_000 : 4_000;

export interface ServicePlan {
  /** How many processes share the store. */
  processes: number;
  /** Whether it survives its process. */
  survives: boolean;
}

/** What a service has to hold over HTTP, on whatever it keeps its data: real processes, and many requests at once. */
export function describeService(name: string, place: () => StorePlace, { processes, survives }: ServicePlan): void {
  describe(`a service ${name}`, () => {
    const programs = storeProcesses();
    const connections = keepConnections();
    let services: ServiceProcess[];
    const nth = (index: number): TestService => services[index % services.length] as TestService;
    const times = <Result>(count: number, go: (index: number) => Promise<Result>): Promise<Result[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => go(index)));

    beforeAll(async () => {
      services = [];
      for (let index = 0; index < processes; index += 1) services.push(await programs.serve(place()));
    });
    afterAll(async () => {
      connections.close();
      await programs.end();
    });

    it('makes one account of a hundred first sign-ins of one device at once', async () => {
      const players = await times(100, (index) => signInGuest(nth(index), 'device-of-hundred'));
      const accounts = new Set(players.map(({ userId }) => userId)).size;
      expect(accounts).toBe(1);
      printFigures(`first sign-in ${name}: ${players.length} at once, ${accounts} account`);
    });

    it('rotates a refresh token once for fifty at once, and ends the family of one used later', async () => {
      const player = await signInGuest(nth(0), 'device-of-fifty');
      const refresh = (token: string, index = 0) =>
        post(nth(index), operations.refreshSession.path, { refresh_token: token });
      const answers = await times(50, (index) => refresh(player.refreshToken, index));
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      const successors = new Set(answers.map(({ body }) => body.refreshToken as string));
      expect(successors.size).toBe(1);
      const [next = ''] = successors;
      const { body: last } = await refresh(next, 1);
      await refresh(last.refreshToken as string);
      for (const service of services) await service.advance(31_000);
      expect((await refresh(player.refreshToken, 1)).body.code).toBe('refresh_token_reused');
      expect((await refresh(last.refreshToken as string)).status).toBe(401);
      printFigures(`refresh ${name}: ${answers.length} at once, ${successors.size} successor, reuse ends the family`);
    });

    it('loses no update of fifty writers to one entry', { timeout }, async () => {
      const { player, versions, mismatches } = await updateAtOnce(services);
      const [entry] = (await readEntries(nth(0), player)).body;
      expect(versions).toEqual(Array.from({ length: updates }, (_, index) => index + 1));
      expect(entry).toMatchObject({ version: updates, value: { n: updates } });
      printFigures(
        `lost updates ${name}: ${grouped(entry.value.n)} of ${grouped(updates)} kept, ` +
          `versions ${versions[0]}..${versions.at(-1)}, ${grouped(mismatches)} mismatches`,
      );
    });

    it('accepts one of fifty identical requests at once', async () => {
      const [request] = await signedRequests(nth(0), 'i', 1);
      const answers = await times(50, (index) => repeat(connections, nth(index), request as Signed));
      expect(answers.sort()).toEqual(['accepted', ...Array.from({ length: 49 }, () => 'nonce_reused')]);
      printFigures(`identical requests ${name}: ${answers.length} at once, 1 accepted`);
    });

    it(`accepts none of ${grouped(replays)} replays${survives ? ', a restart between them' : ''}`, {
      timeout,
    }, async () => {
      const requests = await signedRequests(nth(0), 'r', 100);
      const answers: string[] = [];
      const sendAll = (round: number) =>
        Promise.all(requests.map((request, index) => repeat(connections, nth(index + round), request)));
      expect(new Set(await sendAll(0))).toEqual(new Set(['accepted']));
      const half = replays / requests.length / 2;
      for (let round = 0; round < half; round += 1) answers.push(...(await sendAll(round)));
      if (survives) {
        for (const service of services) await service.kill();
        for (const index of services.keys()) services[index] = await programs.serve(place());
      }
      for (let round = 0; round < half; round += 1) answers.push(...(await sendAll(round)));
      expect(answers).toHaveLength(replays);
      expect([...new Set(answers)]).toEqual(['nonce_reused']);
      const where = [processes > 1 ? `${processes} processes` : '', survives ? 'half of them after a restart' : ''];
      const said = [`${grouped(answers.length)} sent, 0 accepted`, ...where].filter((part) => part !== '');
      printFigures(`replays ${name}: ${said.join(', ')}`);
    });
  });
}

interface Signed {
  path: string;
  headers: Record<string, string>;
  text: string;
}

/** Each with a nonce of its own. */
async function signedRequests(service: TestService, letter: string, count: number): Promise<Signed[]> {
  const nonces = Array.from({ length: count }, (_, index) => `${index}`.padStart(32, letter));
  return Promise.all(
    nonces.map(async (nonce) => {
      const request = await signedRequest(service, { nonce });
      return {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        text: await request.text(),
      };
    }),
  );
}

/** Sends a signed request, as often as one likes, to any process. */
async function repeat(
  connections: KeptConnections,
  { baseUrl }: TestService,
  { path, headers, text }: Signed,
): Promise<string> {
  const { status, body } = await connections.send(`${baseUrl}${path}`, { method: 'POST', headers, text });
  return status === 200 ? 'accepted' : (body.code ?? String(status));
}
