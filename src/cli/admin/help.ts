const connection = `  --url <url>        the service                                                 SAVEPOINT_URL
  --operator-key-file <file>
                     an operator's key                                           SAVEPOINT_OPERATOR_KEY
  --json             one line of JSON, for scripts`;

const end = `What stands on the right is the same in the environment; SAVEPOINT_OPERATOR_KEY_FILE names a file that holds the key.
Exit codes: 0 when it is done, 1 when the service failed, 2 for what can be set right (no such key, no service there).
`;

const pages = `  --limit <number>   how many to show, up to 200 (50)
  --cursor <cursor>  go on where the page before ended`;

export const gamesHelp = `savepoint games: the games that a service keeps players for

Usage: savepoint games [options]
Example: savepoint games --url https://saves.example.com --operator-key-file ada.key

${connection}

${end}`;

export const playersHelp = `savepoint players: what an operator does for players

Usage: savepoint players list [--list newest|last_seen|orphaned|deleted|banned] [options]
       savepoint players find --name <name> | --user <id> | --custom <id> [options]
       savepoint players find --method identity|social --provider <issuer or platform> --subject <id> [options]
       savepoint players show --user <id> [options]
       savepoint players timeline --user <id> [options]
       savepoint players export --user <id> [--out <file>] [options]
       savepoint players sign-out --user <id> [options]
       savepoint players unlink --user <id> --method <kind> | --device <name> [options]
       savepoint players ban --user <id> --reason <text> [--until <day>] [options]
       savepoint players unban --user <id> [options]
       savepoint players reset-code --user <id> [options]
       savepoint players sign-in-code --user <id> [options]
       savepoint players undo --user <id> [options]
       savepoint players merge --user <id> --into <id> [--entries keep|take] --yes [options]
       savepoint players delete --user <id> --yes [options]
       savepoint players restore --user <id> --snapshot <id> | --deletion [--device-file <file>] [options]
Example: savepoint players find --name grace --env production
         savepoint players ban --user 7c9e6679-7425-40de-944b-e07fc1f90ae7 --reason "cheated" --until 2026-12-01

  --game <uuid>      the game (savepoint games lists them)                       SAVEPOINT_GAME_ID
  --env <name>       production, stage or development; it has no default         SAVEPOINT_ENV
  --user <id>        the player's user id
  --method <kind>    name, identity, social, custom, recovery, or device for all devices; with find, identity or social
  --device <name>    the device's name, as show has it
  show               who it is, what there is, and at the end what operators have done and the player has chosen
  timeline           what happened, newest first: with the snapshot by which restore goes back there, where there is one
  reset-code         makes a code that you tell the player: it sets a new password, once, within a day
  sign-in-code       makes a code that you tell the player: it signs in on another device, once, within a day, so that a
                     login method can be linked there; for an account that nothing leads to any more
  undo               takes back what the player chose last in a conflict, as far as show has it
  --into <id>        all that leads to the player is to lead to this one
  --entries <which>  keep the saves of that one, or take those of the player, entry by entry (keep)
  --snapshot <id>    write this snapshot back; what it overwrites becomes another one
  --deletion         take the deletion of the account back
  --device-file <file>
                     with --deletion: a file with the device id that is to lead to the account again
  --reason <text>    why, which the player is told
  --until <day>      until that day begins in UTC, as 2026-12-01, or a time as 2026-12-01T18:00Z (for good)
  --out <file>       write the export to a new file that only you can read
${pages}
${connection}

To list, find and show, and for the timeline, a key needs the scope read; to delete and to merge admin; else support.
${end}`;

