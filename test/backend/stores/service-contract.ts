import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as playerPaths from '../../../src/protocol/player-paths.js';
import { post, readEntries, signedRequest, signInGuest, type TestService, writeEntry } from '../../support/service.js';
import { type ServiceProcess, type StorePlace, storeProcesses } from '../../support/store-processes.js';

const prove = process.env['PROVE'] === '1';

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
    let services: ServiceProcess[];
    const nth = (index: number): TestService => services[index % services.length] as TestService;
    const times = <Result>(count: number, go: (index: number) => Promise<Result>): Promise<Result[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => go(index)));

    beforeAll(async () => {
      services = [];
      for (let index = 0; index < processes; index += 1) services.push(await programs.serve(place()));
    });
    afterAll(() => programs.end());

    test('makes one account of a hundred first sign-ins of one device at once', async () => {
      const players = await times(100, (index) => signInGuest(nth(index), 'device-of-hundred'));
      expect(new Set(players.map(({ userId }) => userId)).size).toBe(1);
    });

    test('rotates a refresh token once for fifty at once, and ends the family of one used later', async () => {
      const player = await signInGuest(nth(0), 'device-of-fifty');
      const refresh = (token: string, index = 0) => post(nth(index), playerPaths.refresh, { refresh_token: token });
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
    });

    test('loses no update of fifty writers to one entry', { timeout: prove ? 900_000 : 60_000 }, async () => {
      const rounds = prove ? 100 : 2;
      const player = await signInGuest(nth(0), 'device-of-writers');
      const versions = await updateAtOnce(services, player, rounds);
      const [entry] = (await readEntries(nth(0), player)).body;
      expect(versions).toEqual(Array.from({ length: 50 * rounds }, (_, index) => index + 1));
      expect(entry).toMatchObject({ version: 50 * rounds, value: { n: 50 * rounds } });
    });

    test('accepts one of fifty identical requests at once', async () => {
      const request = await signedRequest(nth(0), { nonce: 'identical'.padEnd(32, '0') });
      const answers = await times(50, (index) => repeat(nth(index), request));
      expect(answers.sort()).toEqual(['accepted', ...Array.from({ length: 49 }, () => 'nonce_reused')]);
    });

    test('accepts none of thousands of replays', { timeout: prove ? 900_000 : 60_000 }, async () => {
      const [many, each] = prove ? [20, 500] : [20, 40];
      const requests = await times(many, (index) => signedRequest(nth(0), { nonce: `${index}`.padStart(32, 'r') }));
      const first = await Promise.all(requests.map((request) => repeat(nth(0), request)));
      expect(new Set(first)).toEqual(new Set(['accepted']));
      const seen = new Set<string>();
      for (let round = 0; round < each; round += 1) {
        const answers = await Promise.all(requests.map((request, index) => repeat(nth(index + round), request)));
        for (const answer of answers) seen.add(answer);
      }
      expect([...seen]).toEqual(['nonce_reused']);
      if (!survives) return;
      for (const service of services) await service.kill();
      for (const index of services.keys()) services[index] = await programs.serve(place());
      const later = await Promise.all(requests.map((request, index) => repeat(nth(index), request)));
      expect(new Set(later)).toEqual(new Set(['nonce_reused']));
    });
  });
}

/** Every writer raises one entry by one, again and again. Answers the versions that they were told, in order. */
export async function updateAtOnce(
  services: readonly TestService[],
  player: { accessToken: string },
  rounds: number,
): Promise<number[]> {
  const versions: number[] = [];
  await writeEntry(services[0] as TestService, player, { value: { n: 0 } });
  const writer = async (service: TestService): Promise<void> => {
    let known = { version: 0, n: 0 };
    for (let done = 0; done < rounds; ) {
      const n = known.n + 1;
      const { status, body } = await writeEntry(service, player, { value: { n }, version: known.version });
      if (status === 200) {
        versions.push(body.version as number);
        known = { version: body.version, n };
        done += 1;
      } else if (body.code === 'version_mismatch') {
        known = { version: body.currentVersion, n: body.currentValue.n };
      } else throw new Error(`${status} ${body.code}`);
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, index) => writer(services[index % services.length] as TestService)));
  return versions.sort((left, right) => left - right);
}

/** Sends a signed request, as often as one likes, to any process. */
async function repeat(service: TestService, request: Request): Promise<string> {
  const copy = request.clone();
  const path = new URL(copy.url).pathname;
  const { method, headers } = copy;
  const answer = await service.fetch(
    new Request(`${service.baseUrl}${path}`, { method, headers, body: await copy.text() }),
  );
  const body = (await answer.json()) as { code?: string };
  return answer.status === 200 ? 'accepted' : (body.code ?? String(answer.status));
}
