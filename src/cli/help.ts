import { demoGame, usualHost, usualPort } from './demo.js';

export const help = `savepoint: player accounts and cloud saves for web games

Usage: savepoint <command> [options]

  init         make a folder with a small game that has accounts, saves and a test
  dev          start the whole service on a port of this machine, with a demo game
  serve        run the service for players: configured by a file or the environment, and drained when it ends
  migrate      bring a store's schema up to date, with a user who may; savepoint serve then needs no such right
  check        ask a deployment everything that the contract says, and show where it differs
  sign         sign a server-to-server request: its headers, or the whole curl command
  backup       copy the file of a store while the service goes on
  restore      put a backup in the place of what a store has
  move         carry all that a store has into another one: from a file to PostgreSQL, or back
  export       write all players into a file: what leads to them, and their saves
  import       take players over from elsewhere: custom ids, names with their passwords' hashes, saves
  keys         list the keys that a configuration has, and how old they are
  games        list the games of a service
  players      find, show, export, sign out, delete and restore players, and their snapshots
  counts       show what happened in a game by days: new and active players, sign-ins, conflicts
  webhooks     show what a game's back end has not been told yet, and tell it again
  platforms    register, try and switch off what players of a game sign in with
  audit        show what operators have done
  operators    list the operators' keys, or take one away
  new-key      make a key to sign tokens with, a game's private key, an operator's or a sealing key

  --help       show this; savepoint help dev shows more on a command
  --version    show the version

A command that Ctrl-C or SIGTERM ends before it is done has the exit code 130 or 143, and says what there is then.
`;

export const initHelp = `savepoint init: make a folder with a small game that has accounts, saves, the conflict and a test

Usage: savepoint init [<folder>] [--template vanilla|phaser|react|svelte]
Example: savepoint init my-game --template phaser

  <folder>           a folder that is not there yet, or empty; its last part is the name of the package
  --template <name>  vanilla: TypeScript and a canvas (the default), phaser: the engine, react, svelte

At a terminal it asks for what is left out. It downloads nothing, never writes over anything, and the folder has its
name only once it is whole: where it was interrupted, run it again. Then, in the folder: npm install, npm run dev (the
service and the page together), npm test (with faults and a conflict), npm run build.
Exit codes: 0 when it is made, 2 for what can be set right (a folder with something in it, a name that npm refuses).
`;

export const devHelp = `savepoint dev: the whole service on a port of this machine, with a ready-made demo game

Usage: savepoint dev [options] [-- <command>]
Example: savepoint dev --store ./savepoint.db --seed-demo -- npx vite

  --port <number>       the port; 0 takes a free one (${usualPort})
  --host <address>      who can reach it (${usualHost}: only this machine)
  --game-id <uuid>      the game's id (${demoGame.id})
  --private-key <key>   the game's private key (a demo key that everybody knows)
  --store <store>       keep everything in a file such as ./savepoint.db, or in postgres://…; in memory by default
  --allowed-origin <origin>  a page that may call it besides those of this machine; as often as needed, also
                        https://*.itch.zone for sub-domains of one level, and null for sandboxed frames
  --config <file>       games, providers, limits: savepoint.config.mjs, .js, .json or .ts (Node 22.18); see defineConfig
  --seed-demo           have some players with saves ready; their names are shown
  --faults <shares>     let requests go wrong: some, or shares such as slow=0.2,503=0.1,lost=0.05,offline=0.05
                        slow: answered after 2 s; 503: refused; lost: carried out, without an answer; offline: neither
  --rate-limits         limit wrong passwords and new guests, as a service in use does
  --json               print one line of JSON when it is ready: url, baseUrl, authUrl, gameId, privateKey

  -- <command>          run a command beside it, such as -- vite: both end together. It has the service's address in
                        SAVEPOINT_URL and VITE_SAVEPOINT_URL, and of requests only those that fail are shown

Its address leads a browser to the console at /console/, which shows what there is and each request that comes.
It is open to this machine; with --host, to the browser that opens the printed link, which works once.
Pages on this machine (localhost) may call it, and those of --allowed-origin; one that may not is in the log. The
social platform "demo" takes tokens such as demo:ada.
With SAVEPOINT_OPERATOR_KEY in the environment, operators may ask it (savepoint help operators).
Requests are logged to stderr, one line each. Ctrl-C or SIGTERM ends it. Beside a store's file it
keeps the key that it signs tokens with, so that players stay signed in when it starts again.
Exit codes: 0 when it was asked to end, 2 for what can be set right (a bad option, a taken port).
`;

