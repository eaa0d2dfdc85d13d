import { demoGame, usualHost, usualPort } from './demo.js';

export const help = `savepoint: player accounts and cloud saves for web games

Usage: savepoint <command> [options]

  dev          start the whole service on a port of this machine, in memory

  --help       show this; savepoint help dev shows more on a command
  --version    show the version
`;

export const devHelp = `savepoint dev: the whole service on a port of this machine, in memory, with a ready-made demo game

Usage: savepoint dev [options]

  --port <number>       the port; 0 takes a free one (${usualPort})
  --host <address>      who can reach it (${usualHost}: only this machine)
  --game-id <uuid>      the game's id (${demoGame.id})
  --private-key <key>   the game's private key (a demo key that everybody knows)
  --rate-limits         limit wrong passwords and new guests, as a service in use does
  --json               print one line of JSON when it is ready: url, baseUrl, authUrl, gameId, privateKey

Pages on this machine (localhost) may call it. The social platform "demo" takes tokens such as demo:ada.
Requests are logged to stderr, one line each. Ctrl-C or SIGTERM ends it, and what it kept is gone.
Exit codes: 0 when it was asked to end, 2 for a bad option or a taken port.
`;
