import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Crossing } from './contract.js';
import { doorCases } from './doors/all-cases.js';
import type { DoorCase, DoorWorld } from './doors/door-case.js';
import { createTestService, type TestService, testGameId } from './service.js';

/** One way to the service: what is sent here comes out of its `fetch`. */
export interface Door {
  /** Sends a request to the address of the door. */
  fetch(request: Request): Promise<Response>;
  /** `{base_url}` and `{auth_url}` of the requests. */
  address: string;
  close(): Promise<void>;
}

interface DoorAnswer {
  status: number;
  headers: { [name: string]: string };
  body: unknown;
}

/**
 * The same requests, in the same order, through any door. Each answer is the one that the case names, and in every
 * header and member the one that a twin of the service gives without a door in between.
 *
 * What no door with a `fetch` in front of it can carry is tried on the port by raw bytes (node-door.test.ts): a header
 * that is there twice as two lines (`fetch` joins them: the cases here have the joined form), a body on GET, dot
 * segments and backslashes (the URL parser of the caller resolves them), a method that HTTP does not know (Node refuses it
 * itself), and an HTTP message cut off in the middle.
 */
export function describeDoor(
  name: string,
  open: (service: TestService) => Promise<Door>,
  { look = () => {} }: { look?: (crossing: Crossing) => void } = {},
): void {
  describe(`the service through ${name}`, () => {
    let door: Door;
    const ours: DoorWorld = { service: newService(), said: {} };
    const twin: DoorWorld = { service: newService(), said: {} };

    beforeAll(async () => {
      door = await open(ours.service);
    });
    afterAll(async () => {
      await door.close();
    });

    for (const row of doorCases) {
      if (row.needs !== undefined && !canSet(row.needs)) {
        it(`leaves to other doors, because a page may not set ${row.needs}: ${row.name}`, () => {
          expect(canSet(row.needs ?? '')).toBe(false);
        });
        continue;
      }
      it(row.name, async () => {
        const answered = await answerOf(ours, row, { address: door.address, fetch: door.fetch, look });
        const expected = await answerOf(twin, row, {
          address: 'http://twin.test',
          fetch: twin.service.fetch,
          look: () => {},
        });
        expect(answered.status).toBe(row.status);
        expect(answered.body).toEqual(row.body);
        expect(answered.headers).toMatchObject(row.headers ?? {});
        expect(answered).toEqual(expected);
      });
    }

    it('gives no answer where the service gives none, and is there again afterwards', async () => {
      ours.service.backend.control.fail({ with: 'offline' });
      await expect(door.fetch(new Request(`${door.address}/.well-known/jwks.json`))).rejects.toThrow(TypeError);
      ours.service.backend.control.fail({ with: 'lost-answer' });
      await expect(door.fetch(new Request(`${door.address}/.well-known/jwks.json`))).rejects.toThrow(TypeError);
      expect((await door.fetch(new Request(`${door.address}/.well-known/jwks.json`))).status).toBe(200);
    });
  });
}

function newService(): TestService {
  return createTestService({
    allowedOrigins: ['https://game.test'],
    game: { socialPlatforms: { arcade: (token) => (token === 'good' ? { id: 'arcade-1' } : null) } },
  });
}

function canSet(header: string): boolean {
  return new Request('http://page.test', { headers: { [header]: 'https://game.test' } }).headers.has(header);
}

async function answerOf(
  world: DoorWorld,
  row: DoorCase,
  { address, fetch, look }: Pick<Door, 'address' | 'fetch'> & { look: (crossing: Crossing) => void },
): Promise<DoorAnswer> {
  const { method = 'GET', path, headers = [], body } = await row.request(world);
  const sent = new Headers();
  for (const [name, value] of headers) sent.append(name, value);
  const response = await fetch(
    new Request(address + path, { method, headers: sent, ...(body === undefined ? {} : { body }) }),
  );
  const text = await response.text();
  const { status, headers: answerHeaders } = response;
  // Below the address of the door, where the service sees it.
  look({ method, url: `http://saves.test${path}`, headers: sent, body, status, answerHeaders, answer: text });
  const said: unknown = text === '' ? undefined : JSON.parse(text);
  if (row.remember !== undefined) world.said[row.remember] = said;
  return { status: response.status, headers: headersOf(response), body: normalised(said) };
}

/** All but what the transport adds. */
function headersOf({ headers }: Response): { [name: string]: string } {
  const added = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']);
  const kept = [...headers].filter(([name]) => !added.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, normalised(value) as string]));
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const jwt = /^ey[\w-]+\.[\w-]+\.[\w-]+$/;
const random = new Set(['ticket', 'recoveryCode', 'kid', 'x', 'y']);

/** Without what is another one at each run. */
function normalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value === 'string') {
    if (uuid.test(value) && value !== testGameId) return '<uuid>';
    return jwt.test(value) ? '<token>' : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [name, random.has(name) ? `<${name}>` : normalised(member)]),
  );
}
