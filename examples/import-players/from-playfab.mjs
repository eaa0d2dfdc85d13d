// Makes of what PlayFab's API answers the lines that `savepoint import` reads.
//
//   node from-playfab.mjs players.ndjson > players-for-savepoint.ndjson
//
// Each line of the file is one player: { "PlayFabId": "…", "UserInfo": { … }, "Data": { … } }, where UserInfo is what
// Admin/GetUserAccountInfo answers, and Data what Admin/GetUserData or Server/GetUserData answers. PlayFab gives no
// passwords' hashes: players with a username need a code for a new password, and all others come by their custom id.
// https://learn.microsoft.com/en-us/rest/api/playfab/admin/account-management/get-user-account-info
// https://learn.microsoft.com/en-us/rest/api/playfab/admin/player-data-management/get-user-data
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

/** @param {{ file: string, collection?: string }} options */
export function* playersOf({ file, collection = 'saves' }) {
  for (const { PlayFabId, UserInfo = {}, Data = {} } of readRecords(file, 'players')) {
    const { Username, Created, GoogleInfo, TitleInfo } = UserInfo;
    yield {
      // The game's back end knows players by it, whatever they have signed in with.
      customId: PlayFabId,
      ...(Username ? { name: { name: Username } } : {}),
      ...(GoogleInfo?.GoogleId
        ? { identity: { issuer: 'https://accounts.google.com', subject: GoogleInfo.GoogleId } }
        : {}),
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