export const countsHelp = `savepoint counts: what happened in a game, by days

Usage: savepoint counts [--from <day>] [--to <day>] [options]
Example: savepoint counts --from 2026-11-01 --to 2026-11-30 --env production

  --from <day>       the first day in UTC, as 2026-12-01; at most 366 days in all (30)
  --to <day>         the last day (today)
  --game <uuid>      the game (savepoint games lists them)                       SAVEPOINT_GAME_ID
  --env <name>       production, stage or development; it has no default         SAVEPOINT_ENV
${connection}

For each day: accounts that were made; sessions that began; conflicts that were met, and what was chosen in them: the
account of the device (local), the other one (cloud), or both merged; accounts that somebody came to, as a number and as
a bar. It takes a key with the scope read.
${end}`;

export const webhooksHelp = `savepoint webhooks: what a game's back end has not been told yet

Usage: savepoint webhooks list [options]
       savepoint webhooks retry --id <id> | --all [options]
Example: savepoint webhooks retry --all --game 5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d

  --game <uuid>      the game (savepoint games lists them)                       SAVEPOINT_GAME_ID
  --id <id>          the event that is to be sent again, as the list has it
  --all              all events that were set aside
${pages}
${connection}

An event that could not be delivered 32 times, which takes about a day, is set aside; list shows these, and how many
others wait. Those that are sent again come at once, each before the later ones of its player. To list takes a key with
the scope read, to retry support.
${end}`;

export const platformsHelp = `savepoint platforms: what players of a game may sign in with

Usage: savepoint platforms presets [options]
       savepoint platforms list [options]
       savepoint platforms show --name <name> [options]
       savepoint platforms add --name <name> --preset <preset> --set <field>=<value> --secret-env <field>=<variable>
                 [options]
       savepoint platforms set --name <name> --set <field>=<value> [options]
       savepoint platforms on|off --name <name> [options]
       savepoint platforms test --name <name> [--token-file <file>] [options]
       savepoint platforms remove --name <name> [options]
       savepoint platforms reseal [options]
Example: savepoint platforms add --name discord --preset discord --set clientId=1234 --env production

  --game <uuid>      the game (savepoint games lists them)                       SAVEPOINT_GAME_ID
  --env <name>       production, stage or development; it has no default         SAVEPOINT_ENV
  --name <name>      the name that clients use for it: a-z, 0-9, ".", "_" and "-"
  --preset <preset>  how its tokens are checked, as presets lists them
  --set <field>=<value>
                     what the preset needs to know; more than once for a list
  --unset <field>    take it away
  --secret-env <field>=<variable>
                     a secret, in a variable of the environment
  --secret-file <field>=<file>
                     a secret, in a file; - is stdin
  --off              add it without letting anybody in yet
  --take-over        add it under a name that had another preset: whoever it says has the id of a player of that one
                     gets that player's account
  --token-file <file>
                     the token that is tried, such as of a player of yours; - is stdin   SAVEPOINT_TOKEN
  reseal             seals all secrets by the present key, so that the former one is needed no longer
${connection}

All processes take a change up within 5 seconds. Whoever has signed in stays signed in; the links of players stay also
when a platform is removed. Secrets are sealed (SAVEPOINT_SEALING_KEY of the service), and shown to nobody. Platforms of
the configuration are listed, and changed there. presets, list and show take a key with the scope read, all else admin.
${end}`;

export const auditHelp = `savepoint audit: what operators have done, newest first

Usage: savepoint audit [options]
Example: savepoint audit --limit 20
         savepoint audit --all > audit.ndjson

${pages}
  --all              all of it, from --cursor on where that is given, each entry as JSON on a line of its own
${connection}

Each line says who did what, when, to which player, and what it was before and after. It is kept for a year.
${end}`;

export const operatorsHelp = `savepoint operators: list the operators' keys, or take one away

Usage: savepoint operators list [options]
       savepoint operators revoke --id <id> [options]
Example: savepoint operators revoke --id 7c9e6679-7425-40de-944b-e07fc1f90ae7

  --id <id>          the key to take away, as the list has it
${connection}

Both take a key with the scope admin. savepoint new-key operator makes keys.
${end}`;
