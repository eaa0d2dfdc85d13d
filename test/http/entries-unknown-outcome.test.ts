import { describe, expect, it } from 'vitest';
import { writeEntry } from '../../src/http/entries.js';
import { createSender } from '../../src/http/sender.js';

const title = 'The entry has another version than the update is based on.';

/** Loses the first answer, then refuses with what is stored. */
function writeThatLosesItsAnswer(currentVersion: number, currentValue: object) {
  let tries = 0;
  const send = createSender({
    backOffMs: () => 0,
    fetch: async () => {
      tries += 1;
      if (tries === 1) throw new TypeError('fetch failed');
      const problem = {
        type: 'about:blank',
        title,
        status: 409,
        code: 'version_mismatch',
        currentVersion,
        currentValue,
      };
      return Response.json(problem, { status: 409 });
    },
  });
  const call = { url: 'https://saves.test/entry', environment: 0, bearer: 'key' } as const;
  return writeEntry(send, { ...call, valueText: '{"coins":1}', version: 4 });
}

describe('a conditional write whose answer got lost', () => {
  it('counts as done where the stored entry is what it would have made', async () => {
    await expect(writeThatLosesItsAnswer(5, { coins: 1 })).resolves.toEqual({ version: 5 });
  });

  it('is a mismatch where another write took its version', async () => {
    await expect(writeThatLosesItsAnswer(5, { coins: 9 })).rejects.toMatchObject({ code: 'version_mismatch' });
  });

  it('has no known outcome where the entry was written more than once since', async () => {
    await expect(writeThatLosesItsAnswer(6, { coins: 9 })).rejects.toMatchObject({ code: 'network', retryable: true });
  });
});
