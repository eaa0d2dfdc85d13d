import { afterEach, describe, expect, it } from 'vitest';
import { openIndexedDb } from '../../src/client/storage/indexed-db.js';
import { createLadder } from '../../src/client/storage/ladder.js';
import { rungsFor } from '../../src/client/storage/rungs.js';
import type { StorageName } from '../../src/client/storage/storage-port.js';

const key = 'savepoint:test:session';

afterEach(async () => {
  localStorage.clear();
  await (await openIndexedDb()).removeItem(key);
});

function climb() {
  const steps: { from: StorageName; to: StorageName }[] = [];
  return {
    steps,
    ladder: createLadder(
      rungsFor(undefined, 'localStorage'),
      (_, task) => task(),
      (step) => void steps.push(step),
    ),
  };
}

/** Fills localStorage to its last byte, as a game's own saves may do. */
function fillLocalStorage(): void {
  let size = 1 << 22;
  let filler = 0;
  while (size >= 1) {
    try {
      localStorage.setItem(`filler-${filler}`, 'x'.repeat(size));
      filler += 1;
    } catch {
      size = Math.floor(size / 2);
    }
  }
}

describe('the ladder in a browser', () => {
  it('stands on localStorage, then IndexedDB, then memory', () => {
    expect(rungsFor(undefined, 'localStorage').map(({ name }) => name)).toEqual([
      'localStorage',
      'indexedDB',
      'memory',
    ]);
  });

  it('keeps values in localStorage', async () => {
    const { ladder, steps } = climb();
    await ladder.setItem(key, 'a');
    expect(localStorage.getItem(key)).toBe('a');
    expect(await climb().ladder.getItem(key)).toBe('a');
    expect(steps).toEqual([]);
  });

  it('goes to IndexedDB where localStorage is full from the start, with what localStorage still holds', async () => {
    localStorage.setItem(key, 'from before');
    fillLocalStorage();
    const { ladder, steps } = climb();
    expect(await ladder.getItem(key)).toBe('from before');
    expect(steps).toEqual([{ from: 'localStorage', to: 'indexedDB' }]);
    expect(await (await openIndexedDb()).getItem(key)).toBe('from before');
  });

  it('goes to IndexedDB where localStorage fills up later, and finds it again after a reload', async () => {
    const { ladder, steps } = climb();
    await ladder.setItem(key, 'small');
    fillLocalStorage();
    const large = 'y'.repeat(10_000);
    await ladder.setItem(key, large);
    expect(await ladder.getItem(key)).toBe(large);
    expect(steps).toEqual([{ from: 'localStorage', to: 'indexedDB' }]);
    expect(localStorage.getItem(key)).toBeNull();
    localStorage.clear();
    const reloaded = climb();
    expect(await reloaded.ladder.getItem(key)).toBe(large);
    expect(localStorage.getItem(key)).toBe(large);
    expect(reloaded.steps).toEqual([]);
  });
});

describe('IndexedDB', () => {
  it('keeps, gives back and removes', async () => {
    const storage = await openIndexedDb();
    expect(await storage.getItem(key)).toBeUndefined();
    await storage.setItem(key, 'a');
    await storage.setItem(key, 'b');
    expect(await (await openIndexedDb()).getItem(key)).toBe('b');
    await storage.removeItem(key);
    expect(await storage.getItem(key)).toBeUndefined();
  });
});

describe('a sandboxed frame', () => {
  it('has neither localStorage nor IndexedDB, and the SDK plays on in memory', async () => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    const said = new Promise<unknown>((resolve) => {
      addEventListener('message', (event) => event.source === frame.contentWindow && resolve(event.data), {
        once: true,
      });
    });
    const page = new URL('./sandboxed-player.ts', import.meta.url).href;
    frame.srcdoc = `<script type="module">
      addEventListener('unhandledrejection', (event) => parent.postMessage({ failed: String(event.reason) }, '*'));
      import(${JSON.stringify(page)}).catch((error) => parent.postMessage({ failed: String(error) }, '*'));
    </script>`;
    document.body.append(frame);
    expect(await said).toEqual({
      localStorage: 'SecurityError',
      // The session's storage, and that of the saves.
      degraded: [
        { from: 'localStorage', to: 'memory' },
        { from: 'indexedDB', to: 'memory' },
      ],
      states: ['guest', 'linked', 'signedOut'],
      level: 3,
    });
    frame.remove();
  });
});
