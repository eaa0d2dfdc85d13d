import { beforeEach, describe, expect, it } from 'vitest';
import { createOthers, createRelay, type Relay, type ToPart, type Warning } from '../../src/cli/serve/relay.js';

const warning: Warning = {
  kind: 'warning',
  time: 1,
  code: 'untrusted_proxy',
  message: 'Name the proxy.',
  address: '192.0.2.1',
};
const shown = (id: string) => ({ id, data: { path: '/v2/auth/guest' } });

/** Three processes, each with what it sends and hears by the relay. */
describe('processes on one port', () => {
  let relay: Relay;
  let told: { [number: number]: ToPart[] };
  let late: Promise<void>;
  /** The requests that any of them has sent. */
  let sent: string[];
  let logged: Warning[];

  function start(number: number, numbers: () => Promise<unknown> = async () => `of ${number}`) {
    told[number] = [];
    const others = createOthers({
      send(message) {
        if ('shown' in message) sent.push(message.shown.id);
        relay.take(number, message);
      },
      wait: () => late,
    });
    const warnings = new Set<string>();
    others.onWarned((code) => void warnings.add(code));
    relay.begin(number, {
      numbers,
      tell(message) {
        told[number]?.push(message);
        others.take(message);
      },
    });
    const seen: string[] = [];
    others.onShown(({ id }) => void seen.push(id));
    return { ...others, seen, warnings };
  }

  beforeEach(() => {
    logged = [];
    relay = createRelay((one) => void logged.push(one));
    told = {};
    sent = [];
    late = new Promise(() => {});
  });

  it('know the numbers of all others, and of whom they know none', async () => {
    const one = start(1);
    start(2);
    start(3, async () => null);
    expect(await one.gather()).toEqual(['of 2', null]);
    relay.end(3);
    expect(await one.gather()).toEqual(['of 2']);
  });

  it('say that not all is known where the first process does not answer', async () => {
    const one = start(1);
    start(2, () => new Promise(() => {}));
    late = Promise.resolve();
    expect(await one.gather()).toEqual([null]);
  });

  it('ask twice at once, and each answer is of its own question', async () => {
    const answers: ((of: string) => void)[] = [];
    const one = start(1);
    start(2, () => new Promise((resolve) => answers.push(resolve)));
    const both = [one.gather(), one.gather()];
    answers[1]?.('second');
    answers[0]?.('first');
    expect(await Promise.all(both)).toEqual([['first'], ['second']]);
  });

  it('show their requests to the pages of others alone, and only while one watches', () => {
    const [one, two, three] = [start(1), start(2), start(3)];
    two.show(shown('nobody watches'));
    one.hear(true);
    one.show(shown('own'));
    two.show(shown('two'));
    three.show(shown('three'));
    // One that starts later is told that it is heard.
    start(4).show(shown('four'));
    expect([one.seen, two.seen, three.seen]).toEqual([['two', 'three', 'four'], [], []]);
    one.hear(false);
    two.show(shown('too late'));
    expect(one.seen).toHaveLength(3);
    // Nobody is sent what is for no page, and none its own.
    expect(sent).toEqual(['two', 'three', 'four']);
    expect(told[1]?.filter((message) => 'shown' in message)).toHaveLength(3);
  });

  it('warn once, and each of them knows of it, one that starts later too', () => {
    const [one, two] = [start(1), start(2)];
    one.warn(warning);
    two.warn({ ...warning, address: '192.0.2.2' });
    const three = start(3);
    three.warn(warning);
    expect(logged).toEqual([warning]);
    expect([one, two, three].map(({ warnings }) => [...warnings])).toEqual([
      ['untrusted_proxy'],
      ['untrusted_proxy'],
      ['untrusted_proxy'],
    ]);
    relay.forgetWarnings();
    two.warn(warning);
    expect(logged).toHaveLength(2);
    // It may have read its configuration anew after it was told.
    three.warnings.clear();
    three.warn(warning);
    expect([logged.length, [...three.warnings]]).toEqual([2, ['untrusted_proxy']]);
  });

  it('are heard no more when the one has ended whose page watched', () => {
    const [one, two] = [start(1), start(2)];
    one.hear(true);
    relay.end(1);
    two.show(shown('for nobody'));
    expect(one.seen).toEqual([]);
    expect(told[2]?.at(-1)).toEqual({ isHeard: false });
  });
});
