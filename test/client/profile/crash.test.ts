import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { testStart } from '../../support/service.js';
import { holdTime } from '../world.js';
import { createDevice, type Device, type Page } from './model/device.js';
import { watchService } from './model/service.js';
import { createTurns } from './model/turns.js';

beforeAll(() => holdTime(testStart));
afterAll(() => void vi.useRealTimers());

const progress = (page: Page) => page.client.profile.collection('progress');

async function createWorld(isAsync: boolean) {
  const turns = createTurns();
  const service = watchService();
  const device = createDevice('device', isAsync, service, turns);
  const start = async (): Promise<Page> => {
    const page = device.open(0);
    void page.client.init();
    await turns.rest();
    return page;
  };
  const flush = async (page: Page): Promise<void> => {
    page.client.profile.flush().catch(() => {});
    await turns.rest();
  };
  const history = () => service.history.map(({ value, version }) => [version, value]);
  return { turns, device, start, flush, history };
}

function setNet(device: Device, net: Device['net']): void {
  device.setNet(net);
}

describe.each([
  ['at once', false],
  ['in promises', true],
])('a storage that answers %s', (_, isAsync) => {
  // A set and its sending take fewer operations than this.
  it.each(Array.from({ length: 14 }, (__, index) => index + 1))(
    'has the old value or the new one where the page dies at its operation %i, and sends it once',
    async (operations) => {
      for (const isLastDone of [false, true]) {
        const { turns, device, start, flush, history } = await createWorld(isAsync);
        const first = await start();
        await Promise.all([progress(first).set('main', { level: 1, twin: 1 }), flush(first)]);
        first.fuse = { operations, isLastDone };
        let isKept = false;
        const keep = async (): Promise<void> => {
          await progress(first).set('main', { level: 2, twin: 2 });
          isKept = first.isAlive;
        };
        keep().catch(() => {});
        await flush(first);
        first.kill();
        await turns.rest();
        const second = await start();
        const shown = progress(second).get('main');
        if (isKept) expect(shown).toEqual({ level: 2, twin: 2 });
        expect([
          { level: 1, twin: 1 },
          { level: 2, twin: 2 },
        ]).toContainEqual(shown);
        await flush(second);
        expect(history()).toEqual(
          [
            [0, { level: 1, twin: 1 }],
            [1, { level: 2, twin: 2 }],
          ].slice(0, (shown as { level: number }).level),
        );
        second.kill();
        expect(device.pages).toEqual([undefined, undefined]);
        await turns.rest();
      }
    },
  );
});

describe('a page that dies', () => {
  it('sends at the next start what it had marked as sent, and had not sent', async () => {
    const { turns, device, start, flush, history } = await createWorld(false);
    const first = await start();
    setNet(device, 'off');
    await progress(first).set('main', { level: 1 });
    await flush(first);
    first.kill();
    setNet(device, 'on');
    await turns.rest();
    await flush(await start());
    expect(history()).toEqual([[0, { level: 1 }]]);
  });

  it('knows for its own what was stored without its knowledge, also where it was set again since', async () => {
    const { turns, device, start, flush, history } = await createWorld(false);
    const first = await start();
    setNet(device, 'lost');
    await progress(first).set('main', { level: 1 });
    await flush(first);
    first.kill();
    setNet(device, 'off');
    await turns.rest();
    const second = await start();
    await progress(second).set('main', { level: 2 });
    setNet(device, 'on');
    await turns.rest();
    await flush(second);
    expect(history()).toEqual([
      [0, { level: 1 }],
      [1, { level: 2 }],
    ]);
  });

  it('knows for its own what was stored without its knowledge, also where it had set it again before it died', async () => {
    const { turns, device, start, flush, history } = await createWorld(false);
    const first = await start();
    setNet(device, 'lost');
    await progress(first).set('main', { level: 1 });
    await flush(first);
    await progress(first).set('main', { level: 2 });
    first.kill();
    setNet(device, 'on');
    await turns.rest();
    await flush(await start());
    expect(history()).toEqual([
      [0, { level: 1 }],
      [1, { level: 2 }],
    ]);
  });

  it('lets the next one write what it never got to write', async () => {
    const { turns, start, flush, history } = await createWorld(true);
    const first = await start();
    void progress(first).set('main', { level: 1 });
    first.kill();
    await turns.rest();
    const second = await start();
    expect(progress(second).get('main')).toBeUndefined();
    void progress(second).set('main', { level: 2 });
    await flush(second);
    expect(history()).toEqual([[0, { level: 2 }]]);
  });
});
