import { demoGame } from '../demo.js';
import { type FaultRates, slowMs } from './faults.js';
import { guestCommand, readCommand, shortClientCode } from './first-steps.js';
import type { SeededPlayer } from './seed-demo.js';

export interface Ready {
  url: string;
  /** Where the console is; with the one-time link, where it needs one. */
  consoleUrl: string;
  gameId: string;
  privateKey: string;
  /** `memory`, or what keeps it over a restart. */
  store: string;
  seeded: readonly SeededPlayer[];
  faults: FaultRates | null;
}

/** What can be tried, once it is ready. */
export function banner({ url, consoleUrl, gameId, privateKey, store, seeded, faults }: Ready): string {
  const place = { url, gameId };
  const isDemoKey = privateKey === demoGame.privateKey;
  const kept =
    store === 'memory'
      ? 'It keeps everything in memory: when it stops, all of it is gone.'
      : `It keeps everything in ${store}, also when it stops.`;
  return `
  The service is ready. ${kept}

  Address       ${url}
  Console       ${consoleUrl}   (open it in a browser${consoleUrl.includes('#') ? '; the link works once' : ''})
  Game id       ${gameId}
  Private key   ${isDemoKey ? `${privateKey}   (a demo key: everybody knows it)` : 'the one that you gave'}
${faultsLine(faults)}  Stop          Ctrl-C
${playersPart(seeded)}
  Sign a guest in:
    ${guestCommand(place)}

  Read what a game's back end sees of that player, with the userId of the answer:
    ${readCommand(place, isDemoKey ? privateKey : '<private key>')}

  Or in a page:
    ${shortClientCode(place).replace(/\n(?=.)/g, '\n    ')}

`;
}

/** The same for a terminal in which another command runs as well. */
export function oneLine({ url, consoleUrl }: Ready): string {
  return `  savepoint  ${url}   console  ${consoleUrl}   stop  Ctrl-C\n`;
}

function faultsLine(faults: FaultRates | null): string {
  return faults === null ? '' : `  Faults        of the requests ${faultsSaid(faults)}\n`;
}

/** `20 % answered after 2 s, 5 % lost`. */
export function faultsSaid({ slow, 503: refused, lost, offline }: FaultRates): string {
  const parts = [
    [slow, `answered after ${slowMs / 1000} s`],
    [refused, 'refused with 503'],
    [lost, 'carried out without an answer'],
    [offline, 'lost'],
  ] as const;
  const said = parts.filter(([rate]) => rate > 0).map(([rate, what]) => `${Math.round(rate * 100)} % ${what}`);
  return said.join(', ') || 'none';
}

function playersPart(seeded: readonly SeededPlayer[]): string {
  if (seeded.length === 0) return '';
  const lines = seeded.map(({ username, password }) => `    ${username.padEnd(8)}${password}\n`);
  return `\n  Players, with their passwords, each with a save in the collection progress:\n${lines.join('')}`;
}
