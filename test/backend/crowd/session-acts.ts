import { operations } from '../../../src/protocol/operations.js';
import { post, send, signedRequest } from '../../support/service.js';
import {
  accountOf,
  addSession,
  alive,
  any,
  count,
  type Entered,
  end,
  enter,
  enterByGame,
  expectStatus,
  newDevice,
  next,
  note,
  ownerOfDevice,
  ownerOfWay,
  type Person,
  type Session,
  type Way,
} from './person.js';
import { alongside, anyAlive, expectIn, knock } from './writing.js';

/** What a person does with sessions. */
export const sessionActs: { [act: string]: (person: Person) => Promise<void> } = {
  async 'a first sign-in, four times at once'(person) {
    const device = newDevice(person);
    const told = await Promise.all(([0, 1, 0, 1] as const).map((at) => enter(person, 'device', { device }, at)));
    const ids = new Set(told.map(({ body }) => body.userId));
    if (ids.size > 1) return person.wrong(`one device made ${ids.size} accounts`);
    const [first] = told;
    if (first === undefined || !expectStatus(person, 'first sign-in', first, 200)) return;
    const account = accountOf(person, first.body.userId, 'new');
    account.devices.add(device);
    for (const { body } of told) addSession(person, body, { account, device, by: 'device' });
    note(person, `${device} makes ${account.userId}`);
  },

  async 'a device enters again'(person) {
    const account = any(person, person.accounts);
    const [device] = account.devices;
    if (device === undefined) return;
    const told = await enter(person, 'device', { device });
    if (!expectStatus(person, `${device} enters`, told, 200)) return;
    addSession(person, told.body, { account: accountOf(person, told.body.userId, account), device, by: 'device' });
  },

  async 'a way leads in'(person) {
    const ways = (['name', 'social', 'recovery'] as const).filter((way) => ownerOfWay(person, way) !== undefined);
    const by = any(person, ways);
    const account = ownerOfWay(person, by);
    if (account === undefined) return;
    const device =
      person.random(2) === 0 ? newDevice(person) : (any(person, person.sessions)?.device ?? newDevice(person));
    const told = await enter(person, by, { device });
    if (account.isDeleted) {
      expectStatus(person, `${by} leads to a deleted account`, told, 'account_deleted');
      return;
    }
    if (!expectStatus(person, `${by} leads in`, told, 200)) return;
    addSession(person, told.body, { account: accountOf(person, told.body.userId, account), device, by });
    note(person, `${by} leads to ${account.userId} on ${device}`);
  },

  async 'the game signs in at both'(person) {
    const device = person.random(2) === 0 ? newDevice(person) : anyAlive(person).device;
    const owner = ownerOfWay(person, 'custom');
    const guest = ownerOfDevice(person, device);
    const isGuest = guest !== undefined && [...guest.ways].every((way) => way === 'recovery');
    const told = await Promise.all(([0, 1] as const).map((at) => enterByGame(person, device, at)));
    if (owner?.isDeleted) {
      for (const one of told) expectStatus(person, 'the game enters a deleted account', one, 'account_deleted');
      return;
    }
    if (!told.every((one) => expectStatus(person, 'the game enters', one, 200))) return;
    const ids = new Set(told.map(({ body }) => body.userId));
    if (ids.size > 1) return person.wrong(`one custom id made ${ids.size} accounts`);
    const [userId = ''] = ids;
    const account = accountOf(person, userId, owner ?? (isGuest ? guest : 'new'));
    account.ways.add('custom');
    if (guest === undefined) account.devices.add(device);
    for (const { body } of told) addSession(person, body, { account, device, by: 'custom' });
    note(person, `the game enters ${userId} on ${device}`);
  },

  async 'a signed request is copied'(person) {
    const account = ownerOfWay(person, 'custom');
    const [device] = account?.devices ?? [];
    if (account === undefined || account.isDeleted || device === undefined) return;
    const nonce = `${person.id}-${next(person)}`.padEnd(32, '-');
    const body = { custom_user_id: person.id, device_id: device };
    const statuses: number[] = [];
    let lost = 0;
    const copies = ([0, 1, 0, 1] as const).map(async (at) => {
      // The same signature each time: it does not cover the address.
      const told = await person.processes.ask(async (service) => {
        const answer = await service.fetch(await signedRequest(service, { nonce, body }));
        return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Entered };
      }, at);
      statuses.push(told.status);
      lost += told.lost;
      expectStatus(person, 'a copied request', told, 200, 'nonce_reused');
      if (told.status !== 200) return;
      addSession(person, told.body, { account: accountOf(person, told.body.userId, account), device, by: 'custom' });
    });
    await Promise.all(copies);
    const accepted = statuses.filter((status) => status === 200).length;
    if (accepted > 1 || (accepted === 0 && lost === 0)) person.wrong(`a nonce was accepted ${accepted} times`);
  },

  async 'refresh at both at once'(person) {
    const session = anyAlive(person);
    const told = await Promise.all(
      ([0, 1, 0, 1] as const).map((at) => refresh(person, session, session.refreshToken, at)),
    );
    const tokens = new Set(told.map(({ body }) => body.refreshToken));
    if (!told.every((one) => expectStatus(person, `refresh of session ${session.id}`, one, 200))) return;
    if (tokens.size > 1) person.wrong(`session ${session.id}: one refresh token has ${tokens.size} successors`);
    for (const { body } of told) accountOf(person, body.userId, session.account);
    adopt(session, told[0]?.body);
    await expectIn(person, session);
  },

  async 'a refresh token is used too late'(person) {
    const session = anyAlive(person);
    const old = session.refreshToken;
    for (let successor = 1; successor <= 3; successor += 1) {
      const told = await refresh(person, session, session.refreshToken);
      if (!expectStatus(person, `refresh ${successor} of session ${session.id}`, told, 200)) return;
      adopt(session, told.body);
    }
    await alongside(person, async () => {
      const told = await refresh(person, session, old);
      // The first of two tries has ended it.
      const expected = told.lost > 0 ? ['refresh_token_reused', 'unauthorized'] : ['refresh_token_reused'];
      if (expectStatus(person, `old token of session ${session.id}`, told, ...expected)) end([session]);
    });
    await expectOver(person, session);
  },

  async 'a used refresh token gives the same again'(person) {
    const session = anyAlive(person);
    const old = session.refreshToken;
    const first = await refresh(person, session, old);
    if (!expectStatus(person, `refresh of session ${session.id}`, first, 200)) return;
    adopt(session, first.body);
    const again = await refresh(person, session, old);
    if (!expectStatus(person, `the same refresh of session ${session.id}`, again, 200)) return;
    if (again.body.refreshToken !== first.body.refreshToken) {
      person.wrong(`session ${session.id}: a used token has another successor`);
    }
  },

  async 'sign out'(person) {
    const session = anyAlive(person);
    const withRefresh = person.random(2) === 0;
    await alongside(person, async () => {
      const { status } = await person.processes.ask((service) =>
        withRefresh
          ? post(service, operations.signOut.path, { refresh_token: session.refreshToken })
          : post(service, operations.signOut.path, {}, { token: session.accessToken }),
      );
      if (status === 204) end([session]);
      else person.wrong(`sign-out: ${status}`);
    });
    await expectOver(person, session);
  },

  async 'sign out everywhere'(person) {
    const session = anyAlive(person);
    const all = alive(person, session.account);
    await alongside(person, async () => {
      const told = await person.processes.ask((service) =>
        post(service, operations.signOut.path, { everywhere: true }, { token: session.accessToken }),
      );
      if (told.status === 204 || (told.status === 401 && told.lost > 0)) end(all);
      else person.wrong(`sign-out everywhere: ${told.status}`);
    });
    note(person, `session ${session.id} ends all of ${session.account.userId}: ${all.map(({ id }) => id).join(', ')}`);
    for (const one of all.slice(0, 3)) await expectOver(person, one);
  },

  async 'an ended session knocks'(person) {
    const ended = person.sessions.filter(({ isAlive }) => !isAlive);
    if (ended.length > 0) await expectOver(person, any(person, ended));
  },

  async 'somebody else tries'(person) {
    const session = anyAlive(person);
    const [head = '', claims = '', signature = ''] = session.accessToken.split('.');
    const other = Buffer.from(claims, 'base64url').toString().replace(session.account.userId, newId(person));
    const forged = [head, Buffer.from(other).toString('base64url'), signature].join('.');
    const tokens = [forged, session.refreshToken, `${session.accessToken}x`, 'junk'];
    for (const token of tokens) {
      const told = await person.processes.ask((service) => send(service, operations.readAccount.path, { token }));
      expectStatus(person, 'a forged token', told, 401);
    }
    const wrong = [
      ...person.formerPasswords.slice(-1).map((password) => ['name', { password }] as const),
      ...(person.formerCode === null ? [] : [['recovery', { code: person.formerCode }] as const]),
    ];
    for (const [way, credential] of wrong) {
      if (way === 'name' && ownerOfWay(person, way) === undefined) continue;
      const told = await enter(person, way, { device: newDevice(person), ...credential });
      expectStatus(person, `a former ${way} credential`, told, 'invalid_credentials');
    }
  },
};

