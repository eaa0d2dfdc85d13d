import { pathOf } from '../../../src/protocol/addresses.js';
import { operations } from '../../../src/protocol/operations.js';
import { post, send, signedRequest, signInGuest, type TestService, writeEntry } from '../../support/service.js';

const players = 24;
const names = 16;
const password = 'correct horse';

/** What the crowd was told, and what has to come true of it. */
export interface CrowdReport {
  /** How many times each step was taken to its end. */
  steps: Map<string, number>;
  /** Raises that were answered, by account. */
  raised: Map<string, number>;
  /** What should not have been. */
  wrong: string[];
}

interface Player {
  deviceId: string;
  userId: string;
  accessToken: string;
  refreshToken: string;
}

type Body = { [member: string]: unknown };

/**
 * Devices that share names, each with requests at two processes at once: first sign-ins, refreshes, links, conflicts and
 * choices in them, writes and replays. Whose turn it is to do what comes from `random`.
 */
export async function letCrowdIn(
  services: readonly [TestService, TestService],
  { rounds, random }: { rounds: number; random: (below: number) => number },
): Promise<CrowdReport> {
  const report: CrowdReport = { steps: new Map(), raised: new Map(), wrong: [] };
  const count = (step: string): void => void report.steps.set(step, (report.steps.get(step) ?? 0) + 1);
  const any = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  let devices = 0;
  let nonces = 0;

  /** A refusal is an answer; a failure of the service is none. */
  function sound<Answer extends { status: number; body: Body }>(answer: Answer): Answer {
    const { status, body } = answer;
    if (status >= 500 && !(status === 503 && body['code'] === 'unavailable')) {
      report.wrong.push(`${status} ${String(body['code'])}`);
    }
    if (status === 503) count('503');
    return answer;
  }

  async function both(path: string, body: Body, request: { token?: string; deviceId: string }) {
    const answers = services.map((service) => post<Body>(service, path, body, request));
    return (await Promise.all(answers)).map(sound);
  }

  /** All that are let in are let into one account, and with one refresh token where it is one session. */
  function agree(step: string, values: readonly unknown[]): void {
    if (new Set(values).size > 1) report.wrong.push(`${step}: ${new Set(values).size} answers for one`);
    if (values.length > 0) count(step);
  }

  const isIn = ({ status }: { status: number }): boolean => status === 200;
  const adopt = (player: Player, body: Body): void => {
    Object.assign(player, {
      userId: body['userId'],
      accessToken: body['accessToken'],
      refreshToken: body['refreshToken'],
    });
  };

  const steps: { [step: string]: (player: Player) => Promise<void> } = {
    async 'first sign-in'() {
      devices += 1;
      const deviceId = `new-device-${devices}`;
      const answers = [
        ...(await both(operations.signInAsGuest.path, {}, { deviceId })),
        ...(await both(operations.signInAsGuest.path, {}, { deviceId })),
      ];
      agree(
        'first sign-in',
        answers.filter(isIn).map(({ body }) => body['userId']),
      );
    },

    async refresh(player) {
      const answers = await both(operations.refreshSession.path, { refresh_token: player.refreshToken }, player);
      const renewed = answers.filter(isIn);
      agree(
        'refresh',
        renewed.map(({ body }) => body['refreshToken']),
      );
      // The player has the latest token: whoever says otherwise has rotated twice.
      if (answers.some(({ body }) => body['code'] === 'refresh_token_reused')) report.wrong.push('refresh: reused');
      // A choice elsewhere may have ended the session: then the device comes back as whoever it leads to.
      if (renewed[0] === undefined) adopt(player, { ...(await signInGuest(any(services), player.deviceId)) });
      else adopt(player, renewed[0].body);
    },

    async link(player) {
      const { accessToken: token, deviceId } = player;
      // Two names at once, or twice the same: of one account only one may come to be.
      const linking = services.map((service) => {
        const credential = { username: `name-${random(names)}`, password };
        return post<Body>(service, operations.signInWithName.path, credential, { token, deviceId });
      });
      const answers = (await Promise.all(linking)).map(sound);
      if (answers.some(isIn)) count('link');
      const conflict = answers.find(({ body }) => body['code'] === 'profile_conflict')?.body['conflict'] as
        | { ticket: string }
        | undefined;
      if (conflict === undefined) return;
      const choice = any(['local', 'cloud']);
      const chosen = await both(operations.resolveConflict.path, { ticket: conflict.ticket, choice }, { deviceId });
      const reached = chosen.filter(isIn);
      agree(
        choice,
        reached.map(({ body }) => body['userId']),
      );
      if (reached[0] !== undefined) adopt(player, reached[0].body);
    },

    async unlink(player) {
      const { accessToken: token } = player;
      const methods = any([
        ['name', 'name'],
        ['name', 'device'],
      ]);
      const unlinking = services.map((service, at) =>
        send<Body>(service, pathOf(operations.unlinkMethod, { method: methods[at] as string }), {
          method: 'DELETE',
          token,
        }),
      );
      const answers = (await Promise.all(unlinking)).map(sound);
      if (answers.some(({ status }) => status < 300)) count('unlink');
    },

    async raise(player) {
      const { userId, accessToken } = player;
      let known = { version: -1, n: 0 };
      for (;;) {
        const value = { n: known.n + 1 };
        const isNew = known.version === -1;
        const answer = sound(
          isNew
            ? await create(player, value)
            : await writeEntry(any(services), { accessToken }, { value, version: known.version }),
        );
        if (answer.status === 200) {
          report.raised.set(userId, (report.raised.get(userId) ?? 0) + 1);
          count('raise');
          return;
        }
        const { code, currentVersion, currentValue } = answer.body;
        if (code !== 'version_mismatch') return;
        known = { version: currentVersion, n: currentValue?.n ?? 0 };
      }
    },

    async replay() {
      nonces += 1;
      const request = await signedRequest(any(services), {
        nonce: `${nonces}`.padStart(32, 'c'),
        body: { custom_user_id: `custom-${random(names)}`, device_id: `device-of-custom-${random(names)}` },
      });
      const body = await request.text();
      const { pathname } = new URL(request.url);
      const sent = [...services, ...services].map(async ({ baseUrl, fetch }) => {
        const { method, headers } = request;
        const answer = await fetch(new Request(`${baseUrl}${pathname}`, { method, headers, body }));
        return sound({ status: answer.status, body: (await answer.json()) as Body });
      });
      const accepted = (await Promise.all(sent)).filter(isIn).length;
      if (accepted !== 1) report.wrong.push(`replay: ${accepted} accepted`);
      count('replay');
    },
  };

  async function create(player: Player, value: object) {
    const path = `${pathOf(operations.updateEntry, { game: services[0].gameId, collection: 'progress', key: 'main' })}?env=0`;
    const { accessToken: token } = player;
    return send(any(services), path, {
      method: 'PATCH',
      token,
      body: { value, version: -1 },
      headers: { 'If-None-Match': '*' },
    });
  }

  const order = ['first sign-in', 'refresh', 'link', 'link', 'unlink', 'raise', 'raise', 'raise', 'replay'];
  await Promise.all(
    Array.from({ length: players }, async (_, at) => {
      const deviceId = `device-${at % (players / 2)}`;
      const player: Player = { deviceId, ...(await signInGuest(any(services), deviceId)) };
      for (let round = 0; round < rounds; round += 1) await steps[any(order)]?.(player);
    }),
  );
  return report;
}
