#!/usr/bin/env node
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createBoundedOutput } from './bounded-output.js';
import { exitCodeOf } from './interrupted.js';
import { run } from './run.js';
import { partOfSeveral } from './serve/cluster.js';
import { eventLine } from './serve/json-log.js';
import { UsageError } from './usage-error.js';

// It stands two folders below the package's root, built or not.
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** How long somebody may take to read what is left of the output. */
const lastWordsMs = 1_000;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Who asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(exitCodeOf(signal));
    stop.abort(signal);
  });
}
const part = partOfSeveral();
// The first process has been asked already, and whoever asks all of them at once asks no process twice.
part?.onAsked((what) => {
  if (what === 'stop') stop.abort('SIGTERM');
});
for (const stream of [process.stdout, process.stderr]) {
  // Who reads us may leave (`savepoint dev | head -1`); the service goes on.
  stream.on('error', () => {});
}

function isTerminalGone(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise<string>((resolve, reject) => {
    // Ctrl-C and Ctrl-D, which a terminal that is read line by line gives to the reader; where there is an answer
    // already, this changes nothing.
    lines.once('close', () => reject(new UsageError('nobody has answered, and nothing was done')));
    stop.signal.addEventListener('abort', () => lines.close(), { once: true });
    lines.question(question).then(resolve, reject);
  }).finally(() => lines.close());
}

process.exitCode = await run(process.argv.slice(2), {
  out: createBoundedOutput(process.stdout, (lines) => eventLine(Date.now(), 'log_dropped', { lines })),
  err: createBoundedOutput(
    process.stderr,
    (lines) => `savepoint: ${lines} lines were dropped, because nobody read them\n`,
  ),
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
  env: process.env,
  async input() {
    if (process.stdin.isTTY) return null;
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
  wait: (ms) => setTimeout(ms, undefined, { signal: stop.signal }).catch(() => {}),
  stop: stop.signal,
  onHangUp(listener) {
    const hasTerminal = process.stdin.isTTY || process.stdout.isTTY;
    process.on('SIGHUP', () => {
      // The same signal says that the terminal was closed: nobody would see the program any more, or end it.
      if (hasTerminal && isTerminalGone()) stop.abort('SIGHUP');
      else listener();
    });
    part?.onAsked((what) => {
      if (what === 'reload') listener();
    });
  },
  version: manifest.version,
  consoleFolder: fileURLToPath(new URL('../../dist/console/', import.meta.url)),
  templatesFolder: fileURLToPath(new URL('../../templates/', import.meta.url)),
  ...(process.stdin.isTTY && process.stdout.isTTY ? { ask } : {}),
});

// What a request has left open, such as a question to a social network, must not keep the program once it has ended.
// Nor must somebody who does not read what it says.
globalThis.setTimeout(() => process.exit(), lastWordsMs);
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