export const signHelp = `savepoint sign: the headers of a signed server-to-server request (POST /v2/auth/server)

Usage: savepoint sign --private-key-file <file> [options] < body.json
Example: savepoint sign --private-key-file key.txt --curl < body.json

  --private-key-file <file>  the game's private key; - reads it from stdin, and the body then needs --body-file
  --body-file <file>         the body, where it does not come in on stdin
  --ip <address>             the player's address: adds X-Forwarded-For
  --curl                     print the whole command, for a POSIX shell, in the place of the headers
  --auth-url <url>           with --curl: the service's address
  --encoding <hex|base64>    how the signature is written (hex)
  --timestamp <ms>           another time than now, in ms since 1970
  --nonce <text>             another nonce than a random one: 32 characters of A-Z, a-z, 0-9, _ and -

The key never is an argument: it would stay in the shell's history. It can also be in the environment, as
SAVEPOINT_PRIVATE_KEY, or in a file that SAVEPOINT_PRIVATE_KEY_FILE names. One line end behind it does not count.
The body is signed as it comes, byte for byte; send exactly that. A signature counts once, and for five minutes.
Exit codes: 0 when it was printed, 2 for what can be set right (a bad option, no key, no body).
`;

export const checkHelp = `savepoint check: ask a deployment everything that the contract says, and show where it differs

Usage: savepoint check <url> --game-id <uuid> --private-key-file <file> [options]
Example: savepoint check https://saves.example.com --game-id 5f0c6a52-… --private-key-file key.txt

  --game-id <uuid>           a game of that service
  --private-key-file <file>  its private key; - reads it from stdin
  --operator-key-file <file> an operator's key with the scope support: asks what a new password by a code ends
  --auth-url <url>           the authentication endpoint, where it has another address
  --env <0|1|2>              the environment: 0 Development, 1 Stage, 2 Production (0)
  --origin <origin>          a page that may call it, such as https://game.example: checks that it may; also
                             https://*.itch.zone for sub-domains of one level, and null for sandboxed frames
  --quick                    leave out what takes half a minute (the reuse of an old refresh token), and a session, a
                             device and bytes of snapshots more than an account may have
  --rate-limits              also reach limits: guess a password until it is refused, fill an account with 10 MiB
  --json                     print one JSON object: ok, checks, accounts

The key can also be in the environment, as SAVEPOINT_PRIVATE_KEY, or in a file that SAVEPOINT_PRIVATE_KEY_FILE names;
an operator's as SAVEPOINT_OPERATOR_KEY. Without that one a line says what was not asked; with it the audit log has
one entry. It makes five players, plays a conflict of two, and deletes all five at the end. What it leaves behind are
these accounts, deleted, with what they wrote: the service removes them after its time of grace (30 days), and within
a day the tickets, nonces and counted tries of the run. Without --quick one of them has as many bytes of snapshots as
it may (20 MiB): 300 kB are sent for it, and where it takes over 250 requests it is not asked. It names the accounts,
and touches no other one. For a custom id of one character it draws a rare sign and unlinks it again; a player who has
it is let alone. A code for a forgotten password is asked for once, for one of the five: a game that delivers codes is
told so. The usual limits let it run three times in ten minutes, with --rate-limits once.
Exit codes: 0 when all is as it should be, 1 for a difference, 2 for what can be set right (no service there).
`;

