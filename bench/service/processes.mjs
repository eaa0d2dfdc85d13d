// Each service that is measured has a process of its own, so that none disturbs another.
import { fork } from 'node:child_process';
import { once } from 'node:events';

const running = new Set();

/** Starts a file that reports its port; rejects with what it said last where it ends instead. */
export async function start(file, { place = {}, env = {}, execArgv = [], cwd } = {}) {
  const startedAt = performance.now();
  const child = fork(new URL(file, import.meta.url), {
    execArgv: ['--expose-gc', '--no-warnings', ...execArgv],
    cwd,
    env: { ...process.env, ...env, BENCH_PLACE: JSON.stringify(place) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-10_000);
  });
  running.add(child);
  const ended = once(child, 'exit').then(() => {
    running.delete(child);
    throw new Error(reasonOf(said));
  });
  // Who does not wait for an answer when it ends is told by the next question.
  ended.catch(() => {});
  const answer = async () => (await Promise.race([once(child, 'message'), ended]))[0];
  const { port } = await answer();
  const ask = (what = 'work') => {
    if (child.connected) child.send(what);
    return answer();
  };
  const stop = async () => {
    kill(child);
    await ended.catch(() => {});
  };
  return { port, ask, stop, startedAt };
}

/** Ends those that still run, without asking. */
export function stopAll() {
  for (const child of running) kill(child);
}

/** Some would let their connections end first, and wait for that. */
function kill(child) {
  child.kill('SIGKILL');
}

/** The line that names the error, of all that a process wrote as it ended. */
function reasonOf(said) {
  const lines = said.split('\n').map((line) => line.trim());
  return lines.find((line) => /error/i.test(line) && !line.startsWith('at ')) ?? lines.findLast(Boolean) ?? 'it ended';
}
