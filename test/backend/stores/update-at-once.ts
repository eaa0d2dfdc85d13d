import { pathOf } from '../../../src/protocol/addresses.js';
import * as headers from '../../../src/protocol/headers.js';
import { operations } from '../../../src/protocol/operations.js';
import { keepConnections } from '../../support/kept-connections.js';
import { signInGuest, type TestService, writeEntry } from '../../support/service.js';

const writers = 50;
const rounds = process.env['PROVE'] === '1' ? 100 : 40;

/** How often each writer writes, in a row, and how many of them do so at a time. */
type Phase = { rounds: number; atOnce: number };

/**
 * With all fifty at a time, 24 of 25 writes meet another one's: that is for `npm run prove`. With two, every second one does.
 */
const phases: readonly Phase[] =
  process.env['PROVE'] === '1'
    ? [{ rounds, atOnce: writers }]
    : [
        { rounds: 2, atOnce: writers },
        { rounds: rounds - 2, atOnce: 2 },
      ];

/** Every write that succeeds. */
export const updates = writers * rounds;

/** Fifty writers raise one entry by one, each as often as `rounds` says, over HTTP and whatever process is theirs. */
export async function updateAtOnce(services: readonly TestService[]) {
  const [first] = services as [TestService, ...TestService[]];
  const player = await signInGuest(first, 'device-of-writers');
  await writeEntry(first, player, { value: { n: 0 } });
  const connections = keepConnections();
  /** The versions that the writers were told. */
  const versions: number[] = [];
  let mismatches = 0;

  const write = ({ baseUrl, gameId }: TestService, n: number, version: number) =>
    connections.send(
      `${baseUrl}${pathOf(operations.updateEntry, { game: gameId, collection: 'progress', key: 'main' })}?env=0`,
      {
        method: 'PATCH',
        headers: { [headers.authorization]: `Bearer ${player.accessToken}`, [headers.contentType]: 'application/json' },
        text: JSON.stringify({ value: { n }, version }),
      },
    );

  for (const phase of phases) {
    const turns = createTurns(phase.atOnce);
    const writer = async (service: TestService): Promise<void> => {
      let known = { version: 0, n: 0 };
      const raise = async (): Promise<void> => {
        for (;;) {
          const { status, body } = await write(service, known.n + 1, known.version);
          if (status === 200) {
            versions.push(body.version);
            known = { version: body.version, n: known.n + 1 };
            return;
          }
          if (body.code !== 'version_mismatch') throw new Error(`${status} ${body.code}`);
          mismatches += 1;
          known = { version: body.currentVersion, n: body.currentValue.n };
        }
      };
      await turns(async () => {
        for (let done = 0; done < phase.rounds; done += 1) await raise();
      });
    };
    await Promise.all(
      Array.from({ length: writers }, (_, at) => writer(services[at % services.length] as TestService)),
    );
  }
  connections.close();
  return { player, versions: versions.sort((left, right) => left - right), mismatches };
}

/** Lets some go at a time, and the others in their order. */
function createTurns(atOnce: number): (go: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (go) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    await go();
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
}
