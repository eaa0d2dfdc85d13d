// Makes of what PlayFab's API answers the lines that `savepoint import` reads.
//
//   node from-playfab.mjs players.ndjson > players-for-savepoint.ndjson
//
// Each line of the file is one player: { "PlayFabId": "…", "UserInfo": { … }, "Data": { … }, "BanData": [ … ] }, where
// UserInfo is what Admin/GetUserAccountInfo answers, Data what Admin/GetUserData or Server/GetUserData answers, and
// BanData what Admin/GetUserBans answers, which is asked only where UserInfo.TitleInfo.isBanned is true: without it such a
// player is banned for good. PlayFab gives no passwords' hashes: players with a username need a code for a new password,
// and all others come by their custom id.
// https://learn.microsoft.com/en-us/rest/api/playfab/admin/account-management/get-user-account-info
// https://learn.microsoft.com/en-us/rest/api/playfab/admin/player-data-management/get-user-data
// https://learn.microsoft.com/en-us/rest/api/playfab/admin/account-management/get-user-bans
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { asValue, readRecords } from './read.mjs';

/** A value of PlayFab's is text, in which most games keep JSON. */
function saveOf(text) {
  try {
    return asValue(JSON.parse(text));
  } catch {
    return { value: text };
  }
}

/**
 * Of several bans the one that lasts longest. A ban that was revoked is not active; one that has expired may still say
 * that it is active, and `savepoint import` leaves it out.
 */
function banOf(isBanned, bans) {
  const active = bans.filter(({ Active }) => Active);
  if (active.length === 0) return isBanned && bans.length === 0 ? { at: 0, until: null, reason: 'banned' } : null;
  const lasting = ({ Expires }) => (Expires ? Date.parse(Expires) : Number.POSITIVE_INFINITY);
  const last = active.reduce((one, other) => (lasting(other) > lasting(one) ? other : one));
  return {
    at: last.Created ? Date.parse(last.Created) : 0,
    until: last.Expires ? Date.parse(last.Expires) : null,
    reason: last.Reason || 'banned',
  };
}

/** @param {{ file: string, collection?: string }} options */
export function* playersOf({ file, collection = 'saves' }) {
  for (const { PlayFabId, UserInfo = {}, Data = {}, BanData = [] } of readRecords(file, 'players')) {
    const { Username, Created, GoogleInfo, TitleInfo } = UserInfo;
    const ban = banOf(TitleInfo?.isBanned === true, BanData);
    yield {
      // The game's back end knows players by it, whatever they have signed in with.
      customId: PlayFabId,
      ...(Username ? { name: { name: Username } } : {}),
      ...(GoogleInfo?.GoogleId
        ? { identity: { issuer: 'https://accounts.google.com', subject: GoogleInfo.GoogleId } }
        : {}),
      ...(ban === null ? {} : { ban }),
      ...(Created ? { createdAt: Date.parse(Created) } : {}),
      ...(TitleInfo?.LastLogin ? { lastSeenAt: Date.parse(TitleInfo.LastLogin) } : {}),
      entries: Object.entries(Data).map(([key, { Value, LastUpdated }]) => ({
        collection,
        key,
        value: saveOf(Value),
        ...(LastUpdated ? { changedAt: Date.parse(LastUpdated) } : {}),
      })),
    };
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { collection: { type: 'string' } } });
  const [file] = positionals;
  if (file === undefined) throw new Error('give the file: node from-playfab.mjs players.ndjson');
  for (const line of playersOf({ file, ...values })) process.stdout.write(`${JSON.stringify(line)}\n`);
}