export const serveHelp = `savepoint serve: the service for production; it does not start half configured

Usage: savepoint serve [options]
Example: savepoint serve --config savepoint.config.mjs --port 8080 --trusted-proxy 10.0.0.0/8

  --config <file>            savepoint.config.ts, .mts, .mjs, .js or .json; the one of this folder, where there is one
  --game-id <uuid>           the game, where no file has games                   SAVEPOINT_GAME_ID
  --private-key-file <file>  the game's private key                              SAVEPOINT_PRIVATE_KEY
  --signing-key-file <file>  the key that tokens are signed with                 SAVEPOINT_SIGNING_KEY
  --former-signing-key-file <file>
                             one that signed before, to be kept for 30 days      SAVEPOINT_FORMER_SIGNING_KEYS
  --operator-key-file <file> the first operator's key, which makes the others    SAVEPOINT_OPERATOR_KEY
  --sealing-key-file <file>  seals what is secret of platforms (new-key sealing) SAVEPOINT_SEALING_KEY
  --former-sealing-key-file <file>
                             one that sealed before; may be given several times  SAVEPOINT_FORMER_SEALING_KEYS
  --store <store>            a file, postgres://… (no password here), or memory  SAVEPOINT_STORE
  --port <number>            the port (${usualPort})                                     SAVEPOINT_PORT, PORT
  --host <address>           who can reach it (${usualHost}: only this machine)   SAVEPOINT_HOST
  --processes <number>       how many share the port, on PostgreSQL (1)          SAVEPOINT_PROCESSES
  --allowed-origin <origin>  a page that may call it; as often as needed; also   SAVEPOINT_ALLOWED_ORIGINS (commas)
                             https://*.itch.zone, and null for sandboxed frames
  --trusted-proxy <address>  a proxy, or a range of them, to be believed         SAVEPOINT_TRUSTED_PROXIES (commas)
  --new-guests-per-address-per-hour <number>
                             how many an address may make (1000)         SAVEPOINT_NEW_GUESTS_PER_ADDRESS_PER_HOUR
  --rate <name>=<n>/<s>      another rate: n in s seconds; as often as needed    SAVEPOINT_RATES (commas)
  --limit <name>=<number>    another limit, such as writeMs; as often as needed  SAVEPOINT_LIMITS (commas)
  --metrics-port <number>    shows metrics to Prometheus at /metrics there       SAVEPOINT_METRICS_PORT
  --metrics-host <address>   who can reach them (${usualHost}: only this machine)   SAVEPOINT_METRICS_HOST
  --no-console               leaves out the operators' console at /console/
  --drain-notice <seconds>   after SIGTERM: how long it still listens, with 503 at /health (0)
  --drain-limit <seconds>    how long requests that run may go on then (10)

What stands on the right is the same in the environment. For the keys and the store, the name with _FILE behind it
means a file that holds them. The command line goes before the environment, and that before the file.
savepoint new-key makes both keys. To change the signing key, give the new one, and the old one as a former one (as
often as needed; in the environment one JWK, or a list of them): then nobody is signed out. Players are limited in
wrong passwords, new guests and requests unless the file says otherwise (limits.rates; its names are those of --rate).
docs/limits.md has every limit and rate, its default and its name; the file has them as limits.
A file in TypeScript needs Node 22.18 or later.

GET /health answers 200 { status: "ok" } while the store takes writes, and 503 otherwise or while it drains. For probes:
/health/live answers 200 while the process does, /health/ready while the store reads and nothing drains. Behind a
proxy that --trusted-proxy does not name all players count as one address: that is a warning in the log and at /health.
Operators sign in to the console at /console/ with their keys, over https (docs/operate/console.md).
Logs go to stdout, one line of JSON each: time, level, kind, id, method, route, game, user, status, code, ms. The id is
that of the header X-Request-Id where a trusted proxy sends one; user is a name for the player that tells no user id.
SIGHUP reads the configuration again, and the files that it and the environment name: keys, games, origins, proxies,
limits and rates change with no request lost. Where something is wrong with it, a line reload_refused in the log says
what, and all stays as it was. The store, ports, and the limits of the port and of PostgreSQL wait for a restart.
SIGTERM and SIGINT let running requests end and refuse new ones; the second one ends it at once.
With --processes the first process starts the others, passes both signals on, and starts again whichever ends by itself:
the log has a line for each (process_started, process_ended). maxConnections, passwords and bytes count for each one.
Exit codes: 0 when it was asked to end, 2 for what can be set right (something is missing, a taken port, no store).
`;

