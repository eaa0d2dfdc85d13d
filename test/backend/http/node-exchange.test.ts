import { describe, expect, it } from 'vitest';
import { isStream, lengthOfText } from '../../../src/backend/http/answers.js';
import type { Outgoing } from '../../../src/backend/http/node-connections.js';
import { writeAnswer } from '../../../src/backend/http/node-exchange.js';
import { createTestService, signInGuest, writeText } from '../../support/service.js';

/** Each piece takes 1 ms to write, and the client so long to take it. */
function reader({ takesMs }: { takesMs: number }) {
  let [now, resumedAt] = [0, 0];
  const seen = { longestMs: 0, pauses: 0, written: [] as Uint8Array[], held: [] as number[] };
  const response = { writeHead() {}, end() {}, destroy() {} };
  const outgoing = {
    response,
    address: '',
    async write(piece: Uint8Array, heldBytes: number) {
      seen.written.push(piece);
      seen.held.push(heldBytes);
      now += 1;
      seen.longestMs = Math.max(seen.longestMs, now - resumedAt);
      await Promise.resolve();
      now += takesMs;
      return true;
    },
    async pause() {
      seen.pauses += 1;
      resumedAt = now;
    },
    clock: () => now,
    end() {},
  } as unknown as Outgoing;
  return { outgoing, seen };
}

describe('a large answer', () => {
  it('is written in slices to a client that reads fast, and others are served in between', async () => {
    for (const body of ['é'.repeat(1_000_000), ['é'.repeat(500_000), 'é'.repeat(500_000)]]) {
      const { outgoing, seen } = reader({ takesMs: 0 });
      await writeAnswer(outgoing, { status: 200, headers: new Map(), body });
      expect(Buffer.concat(seen.written).toString()).toBe('é'.repeat(1_000_000));
      expect(seen.longestMs).toBe(8);
      expect(seen.pauses).toBe(Math.floor(1_000_000 / 16_384 / 8));
    }
  });

  it('takes no turn of other long work for a client that is waited for', async () => {
    const { outgoing, seen } = reader({ takesMs: 50 });
    await writeAnswer(outgoing, { status: 200, headers: new Map(), body: 'x'.repeat(16_384 * 17) });
    expect(seen.pauses).toBe(2);
  });

  it('counts for its client what all of it takes in memory, until the last piece is written', async () => {
    const large = 'x'.repeat(20_000);
    const cases: [body: string | string[], held: number][] = [
      [large, 20_000],
      [[large, large], 40_000],
      // One such character, and the whole text takes two bytes for each.
      [`${large}€`, 40_002],
      [[large, `${large}€`], 60_002],
    ];
    for (const [body, held] of cases) {
      const { outgoing, seen } = reader({ takesMs: 0 });
      await writeAnswer(outgoing, { status: 200, headers: new Map(), body });
      expect([...new Set(seen.held)]).toEqual([held]);
    }
  });

  it('holds the values of a collection as they are kept, and no copy of all of them', async () => {
    const service = createTestService();
    const { accessToken } = await signInGuest(service);
    const value = `{"notes":"${'x'.repeat(100_000)}"}`;
    for (const key of ['a', 'b', 'c']) await writeText(service, { accessToken }, key, value);
    const path = `${service.baseUrl}/v2/cl/games/${service.gameId}/collections/progress?env=0`;
    const request = new Request(path, { headers: { Authorization: `Bearer ${accessToken}` } });
    const { body } = await service.backend.core.answer(request, {});
    if (body === null || typeof body === 'string' || isStream(body)) throw new Error('not in parts');
    expect(Math.max(...body.map(({ length }) => length))).toBe(value.length);
    expect(lengthOfText(body)).toBe(body.join('').length);
    expect(JSON.parse(body.join('')).map(({ key }: { key: string }) => key)).toEqual(['a', 'b', 'c']);
  });
});
