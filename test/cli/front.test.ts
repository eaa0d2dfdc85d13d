import { describe, expect, it } from 'vitest';
import { createServiceCore } from '../../src/backend/http/service-core.js';
import { createFront } from '../../src/cli/serve/front.js';

describe('createFront, while it drains', () => {
  it('waits for an answer that is made while it is sent, and no longer than it may', async () => {
    const waits: [number, () => void][] = [];
    let closed = 0;
    const body = {
      next: async () => null,
      close() {
        closed += 1;
      },
    };
    const front = createFront({
      service: createServiceCore(async () => ({ status: 200, headers: new Map(), body })),
      health: { writes: async () => true, reads: async () => true },
      warnings: () => [],
      log: () => {},
      now: Date.now,
      wait: (ms) => new Promise((resolve) => waits.push([ms, resolve])),
    });
    const request = new Request('http://saves.test/v2/auth/account/export');
    const sent = (await front.core.answer(request, {})).body as typeof body;
    const stuck = (await front.core.answer(request, {})).body as typeof body;
    expect(front.running()).toBe(2);
    sent.close();
    sent.close();
    expect([front.running(), closed]).toEqual([1, 2]);
    const drained = front.drain({ noticeMs: 5, maxMs: 7 });
    for (const ms of [5, 7]) {
      await expect.poll(() => waits.map(([waited]) => waited)).toContain(ms);
      waits.find(([waited]) => waited === ms)?.[1]();
    }
    await drained;
    expect(front.running()).toBe(1);
    stuck.close();
    expect(front.running()).toBe(0);
  });
});