export const keysHelp = `savepoint keys: the keys that savepoint serve has by the same configuration, and how old they are

Usage: savepoint keys [options]
Example: savepoint keys --config savepoint.config.mjs

  --config <file>            as for savepoint serve, and so are the others
  --game-id <uuid>           the game, where no file has games                   SAVEPOINT_GAME_ID
  --private-key-file <file>  the game's private key                              SAVEPOINT_PRIVATE_KEY
  --signing-key-file <file>  the key that tokens are signed with                 SAVEPOINT_SIGNING_KEY
  --former-signing-key-file <file>
                             one that signed before                              SAVEPOINT_FORMER_SIGNING_KEYS
  --sealing-key-file <file>  the key that seals secrets of platforms             SAVEPOINT_SEALING_KEY
  --former-sealing-key-file <file>
                             one that sealed before                              SAVEPOINT_FORMER_SEALING_KEYS
  --json                     print one JSON object: keys, each with id, kind, game, since (ms since 1970)

It asks no service, and shows no secret. The id of a signing key is its kid in tokens and at /.well-known/jwks.json;
that of another key is made of it, and tells nothing of it. A signing key says itself when it was made, if savepoint
new-key made it; of all others the time is that of the file, and - where it comes from elsewhere. A former key that is
older than 30 days and was replaced as long ago is needed no longer.
Exit codes: 0 when they were printed, 2 for what can be set right (a key is missing, a file cannot be read).
`;

export const backupHelp = `savepoint backup: copy the file of a store while the service goes on

Usage: savepoint backup --out <file> [--store <file>]
Example: savepoint backup --store ./savepoint.db --out ./backups/monday.db

  --out <file>    the copy; never over a file that is there, and there only once it is whole
  --store <file>  the store's file                                               SAVEPOINT_STORE

Where savepoint serve has the file open, it makes the copy, a piece at a time, and players notice nothing; otherwise
this command does. The copy is then read through. Keep the signing key too: without it players have to sign in again.
Exit codes: 0 when the copy is whole and sound, 1 when it failed, 2 for what can be set right (no store, no folder).
`;

export const restoreHelp = `savepoint restore: put a backup in the place of what a store has

Usage: savepoint restore --from <file> [--store <file>]
Example: savepoint restore --store ./savepoint.db --from ./backups/monday.db

  --from <file>   what savepoint backup has made
  --store <file>  the store's file                                               SAVEPOINT_STORE

The backup is read through first. Where savepoint serve has the store open, it goes on with the backup, and answers
503 for the moment between. What the store had stays beside it, under a name with the time. Devices send what they have
not sent; what they had sent after the backup was made is in the former file alone.
Exit codes: 0 when it is done, 1 when it failed and all is as before, 2 for what can be set right (no such backup).
`;

export const moveHelp = `savepoint move: carry all that a store has into another one, which is empty

Usage: savepoint move --from <store> --to <store> [--json]
Example: SAVEPOINT_MOVE_TO_FILE=/etc/savepoint/database savepoint move --from ./savepoint.db

  --from <store>  a file, or postgres://… (no password here)                     SAVEPOINT_STORE
  --to <store>    a file that is not there yet, or postgres://… without records  SAVEPOINT_MOVE_TO
  --json          print one JSON object: rows, seconds, heldSeconds (how long nobody could write), changed (rows that
                  were written meanwhile), wasThere, tables (each with table, rows, digest)

What stands on the right is the same in the environment; with _FILE behind its name, a file that holds it.
?schema=<name> at the end of an address says which schema; savepoint by default.
The service goes on meanwhile. At the end it takes no writes for a while, and answers reads: what was written since
the copy began is carried over then. It makes copies of a store in a file, beside it: there must be room for one.
The new store has all of it or nothing: rows are counted, and digests are taken from both, before it counts. Then the
old store takes no writes any more, and no service starts on it: start it on
the new one, with the same signing key. Nobody is signed out. Where this was interrupted, run it again.
Exit codes: 0 when both have the same, 1 when it failed and nothing was moved, 2 for what can be set right (the file is
in use, the new store has records of its own).
`;

