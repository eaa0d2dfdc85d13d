import { testPrivateKey } from '../../../support/service.js';
import { limits } from './limits.js';
import type { WatchedService } from './service.js';
import type { Truth } from './truth.js';
import { asBackEnd, oddKey, type Value } from './values.js';

/**
 * A game's back end of another make: it knows the private API as the interface shows it, reads and writes the values that it
 * sees, and knows nothing of any SDK.
 */
export interface BackEnd {
  /** Adds one to a counter, or a mark to the tally. */
  add(account: string, collection: 'purse' | 'count' | 'aged' | 'tally', amount: number): Promise<void>;
  /** Writes an entry, whatever is stored. */
  overwrite(account: string, collection: string, value: Value, key?: string): Promise<void>;
  /** Writes an entry that misses the game's schema, whatever is stored. */
  writeOdd(account: string): Promise<void>;
}

export function createBackEnd(service: WatchedService, truth: Truth): BackEnd {
  async function ask(
    method: string,
    account: string,
    place: string,
    body?: object,
  ): Promise<{ status: number; json: unknown }> {
    const url = `${service.baseUrl}/v2/pr/games/${service.gameId}/saves/${account}/collections/${place}?env=0`;
    const headers = { authorization: `Bearer ${testPrivateKey}`, 'content-type': 'application/json' };
    const answer = await service.answer(
      new Request(url, { method, headers }),
      body === undefined ? '' : JSON.stringify(body),
    );
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
  }

  async function read(account: string, collection: string): Promise<{ value?: Value; version: number }> {
    const { status, json } = await ask('GET', account, collection);
    const entries = status === 200 ? (json as { key: string; value: Value; version: number }[]) : [];
    return entries.find(({ key }) => key === 'main') ?? { version: -1 };
  }

  async function overwrite(account: string, collection: string, value: Value, key = 'main'): Promise<void> {
    await ask('PATCH', account, `${collection}/${key}`, { value, version: -1 });
  }

  return {
    add: async (account, collection, amount) => {
      const { value, version } = await read(account, collection);
      // The world does one thing at a time, so that nobody writes between the reading and the writing.
      const step =
        collection === 'tally'
          ? truth.begin({ collection, key: 'main', device: null, account, earlyOn: null, leavingOn: null, amount })
          : truth.totals.begin({ collection, account, device: null });
      const next = asBackEnd(collection, value, 'mark' in step ? step.mark : '');
      if (JSON.stringify(next).length > limits.valueBytes - 200) return;
      const { status } = await ask('PATCH', account, `${collection}/main`, { value: next, version });
      if (status !== 200) return;
      if ('mark' in step) truth.kept(step);
      else truth.totals.kept(step);
    },
    overwrite,
    writeOdd: (account) => overwrite(account, 'strict', { odd: true }, oddKey),
  };
}
