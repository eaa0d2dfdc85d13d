import { pathOf } from '../../../src/protocol/addresses.js';
import { operations } from '../../../src/protocol/operations.js';
import { post, send } from '../../support/service.js';
import { asRecent } from './guard-acts.js';
import {
  type Account,
  accountOf,
  addSession,
  alive,
  any,
  cameFrom,
  count,
  end,
  enter,
  expectStatus,
  moveTo,
  newDevice,
  next,
  note,
  ownerOfDevice,
  ownerOfWay,
  type Person,
} from './person.js';
import { leave, waysToLink } from './session-acts.js';
import { alongside, anyAlive, expectIn, knock, readAs } from './writing.js';

/** What a person does with accounts, while others of the person's sessions write. */
export const accountActs: { [act: string]: (person: Person) => Promise<void> } = {
  async 'link at both at once'(person) {
    const session = anyAlive(person);
    const { account, device } = session;
    const free = waysToLink.filter((way) => ownerOfWay(person, way) === undefined && !account.ways.has(way));
    const way = any(person, free);
    if (way === undefined) return;
    await alongside(person, async () => {
      const told = await Promise.all(([0, 1] as const).map((at) => enter(person, way, { device, session }, at)));
      note(person, `session ${session.id} links ${way}: ${told.map(({ status }) => status).join(', ')}`);
      for (const one of told) {
        if (expectStatus(person, `${way} is linked`, one, 200)) accountOf(person, one.body.userId, account);
      }
      // The second one found it linked: the player has shown it once more, and the session comes from it from now on. Beside an
      // older method one that was linked just now does not count, and the session stays what it was.
      if ([...account.ways].every((other) => other === 'recovery')) moveTo(session, way);
      account.ways.add(way);
    });
  },

  async 'a way makes an account, at both at once'(person) {
    const way = any(
      person,
      waysToLink.filter((free) => ownerOfWay(person, free) === undefined),
    );
    if (way === undefined) return;
    const device = newDevice(person);
    const told = await Promise.all(([0, 1] as const).map((at) => enter(person, way, { device }, at)));
    if (!told.every((one) => expectStatus(person, `${way} makes an account`, one, 200))) return;
    const ids = [...new Set(told.map(({ body }) => body.userId))];
    if (ids.length > 1) return person.wrong(`one ${way} made ${ids.length} accounts`);
    const account = accountOf(person, ids[0] ?? '', 'new');
    account.ways.add(way);
    for (const { body } of told) addSession(person, body, { account, device, by: way });
    note(person, `${way} makes ${account.userId}`);
  },

  async 'link a device'(person) {
    const session = anyAlive(person);
    const device = newDevice(person);
    const told = await asRecent(person, session, () => enter(person, 'device', { device, session }));
    if (told === null || !expectStatus(person, 'a device is linked', told, 200)) return;
    session.account.devices.add(device);
    // Nobody knows whether an answer that got lost had linked it: then this session comes from the new device.
    if (told.lost > 0) await leave(person, session);
  },

  async unlink(person) {
    const session = anyAlive(person);
    const { account } = session;
    const what = any(person, [...account.ways, ...(account.devices.size > 0 ? (['device'] as const) : [])]);
    if (what === undefined) return;
    const isLast = account.ways.size + (account.devices.size > 0 ? 1 : 0) === 1;
    const came = alive(person, account).filter((one) => one !== session && cameFrom(person, one, what));
    await alongside(person, async () => {
      const path = pathOf(operations.unlinkMethod, { method: what });
      const told = await asRecent(person, session, () =>
        person.processes.ask((service) => send(service, path, { method: 'DELETE', token: session.accessToken })),
      );
      if (told === null) return void came.splice(0);
      note(person, `session ${session.id} unlinks ${what}: ${told.status}, ${told.lost} lost`);
      if (isLast) return void expectStatus(person, `the last way, ${what}, is unlinked`, told, 'would_orphan');
      if (!expectStatus(person, `${what} is unlinked`, told, ...(told.lost > 0 ? [200, 404] : [200]))) return;
      end(came);
      if (what === 'device') account.devices.clear();
      else account.ways.delete(what);
      if (what === 'recovery') [person.formerCode, person.code] = [person.code, null];
      if (what === 'name') person.formerPasswords = [];
    });
    for (const one of isLast ? [] : came.slice(0, 2)) await knock(person, one);
  },

  async 'a new password'(person) {
    const account = ownerOfWay(person, 'name');
    const session = any(person, account === undefined ? [] : alive(person, account));
    if (account === undefined || session === undefined) return;
    const [from, to] = [person.password, `password-of-${person.id}-${next(person)}`];
    const came = alive(person, account).filter((one) => one !== session && cameFrom(person, one, 'name'));
    await alongside(person, async () => {
      const request = { old_password: from, new_password: to };
      const told = await person.processes.ask((service) =>
        post(service, operations.changePassword.path, request, { token: session.accessToken }),
      );
      note(person, `session ${session.id} changes the password: ${told.status}, ${told.lost} lost`);
      if (!expectStatus(person, 'a new password', told, 204)) return;
      end(came);
      person.formerPasswords.push(from);
      person.password = to;
    });
    for (const one of came.slice(0, 2)) await knock(person, one);
    await expectIn(person, session);
  },

  async 'a new recovery code'(person) {
    const session = anyAlive(person);
    const { account } = session;
    const owner = ownerOfWay(person, 'recovery');
    // The model knows of one code at a time.
    if (owner !== undefined && owner !== account) return;
    const came = alive(person, account).filter((one) => one !== session && cameFrom(person, one, 'recovery'));
    await alongside(person, async () => {
      const told = await asRecent(person, session, () =>
        person.processes.ask((service) =>
          send(service, operations.makeRecoveryCode.path, { method: 'POST', token: session.accessToken }),
        ),
      );
      if (told === null) came.splice(0);
      if (told === null || !expectStatus(person, 'a recovery code', told, 200)) return;
      end(came);
      account.ways.add('recovery');
      [person.formerCode, person.code] = [person.code, told.body.code];
    });
    for (const one of came.slice(0, 2)) await knock(person, one);
  },

  async 'delete, and restore'(person) {
    const session = anyAlive(person);
    const { account } = session;
    const owner = ownerOfWay(person, 'recovery');
    if (owner !== undefined && owner !== account) return;
    const all = alive(person, account);
    const devices = [...account.devices];
    await alongside(person, async () => {
      const told = await asRecent(person, session, () =>
        person.processes.ask((service) =>
          send(service, operations.deleteAccount.path, { method: 'DELETE', token: session.accessToken }),
        ),
      );
      if (told === null) return;
      note(person, `session ${session.id} deletes ${account.userId}: ${told.status}, ${told.lost} lost`);
      if (!expectStatus(person, 'deletion', told, 200)) return;
      end(all);
      account.isDeleted = true;
      account.devices.clear();
      account.ways.add('recovery');
      [person.formerCode, person.code] = [person.code, told.body.recoveryCode];
    });
    if (!account.isDeleted) return;
    for (const one of all.slice(0, 2)) await knock(person, one);
    const ways = (['name', 'social', 'recovery'] as const).filter((way) => account.ways.has(way));
    for (const way of ways) {
      const refused = await enter(person, way, { device: newDevice(person) });
      expectStatus(person, `${way} leads to a deleted account`, refused, 'account_deleted');
    }
    const device = any(person, [newDevice(person), ...devices]);
    await restore(person, account, { way: any(person, ways), device });
  },

  async 'look at the account'(person) {
    const session = anyAlive(person);
    const { account } = session;
    const told = await person.processes.ask((service) =>
      send(service, operations.readAccount.path, { token: session.accessToken }),
    );
    if (!expectStatus(person, 'account', told, 200)) return;
    accountOf(person, told.body.userId, account);
    const methods = told.body.methods.map(({ method }: { method: string }) => method).sort();
    const expected = [...account.ways, ...[...account.devices].map(() => 'device')].sort();
    if (methods.join() !== expected.join()) person.wrong(`methods are ${methods.join()}, expected ${expected.join()}`);
  },
};

async function restore(
  person: Person,
  account: Account,
  { way, device }: { way: 'name' | 'social' | 'recovery'; device: string },
): Promise<void> {
  const told = await enter(person, way, { device, restore: true });
  note(person, `${way} restores ${account.userId} on ${device}: ${told.status}, ${told.lost} lost`);
  if (!expectStatus(person, `${way} restores`, told, 200)) return;
  account.isDeleted = false;
  if (ownerOfDevice(person, device) === undefined) account.devices.add(device);
  const entered = accountOf(person, told.body.userId, account);
  const session = addSession(person, told.body, { account: entered, device, by: way });
  const status = await readAs(person, session);
  expectStatus(person, 'a restored account is read', { status, body: undefined }, 200);
  count(person, 'restored');
}
