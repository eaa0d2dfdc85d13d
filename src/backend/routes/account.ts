import {
  addressRequest,
  passwordRequest,
  snapshotRequest,
  verificationRequest,
} from '../../protocol/player-requests.js';
import { memberText } from '../../protocol/value-text.js';
import {
  changePassword,
  deleteAccount,
  listDevices,
  listMethods,
  makeRecoveryCode,
  readAccount,
  revokeDevice,
  unlinkMethod,
} from '../accounts/accounts.js';
import { exportAccount } from '../accounts/export-account.js';
import { removeMailAddress, setMailAddress, verifyMailAddress } from '../accounts/mail-address.js';
import { findRecentSession, requireRecentSession } from '../accounts/recent-authentication.js';
import { addSnapshot, listSnapshots, readSnapshot, restoreSnapshot } from '../entries/snapshots.js';
import { readUsage } from '../entries/usage.js';
import { empty, json, jsonText } from '../http/answers.js';
import {
  type Handlers,
  languageOf,
  requireBody,
  requirePlayer,
  requireShownSession,
  writeNameOf,
} from '../http/exchange.js';
import { Refusal } from '../refusal.js';
import { requireSession } from '../sessions/sessions.js';
import { ownerOf } from '../stores/records.js';

/** What a signed-in player does with the account. */
export const account = {
  async readAccount(exchange) {
    const session = await requirePlayer(exchange);
    return json(await readAccount(exchange.service, ownerOf(session)));
  },

  async readUsage(exchange) {
    const usage = await readUsage(exchange.service, ownerOf(await requirePlayer(exchange)));
    if (usage === null) throw new Refusal('unauthorized');
    return json(usage);
  },

  /** The session may have ended: by an earlier try of this request, whose answer got lost. */
  async deleteAccount(exchange) {
    const shown = await requireShownSession(exchange);
    await findRecentSession(exchange.service, shown);
    return json(await deleteAccount(exchange.service, shown));
  },

  async listDevices(exchange) {
    const session = await requirePlayer(exchange);
    return json(await listDevices(exchange.service, session));
  },

  async revokeDevice(exchange) {
    const session = await requirePlayer(exchange);
    await revokeDevice(exchange.service, session, exchange.params['device'] ?? '');
    return empty();
  },

  async exportAccount(exchange) {
    const session = await requirePlayer(exchange);
    return jsonText(await exportAccount(exchange.service, ownerOf(session)));
  },

  async changePassword(exchange) {
    const session = await requirePlayer(exchange);
    const { request } = await requireBody(exchange, session, passwordRequest);
    const { old_password: from, new_password: to } = request;
    const { address } = exchange;
    await changePassword(exchange.service, session, { from, to, address, signal: exchange.request.signal });
    return empty();
  },

  async setAddress(exchange) {
    const shown = await requireShownSession(exchange);
    const { request } = await requireBody(exchange, shown, addressRequest);
    const { service, address: from } = exchange;
    const { address, language = languageOf(exchange.request) } = request;
    const asking = { session: await requireRecentSession(service, shown), from, language };
    if (address === null) await removeMailAddress(service, asking);
    else await setMailAddress(service, asking, address);
    return empty();
  },

  async verifyAddress(exchange) {
    const session = await requirePlayer(exchange);
    const { request } = await requireBody(exchange, session, verificationRequest);
    const { service, address: from } = exchange;
    await verifyMailAddress(service, { session, from, language: languageOf(exchange.request) }, request.code);
    return empty();
  },

  async makeRecoveryCode(exchange) {
    const session = await requireRecentSession(exchange.service, await requireShownSession(exchange));
    return json({ code: await makeRecoveryCode(exchange.service, session) });
  },

  async unlinkMethod(exchange) {
    const shown = await requireShownSession(exchange);
    const { service } = exchange;
    await requireSession(service, shown);
    const linked = await listMethods(service, ownerOf(shown));
    const method = linked.find((one) => one === exchange.params['method']);
    // Before it asks for more: an earlier try, whose answer got lost, may have taken away what the player was recent by.
    if (method === undefined) throw new Refusal('not_found');
    return json(await unlinkMethod(service, await requireRecentSession(service, shown), method));
  },

  async listSnapshots(exchange) {
    const session = await requirePlayer(exchange);
    return json({ snapshots: await listSnapshots(exchange.service, ownerOf(session)) });
  },

  async addSnapshot(exchange) {
    const writer = await requireShownSession(exchange);
    const { request, text: bodyText } = await requireBody(exchange, writer, snapshotRequest);
    const { collection, key } = request;
    const text = memberText(bodyText, 'value') ?? '';
    const name = writeNameOf(exchange.request);
    return json({ id: await addSnapshot(exchange.service, writer, { collection, key, text, name }) });
  },

  async readSnapshot(exchange) {
    const session = await requirePlayer(exchange);
    const text = await readSnapshot(exchange.service, ownerOf(session), exchange.params['snapshot'] ?? '');
    if (text === null) throw new Refusal('not_found');
    return jsonText(text);
  },

  async restoreSnapshot(exchange) {
    const writer = await requireShownSession(exchange);
    const { snapshot: snapshotId = '' } = exchange.params;
    const { service, weigh } = exchange;
    return json({ entries: await restoreSnapshot(service, writer, { snapshotId, weigh }) });
  },
} satisfies Handlers;
