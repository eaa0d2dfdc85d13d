// How soon a service answers, and what it takes before anybody plays.
import { median, range } from './figures.mjs';
import { sendAll } from './load.mjs';
import { guest } from './players.mjs';
import { start } from './processes.mjs';

const rounds = 5;

/** Starts one in memory a few times, and prints two lines. */
export async function measureStart() {
  const starts = [];
  const idle = [];
  for (let round = 0; round < rounds; round += 1) {
    const service = await start('./ours.mjs');
    await sendAll(service.port, [guest()]);
    starts.push(performance.now() - service.startedAt);
    idle.push((await service.ask('memory')).memory.rss / 1e6);
    await service.stop();
  }
  console.log(`\nstart of the process to the first guest: ${median(starts).toFixed(0)} ms ${range(starts)}`);
  console.log(`memory of the idle process: ${median(idle).toFixed(0)} MB ${range(idle)}`);
}
