import { linkMethods } from '../protocol/conflict.js';
import { passwordRequest, snapshotRequest } from '../protocol/player-wire.js';
import { memberText } from '../protocol/value-text.js';
import { type Answer, empty, json, jsonText } from './answers.js';
import { exportAccount } from './domain/account-export.js';
import { changePassword, deleteAccount, describeAccount, renewRecoveryCode, unlinkMethod } from './domain/accounts.js';
import { Refusal } from './domain/refusal.js';
import { ownerOf } from './domain/sessions.js';
import { sessionKeyOf } from './domain/tokens.js';
import { keepLoser, listSnapshots, restoreSnapshot, snapshotText } from './domain/undo.js';
import { bearerOf, type Exchange, readAs, requirePlayer, scopeOf } from './exchange.js';

export async function readAccount(exchange: Exchange): Promise<Answer> {
  const session = await requirePlayer(exchange);
  return json(await describeAccount(exchange.service, ownerOf(session)));
}

/** The token's session may have ended by this very request, made before: its answer got lost. */
export async function removeAccount({ service, request }: Exchange): Promise<Answer> {
  const claims = await service.tokens.readAccess(bearerOf(request) ?? '', service.now());
  return json(await deleteAccount(service, sessionKeyOf(claims)));
}

export async function exportPlayer(exchange: Exchange): Promise<Answer> {
  const session = await requirePlayer(exchange);
  return jsonText(await exportAccount(exchange.service, ownerOf(session)));
}

export async function setPassword(exchange: Exchange): Promise<Answer> {
  const request = readAs(passwordRequest, (await exchange.body()).json);
  const session = await requirePlayer(exchange, scopeOf(exchange, request));
  const { old_password: from, new_password: to } = request;
  await changePassword(exchange.service, session, { from, to, address: exchange.address });
  return empty();
}

export async function makeRecoveryCode(exchange: Exchange): Promise<Answer> {
  const session = await requirePlayer(exchange);
  return json({ code: await renewRecoveryCode(exchange.service, session) });
}

export async function removeMethod(exchange: Exchange): Promise<Answer> {
  const session = await requirePlayer(exchange);
  const method = linkMethods.find((known) => known === exchange.params['method']);
  if (method === undefined) throw new Refusal('not_found');
  return json(await unlinkMethod(exchange.service, ownerOf(session), method));
}

export async function readSnapshots(exchange: Exchange): Promise<Answer> {
  const session = await requirePlayer(exchange);
  return json({ snapshots: await listSnapshots(exchange.service, ownerOf(session)) });
}

export async function addSnapshot(exchange: Exchange): Promise<Answer> {
  const { json: body, text: bodyText } = await exchange.body();
  const request = readAs(snapshotRequest, body);
  const session = await requirePlayer(exchange, scopeOf(exchange, request));
  const { collection, key } = request;
  const text = memberText(bodyText, 'value') ?? '';
  return json({ id: await keepLoser(exchange.service, ownerOf(session), { collection, key, text }) });
}

export async function readSnapshot(exchange: Exchange): Promise<Answer> {
  const session = await requirePlayer(exchange);
  const text = await snapshotText(exchange.service, ownerOf(session), exchange.params['snapshot'] ?? '');
  if (text === null) throw new Refusal('not_found');
  return jsonText(text);
}

export async function restore(exchange: Exchange): Promise<Answer> {
  const session = await requirePlayer(exchange);
  const { snapshot = '' } = exchange.params;
  return json({ entries: await restoreSnapshot(exchange.service, ownerOf(session), snapshot) });
}