/** A UUID that is nobody's. */
function newId(person: Person): string {
  return `00000000-0000-4000-8000-${String(next(person)).padStart(12, '0')}`;
}

function refresh(person: Person, { id }: Session, token: string, at?: 0 | 1) {
  return person.processes
    .ask((service) => post<Entered>(service, operations.refreshSession.path, { refresh_token: token }), at)
    .then((told) => {
      note(person, `session ${id} is refreshed: ${told.status} ${told.body['code'] ?? ''}, ${told.lost} lost`);
      return told;
    });
}

function adopt(session: Session, body: Entered | undefined): void {
  if (body === undefined) return;
  session.accessToken = body.accessToken;
  session.refreshToken = body.refreshToken;
}

/** Neither token of an ended session does anything. */
async function expectOver(person: Person, session: Session): Promise<void> {
  const [told] = await Promise.all([refresh(person, session, session.refreshToken), knock(person, session)]);
  expectStatus(person, `session ${session.id}, which has ended, is refreshed`, told, 'unauthorized');
}

/** A person has a few sessions at a time: the oldest are left. */
export async function leaveOld(person: Person, atMost = 8): Promise<void> {
  const left = alive(person).slice(0, -atMost);
  for (const session of left) await leave(person, session);
  if (left.length > 0) count(person, 'old sessions left');
}

/** Signs out of a session that is not needed any more. */
export async function leave(person: Person, session: Session): Promise<void> {
  const { accessToken: token } = session;
  const { status } = await person.processes.ask((service) => post(service, operations.signOut.path, {}, { token }));
  if (status === 204) end([session]);
  else person.wrong(`session ${session.id} is left: ${status}`);
}

export const waysToLink: readonly Exclude<Way, 'custom' | 'recovery'>[] = ['name', 'social'];
