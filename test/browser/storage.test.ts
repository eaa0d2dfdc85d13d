import { describe, expect, it } from 'vitest';

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
      degraded: [{ from: 'indexedDB', to: 'memory' }],
      states: ['guest', 'linked', 'signedOut'],
      level: 3,
    });
    frame.remove();
  });
});
