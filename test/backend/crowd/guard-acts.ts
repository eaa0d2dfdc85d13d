import { pathOf } from '../../../src/protocol/addresses.js';
import { operations } from '../../../src/protocol/operations.js';
import { post, send, writeEntry } from '../../support/service.js';
import {
  type Account,
  addSession,
  alive,
  count,
  type Entered,
  end,
  enter,
  expectStatus,
  moveTo,
  newDevice,
  next,
  note,
  type Person,
  type Session,
} from './person.js';
import type { Told } from './processes.js';
import { leave } from './session-acts.js';
import { alongside, anyAlive, expectIn, knock, newText, write } from './writing.js';

/** Each account may have one collection, so that the quota can be met by one write. */
export const crowdQuotas = { collections: 1 };

/** What guards an account: a login method that is shown once more, devices that are thrown out, and quotas. */
export const guardActs: { [act: string]: (person: Person) => Promise<void> } = {
  async 'a way is shown once more'(person) {
    const session = anyAlive(person);
    await alongside(person, () => showAgain(person, session));
    await expectIn(person, session);
  },

  async 'a device is revoked'(person) {
    const session = anyAlive(person);
    const { account, device } = session;
    const own = (await listDevices(person, session)).find(({ isCurrent }) => isCurrent);
    if ((own !== undefined) !== account.devices.has(device)) person.wrong(`${device} is listed as another one`);
    if (own === undefined) return;
    const isLast = account.ways.size + account.devices.size === 1;
    const came = alive(person, account).filter((one) => one !== session && one.device === device);
    await alongside(person, async () => {
      const path = pathOf(operations.revokeDevice, { device: own.id });
      const told = await person.processes.ask((service) =>
        send(service, path, { method: 'DELETE', token: session.accessToken }),
      );
      note(person, `session ${session.id} revokes ${device}: ${told.status}, ${told.lost} lost`);
      if (isLast) return void expectStatus(person, 'the last device is revoked', told, 'would_orphan');
      if (!expectStatus(person, 'a device is revoked', told, ...(told.lost > 0 ? [204, 404] : [204]))) return;
      end(came);
      account.devices.delete(device);
    });
    for (const one of isLast ? [] : came.slice(0, 2)) await knock(person, one);
    await expectIn(person, session);
  },

  async 'the others are signed out'(person) {
    const session = anyAlive(person);
    const { account, device } = session;
    const since = Date.now();
    // What a thief would have linked.
    const stranger = newDevice(person);
    const linked = await asRecent(person, session, () => enter(person, 'device', { device: stranger, session }));
    if (linked === null || !expectStatus(person, 'a device is linked', linked, 200)) return;
    // It may come from that device now, which then is what the player has shown, and stays.
    if (linked.lost > 0) {
      account.devices.add(stranger);
      return leave(person, session);
    }
    const { by, code, before } = session;
    const all = alive(person, account);
    const told = await alongside(person, async () => {
      const request = { unlink_since: since };
      const { accessToken: token } = session;
      const answer = await person.processes.ask<Entered>((service) =>
        post<Entered>(service, operations.signOutOthers.path, request, { token, deviceId: device }),
      );
      // The session that asks has ended by a try whose answer got lost.
      const isDone = answer.status === 200 || (answer.status === 401 && answer.lost > 0);
      if (isDone) end(all);
      else person.wrong(`the others are signed out: ${answer.status} ${answer.body.code ?? ''}`);
      return answer;
    });
    note(person, `session ${session.id} signs out the others of ${account.userId}: ${told.status}, ${told.lost} lost`);
    if (told.status === 200) {
      const added = addSession(person, told.body, { account, device, by });
      Object.assign(added, { code, before });
      await expectIn(person, added);
      await listDevices(person, added);
    }
    for (const one of all.slice(0, 3)) await knock(person, one);
  },

  async 'look at what is used'(person) {
    const session = anyAlive(person);
    const { account } = session;
    await listDevices(person, session);
    const told = await person.processes.ask((service) =>
      send(service, operations.readUsage.path, { token: session.accessToken }),
    );
    if (!expectStatus(person, 'usage', told, 200)) return;
    const { devices, sessions, collections } = told.body;
    if (devices.used !== account.devices.size) person.wrong(`${devices.used} devices of ${account.devices.size}`);
    // Those whose answers got lost are nobody's, and there.
    if (sessions.used < alive(person, account).length) person.wrong(`${sessions.used} sessions are used`);
    if (collections.used > crowdQuotas.collections) person.wrong(`${collections.used} collections are used`);
  },

  async 'a quota refuses'(person) {
    const session = anyAlive(person);
    const { account } = session;
    const key = `of-session-${session.id}`;
    await write(person, { account, session }, { key, text: newText(person, key), version: -1 });
    const collection = `one-too-many-${next(person)}`;
    const told = await Promise.all(
      ([0, 1] as const).map((at) =>
        person.processes.ask((service) => writeEntry(service, session, { collection, version: -1 }), at),
      ),
    );
    for (const { status, body } of told) {
      const said = [status, body.code, body.quota, body.limit, body.used].join();
      if (said !== '403,quota_exceeded,collections,1,1') person.wrong(`a collection too many: ${said}`);
    }
    await expectIn(person, session);
  },
};

/** The devices of the session's account, which are as many as there should be. */
async function listDevices(person: Person, session: Session): Promise<{ id: string; isCurrent: boolean }[]> {
  const { account } = session;
  const told = await person.processes.ask((service) =>
    send(service, operations.listDevices.path, { token: session.accessToken }),
  );
  if (!expectStatus(person, 'devices', told, 200)) return [];
  const { devices } = told.body;
  if (devices.length !== account.devices.size) {
    person.wrong(`${account.userId} has ${devices.length} devices, expected ${[...account.devices].join()}`);
  }
  return devices;
}

/**
 * Shows a login method of the account once more that counts: the oldest, for all were linked just now. False where the
 * person cannot show it.
 */
async function showAgain(person: Person, session: Session): Promise<boolean> {
  const way = [...session.account.ways].find((one) => one !== 'recovery');
  if (way !== 'name' && way !== 'social') return false;
  const { device } = session;
  const told = await enter(person, way, { device, session, intent: 'reauthenticate' });
  note(person, `session ${session.id} shows ${way} once more: ${told.status}, ${told.lost} lost`);
  if (!expectStatus(person, `${way} is shown once more`, told, 200)) return false;
  const { accessToken, refreshToken } = told.body;
  moveTo(session, way);
  Object.assign(session, { accessToken, refreshToken });
  count(person, 'shown once more');
  return true;
}

/**
 * Asks for what wants a recent authentication. A session that came from the device alone is refused in an account that
 * has something better, and asks again once that was shown; null where only the game's back end could show it.
 */
export async function asRecent<Body extends { code?: string } | undefined>(
  person: Person,
  session: Session,
  ask: () => Promise<Told<Body>>,
): Promise<Told<Body> | null> {
  const told = await ask();
  if (told.body?.code !== 'reauthentication_required') return told;
  if (isGuests(session.account)) person.wrong(`session ${session.id}: the device is enough for a guest`);
  count(person, 'was not recent');
  return (await showAgain(person, session)) ? ask() : null;
}

function isGuests({ ways }: Account): boolean {
  return [...ways].every((way) => way === 'recovery');
}