export const exportHelp = `savepoint export: write all players into a file, one on each line, as savepoint import reads them

Usage: savepoint export --out <file> [options]
Example: savepoint export --store ./backups/monday.db --out players.ndjson --with-devices

  --out <file>             a file that is not there yet; it has its name only once it is whole, and is for you alone
  --game-id <uuid>         only this game; without it all games
  --environment <0|1|2>    only Development, Stage or Production. With a game and an environment the lines say neither,
                           so that they can be imported elsewhere
  --with-password-hashes   with the hashes of passwords. Without them names have no password after an import: their
                           players need a code for a new one
  --with-devices           with the hashes of devices' ids and recovery codes. Without them guests, to whom nothing else
                           leads, are left out, and nobody is known on a device
  --store <store>          a file, or postgres://… (no password here)            SAVEPOINT_STORE
  --config <file>          where the store is, if it is named there; the usual file of this folder, where there is one
  --json                   print one JSON object: players, entries, snapshots, platforms, orphaned, deleted, leftOut,
                           withoutPassword, bytes, sha256

Never in it: tokens, sessions, keys. Each player is as of one moment; all of them, with the service running on
PostgreSQL, are not. A store in a file must have no service on it meanwhile: take a backup, and export that. Players who
are being deleted, and accounts that nothing leads to, are in it, with the moment since when; an import keeps their
deadline. The platforms of the games come first. Where it ends early there is no file: run it again.
Exit codes: 0 when the file is whole, 1 when it failed, 2 for what can be set right.
`;

export const importHelp = `savepoint import: take players over from elsewhere

Usage: savepoint import <file> [options]
Example: savepoint import players.ndjson --store ./savepoint.db --dry-run

  <file>                 one player on each line, as JSON (docs/operate/import.md)
  --game-id <uuid>       the game; lines may say it instead
  --environment <0|1|2>  Development, Stage or Production; lines may say it instead
  --store <store>        a file, or postgres://… (no password here)              SAVEPOINT_STORE
  --config <file>        the service's configuration: its store, and the quotas and sizes that hold for players;
                         the usual file of this folder, where there is one
  --dry-run              look at everything, and write nothing
  --json                 print one JSON object: created, completed, there, expired, platforms, refused (each with
                         line, path, problem)

Each player is looked at before anything of theirs is written. Who is there already with the same stays, so that it can
be run again; who is there with something else is refused, by line. A store in a file must have no service on it
meanwhile; on PostgreSQL the service may run.
Exit codes: 0 when all are there, 1 when it failed, 2 when players were refused, or for what else can be set right.
`;

export const migrateHelp = `savepoint migrate: bring a store's schema up to date, and end

Usage: savepoint migrate [options]
Example: SAVEPOINT_STORE_FILE=/etc/savepoint/database savepoint migrate

  --store <store>  postgres://… (no password here), or a file                    SAVEPOINT_STORE
  --config <file>  where the store is, if it is named there; the usual file of this folder, where there is one

What stands on the right is the same in the environment; SAVEPOINT_STORE_FILE names a file that holds it.
savepoint serve does the same when it starts, if it has to and its user may. With a user for each, this one owns the
schema in PostgreSQL, and the service's own has USAGE on it, and SELECT, INSERT, UPDATE and DELETE on its tables. Run it
before a new version of savepoint starts. Running it again changes nothing. A schema that is newer is left alone.
Exit codes: 0 when the schema is up to date, 2 for what can be set right (no store there, no right to change it).
`;

export const newKeyHelp = `savepoint new-key: make a secret that nobody else has

Usage: savepoint new-key signing|private|sealing [--out <file>]
       savepoint new-key operator [--name <name> --scope read|support|admin] [--url <url>] [--out <file>] [--json]
Example: savepoint new-key signing --out signing-key.json
         savepoint new-key operator --name ada --scope support --url https://saves.example.com --out ada.key

  signing       the key that the service signs its tokens with, as a JWK (for savepoint serve --signing-key-file)
  private       a private key for a game (for savepoint serve --private-key-file)
  operator      without a name, the first operator's key, for the service's environment (SAVEPOINT_OPERATOR_KEY);
                with a name, another one, which the service makes and shows this once
  sealing       the key that seals what is secret of platforms in the store (SAVEPOINT_SEALING_KEY)
  --out <file>  write it to a new file that only you can read; never over one that is there
  --name <name>, --scope <scope>
                whose key it is, and what it allows: read to look, support to change what a player has, admin all
  --url <url>   the service                                                      SAVEPOINT_URL
  --operator-key-file <file>
                a key with the scope admin                                       SAVEPOINT_OPERATOR_KEY
  --json        with operator: one line of JSON, for scripts: key, and of one that the service has made id, name, scope,
                createdAt and createdBy; with --out, out in the place of key

Keep the signing key: tokens that were signed with another one no longer count.
`;
