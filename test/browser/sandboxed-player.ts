import { createClient } from '../../src/index.js';
import { createTestService } from '../support/service.js';

/** Runs in a frame with an origin of its own, where every storage throws; tells its parent what happened. */
async function play(): Promise<unknown> {
  let reason = 'none';
  try {
    localStorage.setItem('a', 'b');
  } catch (error) {
    reason = (error as Error).name;
  }
  const { gameId, baseUrl, fetch } = createTestService({ clock: () => Date.now() });
  const client = createClient({ gameId, environment: 0, baseUrl, fetch });
  const degraded: unknown[] = [];
  const states: string[] = [];
  client.events.on('storageDegraded', (step) => void degraded.push(step));
  client.events.on('stateChanged', ({ state }) => void states.push(state));
  await client.init();
  await client.auth.withName('ada', 'correct horse');
  const progress = client.profile.collection('progress');
  await progress.set('main', { level: 3 });
  const level = progress.get('main')?.['level'];
  await client.auth.signOut();
  client.dispose();
  return { localStorage: reason, degraded, states, level };
}

play().then(
  (report) => parent.postMessage(report, '*'),
  (error: unknown) => parent.postMessage({ failed: String(error) }, '*'),
);
