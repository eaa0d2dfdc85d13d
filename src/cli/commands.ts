import {
  auditHelp,
  countsHelp,
  gamesHelp,
  operatorsHelp,
  platformsHelp,
  playersHelp,
  webhooksHelp,
} from './admin/help.js';
import {
  backupHelp,
  checkHelp,
  devHelp,
  exportHelp,
  importHelp,
  initHelp,
  keysHelp,
  migrateHelp,
  moveHelp,
  newKeyHelp,
  restoreHelp,
  serveHelp,
  signHelp,
} from './help.js';
import type { ExitCode, Io } from './io.js';

type Run = (args: readonly string[], io: Io) => Promise<ExitCode>;

interface Command {
  help: string;
  /** Loaded when it is asked for, so that no command waits for what another needs. */
  load(): Promise<Run>;
  /** That it brings itself to an end when the program is asked to; all others are left where they are. */
  endsItself?: true;
}

export const commands = {
  init: { help: initHelp, load: async () => (await import('./init/init.js')).init, endsItself: true },
  dev: { help: devHelp, load: async () => (await import('./dev/dev.js')).dev, endsItself: true },
  serve: { help: serveHelp, load: async () => (await import('./serve/serve.js')).serve, endsItself: true },
  migrate: { help: migrateHelp, load: async () => (await import('./migrate.js')).migrate },
  check: { help: checkHelp, load: async () => (await import('./check/check.js')).check, endsItself: true },
  sign: { help: signHelp, load: async () => (await import('./sign.js')).sign },
  backup: { help: backupHelp, load: async () => (await import('./backup.js')).backup, endsItself: true },
  restore: { help: restoreHelp, load: async () => (await import('./backup.js')).restore, endsItself: true },
  move: { help: moveHelp, load: async () => (await import('./move/move.js')).move, endsItself: true },
  export: { help: exportHelp, load: async () => (await import('./export.js')).exportPlayers, endsItself: true },
  import: { help: importHelp, load: async () => (await import('./import.js')).importPlayers, endsItself: true },
  keys: { help: keysHelp, load: async () => (await import('./keys.js')).keys },
  games: { help: gamesHelp, load: async () => (await import('./admin/games.js')).games },
  players: { help: playersHelp, load: async () => (await import('./admin/players.js')).players },
  counts: { help: countsHelp, load: async () => (await import('./admin/counts.js')).counts },
  webhooks: { help: webhooksHelp, load: async () => (await import('./admin/webhooks.js')).webhooks },
  platforms: { help: platformsHelp, load: async () => (await import('./admin/platforms.js')).platforms },
  audit: { help: auditHelp, load: async () => (await import('./admin/audit.js')).audit },
  operators: { help: operatorsHelp, load: async () => (await import('./admin/operators.js')).operators },
  'new-key': { help: newKeyHelp, load: async () => (await import('./new-key.js')).newKey },
} as const satisfies { [name: string]: Command };
