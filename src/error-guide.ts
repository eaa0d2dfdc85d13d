import type { ErrorCode } from './errors.js';

/** What the page of error codes says about one of them. Markdown, with links as they are in `docs/`. */
interface Explanation {
  /** What has happened in the world when somebody reads this code. */
  readonly cause: string;
  /** What the reader does now. */
  readonly wayOut: string;
}

/**
 * The cause of each error code and the way out. `docs/errors.md` is made of it, and `error.help` leads there. Nothing
 * that a page loads imports it: `node scripts/errors-page.mjs --write`.
 */
export const errorGuide: { readonly [code in ErrorCode]: Explanation } = {
  aborted: {
    cause:
      'The call was ended from your side: its `signal` was aborted, the player signed out, the client was disposed of, or another call took its place. What was asked may have been done all the same.',
    wayOut: 'Nothing to mend. Do not show it to the player.',
  },
  account_banned: {
    cause: 'An operator keeps this player out until `error.until`, or for good where that is `null`.',
    wayOut:
      'Show `error.reason` and `error.until`, both as text and not as HTML. Do not try again before that time. [Support](operate/support.md) can lift a ban.',
  },
  account_deleted: {
    cause:
      'The player has deleted this account. It is kept until `error.removedAt`, and nothing can be written to it meanwhile.',
    wayOut:
      'Ask whether the player wants it back: `auth.switchTo(credential, { restore: true })` takes the deletion back. A back end keeps what it wanted to give until `removedAt`.',
  },
  already_authenticated: {
    cause: 'The call signs a player in, and another account is signed in on this client.',
    wayOut: 'Sign out first, or say that the account is to change: `auth.switchTo(…)`.',
  },
  already_initialised: {
    cause:
      '`Main.Init` was called a second time with another configuration. With the same one it gives the first promise again.',
    wayOut:
      'Call `Main.Init` in one place. In a test, or for another player, call `Main.Dispose()` before it, or use `createClient`.',
  },
  conflict_cancelled: {
    cause: 'The conflict was closed without a choice: by `Cancel`, or by a sign-out.',
    wayOut: 'Nothing has changed. The player can sign in again.',
  },
  conflict_expired: {
    cause: 'Nobody chose while the conflict was open. It is open for ten minutes.',
    wayOut: 'Nothing has changed. Let the player sign in again, which opens the conflict anew.',
  },
  conflict_pending: {
    cause: 'A conflict is open, or a choice is being carried out, and the call would change the account as well.',
    wayOut: 'Let the player choose first. `client.conflict` is the open one.',
  },
  conflict_stale: {
    cause:
      'What the choice rested on has changed since: a new password, an unlinked method, another choice. Or the ten minutes are over.',
    wayOut: 'Nothing was changed by this choice. Start again with the sign-in.',
  },
  conflict_unhandled: {
    cause:
      'The name or token belongs to another account, and the game listens for no conflict. It is still open, in `error.conflict`.',
    wayOut:
      'Listen for `OnSystemProfileConflictAppeared` (`conflict` of `client.events`) before the first sign-in, or resolve `error.conflict` where you caught it. [The guide](guides/conflicts.md) shows both.',
  },
  delivery_not_set_up: {
    cause: 'An e-mail address is to be verified, and the service has no `deliver`, which sends the code.',
    wayOut: 'Give the service a [`deliver`](accounts.md#delivering-the-code), or do not ask players for an address.',
  },
  entry_conflict: {
    cause:
      'Two devices have written this entry, and nothing could merge them: the collection has no rule for it, its `merge` or `onConflict` threw, or it is not open on this page. The entry is held on the device.',
    wayOut:
      'Declare `merge` or `onConflict` where the collection is opened, then `retry(key)`. Or `discard(key)`: the service’s value counts, and the device’s goes to `account.snapshots()`.',
  },
  entry_overwritten: {
    cause:
      '`editEntry` created an entry, and the service did not keep to `If-None-Match: *`: the write replaced what another one had made. No version of this service does that; a service of another make may.',
    wayOut: 'Write the entry anew, with both changes. Use a service that takes `If-None-Match`.',
  },
  insufficient_scope: {
    cause: 'The operator’s key is good, and does not allow this request. The message names the scope that it takes.',
    wayOut: 'Use a key with that scope: [keys of operators](operate/support.md).',
  },
  internal: {
    cause: 'The service has failed. What was asked may have been done.',
    wayOut:
      'Read again before you repeat a change. Look for `error.requestId` in the log of the service ([monitoring](operate/monitoring.md)), and report it.',
  },
  invalid_answer: {
    cause:
      'Something answered that does not speak this interface: a proxy’s page, a portal’s sign-in page, a static host that answers every address with its home page, or a wrong `BaseUrl`. `error.status` is its status.',
    wayOut:
      'Open `BaseUrl` + `/openapi.json` in a browser and see who answers. `npx savepoint check <address>` says where a service differs.',
  },
  invalid_argument: {
    cause:
      'An argument of the call cannot be used. The message names it. `createClient` throws a `TypeError` for most of them.',
    wayOut: 'Mend the caller. It fails in the same way each time.',
  },
  invalid_credentials: {
    cause:
      'The name and password, the token or the code are wrong, or no longer good: a code has ended, a token has expired or was used already.',
    wayOut:
      'Ask the player again. Do not say which of the two was wrong: the service does not tell, so that nobody can find out which names there are. A token of a platform: [what is checked](platforms.md#what-is-checked-and-where-that-stands).',
  },
  invalid_env: {
    cause: 'The environment is not 0 (Development), 1 (Stage) or 2 (Production), or it is missing, or given twice.',
    wayOut: 'Send `env` in the query, or in the body of a sign-in, exactly once.',
  },
  invalid_json: {
    cause: 'The body is not JSON in UTF-8.',
    wayOut:
      'Write it with a JSON library, and send exactly those bytes. A signed body must not be formatted again after it was signed.',
  },
  invalid_key: {
    cause:
      'The key or the collection’s name is empty, `.` or `..`, longer than 128 bytes, or has control characters or half a character in it.',
    wayOut: 'Choose another name, and percent-encode it in an address: [names](interface.md#ours-profile-entries).',
  },
  invalid_request: {
    cause: 'The request does not have the form that the address takes. The message names the field.',
    wayOut: 'Compare it with [the interface](interface.md) or with `/openapi.json` of your service.',
  },
  invalid_signature: {
    cause:
      'The signature does not fit. The same answer comes for an unknown game, a missing header, and a key of another environment, so that nobody can try them out.',
    wayOut:
      'Sign exactly the bytes that are sent, with a newline after each of the three parts: [your back end in other languages](guides/back-end.md#when-the-signature-is-refused). `npx savepoint sign` makes a right one to compare with; the console of `savepoint dev` says which part is wrong.',
  },
  invalid_value: {
    cause:
      'An entry that is stored does not fit the `schema` of its collection: it is of an older version of the game, or a back end wrote it.',
    wayOut: 'Give the collection a `migrate`, or `set` a value that fits.',
  },
  invalid_version: {
    cause: 'The version of an update is not an integer from -1 up.',
    wayOut: 'Send the version that was read, or -1 to write whatever is stored.',
  },
  issuer_taken: {
    cause: 'Operators alone: another identity provider of the game has this issuer.',
    wayOut: 'Change or remove that one: [platforms](operate/platforms.md).',
  },
  merge_failed: {
    cause:
      'A merge rule of the game threw while two accounts were merged, or it made what cannot be stored. The conflict is still open.',
    wayOut: 'Mend the rule; `error.message` names the collection. The player can choose `Local` or `Cloud` meanwhile.',
  },
  merge_not_allowed: {
    cause: 'The configuration of this game does not let two accounts become one (`accountMerge: false`).',
    wayOut: 'Offer `Local`, `Cloud` and `Cancel` alone, or allow it.',
  },
  method_already_linked: {
    cause: 'The account has another link of this kind already: another name, or another account of the same platform.',
    wayOut: 'Unlink that one first (`account.unlink`), or choose `Cloud` to go to the other account.',
  },
  method_not_allowed: {
    cause: 'The address is there, and does not take this HTTP method. The header `Allow` says which it takes.',
    wayOut: 'Mend the caller: an update is a `PATCH`.',
  },
  name_not_allowed: {
    cause:
      'The player’s name cannot be used. `error.reason` says why: `empty`, `too_long`, `invisible_characters` (also white space at an end) or `unknown_characters`.',
    wayOut: 'Tell the player why, and ask for another name.',
  },
  network: {
    cause:
      'No answer came. There is no network, the service is not running, the address is wrong, or the browser kept the answer to itself: a page whose origin the service does not allow is told no more than this. The network may also be switched off (`Network: "off"`).',
    wayOut:
      'Go on: saves are kept and sent later. If it comes each time, see [the page cannot reach the service](troubleshooting.md#the-page-cannot-reach-the-service).',
  },
  nonce_reused: {
    cause: 'A signed request came twice with one nonce: it was repeated as it was, or the nonces are not random.',
    wayOut: 'Make a new nonce and a new signature for every request, for a repeated one too.',
  },
  nonce_store_full: {
    cause:
      'The game has made a million signed requests in the last minutes. None of their nonces may be forgotten yet.',
    wayOut: 'Wait `error.retryAfterMs`. Sign a player in once, and not with each request.',
  },
  not_authenticated: {
    cause: 'The call needs a player, and nobody is signed in.',
    wayOut: 'Wait for `Main.Init`, or sign in: `Auth.AsGuest()`.',
  },
  not_found: {
    cause: 'There is nothing at this address. Also an unknown game, snapshot, method or device.',
    wayOut: 'Look at `BaseUrl` (it has no path of the interface in it) and at the game’s id.',
  },
  not_initialised: {
    cause: '`Main.Init` has not been called, or the client has been disposed of.',
    wayOut: 'Call `Main.Init` first. `Auth.External` is called inside `OnReadyCallback`.',
  },
  origin_not_allowed: {
    cause:
      'A page of this origin may not call the service. A browser does not show this answer to the page, which is told `network`; the log of the service has it, with the origin.',
    wayOut:
      'Allow the origin: `--allowed-origin https://game.example` or `allowedOrigins`. [Portals](guides/portals.md) lists those of portals.',
  },
  password_too_short: {
    cause:
      'A new password has fewer than `error.minLength` characters. So has the one that came with a name that nobody has: a sign-in with it would make the account.',
    wayOut: 'Tell the player how long it has to be.',
  },
  platform_configured: {
    cause: 'Operators alone: the platform comes from the configuration of the service, and can be changed there alone.',
    wayOut: 'Change the configuration, or register it under another name.',
  },
  platform_name_in_use: {
    cause: 'An operator registers a platform under a name by which another preset has let players in.',
    wayOut:
      'Take another name. Where both presets know the same players by the same ids, say [`takesOver`](operate/platforms.md): whoever passes the new check then gets the accounts of the former one.',
  },
  platform_not_registered: {
    cause:
      'No social platform of this name is registered for the game and environment, it is switched off, or there are several and none was named. `error.platforms` lists those that there are.',
    wayOut: 'Name one of those (`SocialPlatform`), or [register it](operate/platforms.md).',
  },
  profile_conflict: {
    cause:
      'The method leads to another account, and somebody has to choose. The SDK makes the conflict of this answer, so that a game does not see the code.',
    wayOut:
      'With your own client: show the player both sides and send the choice with the ticket ([endpoints](interface.md#ours-player-endpoints)).',
  },
  quota_exceeded: {
    cause:
      'The account holds as much as it may. `error.quota` says of what (`values`, `entries`, `collections`), `error.used` and `error.limit` how much.',
    wayOut:
      'Store less, or in fewer entries; `account.usage()` shows what is used. An operator can [change the quota](limits.md).',
  },
  rate_limited: {
    cause:
      'Too many tries: of this account, this address, or against this name. `error.limitName` says of what, as [the limits](limits.md) name it.',
    wayOut:
      'Wait `error.retryAfterMs`, and tell the player how long. Behind a proxy, look whether [it is trusted](operate/proxy.md): otherwise all players count as one address.',
  },
  reauthentication_required: {
    cause:
      'The request makes a lasting way into the account, takes one away, or ends the account, and the player signed in more than 15 minutes ago, or by a method that was linked beside an older one less than seven days ago.',
    wayOut: 'Ask for one of `error.methods` once more: `account.reauthenticate(credential)`. Then ask again.',
  },
  refresh_token_reused: {
    cause:
      'An old refresh token was shown, and its session has been ended. Either somebody has copied it, or two programs share one session without sharing its tokens.',
    wayOut: 'The player signs in again. Keep the tokens of a session in one place: the SDK’s tabs do.',
  },
  sdk_failed: {
    cause: 'The SDK has a defect. `error.cause` is what was thrown.',
    wayOut: 'Report it, with the cause and its stack. The player’s saves are on the device.',
  },
  sealing_key_missing: {
    cause: 'Operators alone: a platform’s secret is to be stored, and the service has no key to seal it with.',
    wayOut: 'Give the service [`SAVEPOINT_SEALING_KEY`](operate/platforms.md#before-the-first-one-a-key-that-seals).',
  },
  storage_unavailable: {
    cause:
      'What this device has stored cannot be read at present. Nobody was signed in in place of the player who may be stored there.',
    wayOut:
      'Nothing: the client goes on by itself once the storage answers. Tell the player to wait, or to close other tabs of the game.',
  },
  timeout: {
    cause: 'No answer came in time: 10 s for a try, 30 s for a call. What was asked may have been done.',
    wayOut: 'As for `network`: go on. The SDK finds out whether a write was carried out.',
  },
  timestamp_out_of_window: {
    cause:
      'The timestamp of a signed request is more than five minutes away from the service’s clock, or it is in seconds. `error.serverTime` is that clock, in milliseconds.',
    wayOut:
      'Send milliseconds (13 digits), and set the clock of the machine. `savepoint/server` corrects itself and signs again.',
  },
  token_expired: {
    cause:
      'The access token is over; it lasts for an hour. The client refreshes its own in time. In a back end, a client has sent an old one.',
    wayOut: 'Let the client ask again with `client.auth.getAccessToken()`, which refreshes where needed.',
  },
  too_large: {
    cause:
      'The value or the request is over its limit: 150 KiB for a value as JSON in UTF-8, 256 KiB for a request, where the operator has set no others. Or `set` would have made one entry more than a collection may have, or one collection more than an account may.',
    wayOut:
      'Split the value over several keys, or store less. The text of a picture does not belong into a save. [Limits](limits.md).',
  },
  too_many_platforms: {
    cause: 'Operators alone: the game has as many platforms registered as it may.',
    wayOut: 'Remove one that is not used.',
  },
  unauthorized: {
    cause:
      'There is no good key or token with the request, or its session has ended: by a sign-out, a new password, or a choice on another device.',
    wayOut:
      'In a game: the SDK refreshes, and raises `OnSessionExpired` where that fails: let the player sign in. In a back end: look at the private key, and that it is of this environment’s service.',
  },
  unavailable: {
    cause:
      'The service cannot answer at the moment: its database, a platform that it has to ask, or it is being restarted. Nothing was done. Where a limit was reached, `error.limitName` says [which](limits.md).',
    wayOut: 'The SDKs wait `error.retryAfterMs` and try again. If it lasts: [the runbook](operate/runbook.md).',
  },
  unsupported_media_type: {
    cause: 'The body is not sent as `application/json` in UTF-8, or it is compressed.',
    wayOut: 'Set `Content-Type: application/json`, and no `Content-Encoding`.',
  },
  unsupported_platform: {
    cause: 'The runtime lacks Web APIs that the client is built on. The message names all of them.',
    wayOut: 'Load polyfills before `savepoint`: [what each runtime needs](runtimes.md).',
  },
  user_not_found: {
    cause: 'There is no such player in this game and environment.',
    wayOut: 'Check the user id, and that the environment is the one in which the player signed in: they share nothing.',
  },
  value_not_storable: {
    cause:
      'The value would not be read back as it is: half a character, a number beyond what a double holds, an integer beyond 2^53 - 1, or more than 32 levels. The message says which.',
    wayOut: 'Write large numbers as text, and mend the text.',
  },
  version_mismatch: {
    cause:
      'Somebody has written the entry since you read it. `error.currentVersion` (-1 where there is none) and `error.currentValue` are what is stored.',
    wayOut:
      'Apply your change to that value, and send it with that version. `editEntry` of `savepoint/server` and `update` of the client do it by themselves.',
  },
  would_orphan: {
    cause: 'This method or device is the last way into the account. Without it nobody could ever come back.',
    wayOut: 'Link another method first, or delete the account, if that is what the player wants.',
  },
  wrong_env: {
    cause: 'The token or the session is of another environment than the request.',
    wayOut: 'Use one `Environment` in the game, its back end and its configuration.',
  },
  wrong_game: {
    cause: 'The token, or the argument of `Auth.SignOut`, is of another game or environment than the client.',
    wayOut: 'Check the game’s id in the client and in the back end.',
  },
};
