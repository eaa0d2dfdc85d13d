// Makes of a Firebase project's exports the lines that `savepoint import` reads.
//
//   node from-firebase.mjs --users users.json --hash-config hash.txt \
//     --database rtdb.json --saves 'users/{uid}/saves/{key}' > players.ndjson
//
// --users        `firebase auth:export users.json` or `users.csv` (https://firebase.google.com/docs/cli/auth)
// --hash-config  the password hash parameters as the console shows them; without it names have no password
// --database     the JSON of a Realtime Database, as the console and `firebase database:get /` export it
// --documents    documents of Firestore in the form of its REST API, a list or one on each line
//                (https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents)
// --saves        where a player's saves are in either; without {key} each player has one, `main`
// --collection   the name of the collection of savepoint: `saves` by default
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { asValue, placeIn, readCsv, readRecords } from './read.mjs';

/** The columns of `users.csv` that are read here; the documentation numbers all of them. */
const columns = {
  localId: 0,
  email: 1,
  emailVerified: 2,
  passwordHash: 3,
  salt: 4,
  googleId: 7,
  createdAt: 23,
  lastSignedInAt: 24,
  disabled: 26,
};

function usersOf(file) {
  if (!file.toLowerCase().endsWith('.csv')) {
    return readRecords(file, 'users').map(({ providerUserInfo = [], ...user }) => ({
      ...user,
      googleId: providerUserInfo.find(({ providerId }) => providerId === 'google.com')?.rawId,
    }));
  }
  return readCsv(file).map((row) => {
    const cells = Object.entries(columns).map(([name, column]) => [name, row[column] || undefined]);
    const user = Object.fromEntries(cells);
    return { ...user, emailVerified: user.emailVerified === 'true', disabled: user.disabled === 'true' };
  });
}

/** `base64_signer_key: …,` and so on. */
export function hashConfigOf(text) {
  const given = (name) => new RegExp(`${name}:\\s*"?([^\\s,"}]+)`).exec(text)?.[1];
  const [signerKey, saltSeparator] = [given('base64_signer_key'), given('base64_salt_separator')];
  const [rounds, memCost] = [Number(given('rounds')), Number(given('mem_cost'))];
  if (given('algorithm') !== 'SCRYPT' || !signerKey || !saltSeparator || !rounds || !memCost) {
    throw new Error(
      '--hash-config must have algorithm: SCRYPT, base64_signer_key, base64_salt_separator, rounds, mem_cost',
    );
  }
  return { firebase: { signerKey, saltSeparator, rounds, memCost } };
}

/** A value of Firestore's REST API as plain JSON. Throws for an integer that JSON would round. */
export function plainOf(value) {
  const [[kind, held]] = Object.entries(value);
  if (kind === 'mapValue') return plainFields(held.fields);
  if (kind === 'arrayValue') return (held.values ?? []).map(plainOf);
  if (kind === 'nullValue') return null;
  if (kind === 'integerValue') {
    if (!Number.isSafeInteger(Number(held))) throw new Error(`the integer ${held} is beyond 2^53-1: keep it as text`);
    return Number(held);
  }
  // NaN and the infinities come as text, for JSON has none of them.
  return held;
}

const plainFields = (fields = {}) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainOf(value)]));

/** All places of a Realtime Database as deep as the template, each with what is there. Lists are children by number. */
function* nodesOf(node, depth, path = []) {
  if (path.length === depth) yield [path.join('/'), node];
  else if (typeof node === 'object' && node !== null) {
    for (const [name, child] of Object.entries(node)) {
      if (child !== null) yield* nodesOf(child, depth, [...path, name]);
    }
  }
}

/** The saves by player. */
function savesOf({ database, documents, saves: template, collection = 'saves' }) {
  const byPlayer = new Map();
  const add = (path, value, changedAt) => {
    const place = placeIn(template, path);
    if (place === null) return;
    const entry = { collection, key: place.key, value, ...(changedAt ? { changedAt: Date.parse(changedAt) } : {}) };
    byPlayer.set(place.uid, [...(byPlayer.get(place.uid) ?? []), entry]);
  };
  if (database !== undefined) {
    const root = JSON.parse(readFileSync(database, 'utf8'));
    for (const [path, node] of nodesOf(root, template.split('/').length)) add(path, asValue(node));
  }
  for (const record of documents === undefined ? [] : readRecords(documents, 'documents')) {
    // `runQuery` puts each document under a name, beside a line that has none.
    const { name, fields, updateTime } = record.document ?? record;
    if (name !== undefined) add(name.split('/documents/')[1] ?? '', plainFields(fields), updateTime);
  }
  return byPlayer;
}

/**
 * The lines; who has no save is there, too.
 * @param {{ users: string, hashConfig?: string, database?: string, documents?: string, saves?: string, collection?: string }} options
 */
export function* playersOf({ users, hashConfig, ...from }) {
  const header = hashConfig === undefined ? null : hashConfigOf(readFileSync(hashConfig, 'utf8'));
  if (header !== null) yield header;
  const saves = from.saves === undefined ? new Map() : savesOf(from);
  for (const user of usersOf(users)) {
    const { localId, email, emailVerified, passwordHash, salt, googleId, createdAt, lastSignedInAt, disabled } = user;
    // Codes go there: an address that is somebody else's must not be the player's.
    const verified = email && emailVerified ? { mailAddress: email } : {};
    const hash = header !== null && passwordHash && salt ? { firebase: { salt, passwordHash } } : {};
    yield {
      customId: localId,
      ...(email ? { name: { name: email, ...hash, ...verified } } : {}),
      ...(googleId ? { identity: { issuer: 'https://accounts.google.com', subject: googleId } } : {}),
      ...(createdAt ? { createdAt: Number(createdAt) } : {}),
      ...(lastSignedInAt ? { lastSeenAt: Number(lastSignedInAt) } : {}),
      ...(disabled ? { ban: { at: Number(createdAt ?? 0), until: null, reason: 'disabled' } } : {}),
      entries: saves.get(localId) ?? [],
    };
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = { type: 'string' };
  const { values } = parseArgs({
    options: { users: text, 'hash-config': text, database: text, documents: text, saves: text, collection: text },
  });
  const { 'hash-config': hashConfig, ...given } = values;
  for (const line of playersOf({ ...given, hashConfig })) process.stdout.write(`${JSON.stringify(line)}\n`);
}
