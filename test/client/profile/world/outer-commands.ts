import fc from 'fast-check';
import { type Accident, type Net, refusals } from './network.js';
import { nameOf, onDevice, pauses, step, type Weighted, which } from './steps.js';
import type { Name } from './values.js';
import type { World } from './world.js';

const anyNet = fc.oneof(
  fc.constantFrom<Net>('on', 'off', 'lost'),
  fc.constantFrom<Net>('on', 'held', 'busy', 'broken', 'portal', 'limited', 'closed', 'unauthorized'),
);
const accident = fc.constantFrom<Accident>('dropped', 'lost');
const hours = (count: number): number => count * 3_600_000;

/** What happens outside of the devices. */
export const outerCommands: Weighted[] = [
  [5, onDevice('net', fc.record({ net: anyNet }), setNet, ({ network }, { net }) => network.net !== net)],
  [
    3,
    onDevice(
      'accidents',
      fc.record({ next: fc.array(accident, { minLength: 1, maxLength: 4 }) }),
      ({ network }, { next }) => void network.accidents.push(...next),
    ),
  ],
  [
    2,
    fc.tuple(which, fc.constantFrom(...refusals, null), pauses).map(([index, refusal, after]) =>
      step(`refuse (${index}): ${refusal}`, after, (world) => {
        const name = nameOf(world, index);
        if (refusal === null) world.service.refusals.clear();
        else world.service.refusals.set(`${name}/main`, refusal);
        return name;
      }),
    ),
  ],
  [
    4,
    fc.tuple(fc.nat({ max: 5 }), which, fc.integer({ min: 1, max: 9 }), pauses).map(([account, index, amount, after]) =>
      step(
        `back end ${amount} (account ${account}, ${index})`,
        after,
        (world) => writeAsBackEnd(world, account, index, amount),
        (world) => world.service.accounts().length > 0 && backEndNames(world).length > 0,
      ),
    ),
  ],
  [
    5,
    fc
      .tuple(fc.constantFrom(250, 250, 2_000, 6_000, 30_000, 700_000, hours(2)), pauses)
      .map(([ms, after]) => step(`pass ${ms} ms`, after, (world) => world.turns.pass(ms))),
  ],
  [
    1,
    onDevice(
      'clock',
      fc.record({ skewMs: fc.constantFrom(0, hours(1), -hours(1), hours(24), -hours(24)) }),
      (device, { skewMs }) => {
        device.skewMs = skewMs;
      },
    ),
  ],
];

const backEndNames = ({ names }: World): Name[] =>
  names.filter((name) => ['purse', 'count', 'aged', 'tally', 'strict'].includes(name));

async function writeAsBackEnd(world: World, at: number, index: number, amount: number): Promise<string | undefined> {
  const { backEnd, service, removed } = world;
  const accounts = service.accounts().filter((one) => !removed.has(one));
  const account = accounts[at % accounts.length];
  const name = backEndNames(world)[index % backEndNames(world).length] as Name;
  if (account === undefined) return undefined;
  await (name === 'strict' ? backEnd.writeOdd(account) : backEnd.add(account, name as 'purse', amount));
  return name;
}

function setNet({ network, pages }: World['devices'][number], { net }: { net: Net }): void {
  network.set(net);
  // The browser says so.
  if (net === 'on') for (const page of pages) page?.raise('online');
}
