import { type Area, answers, type Check, compare, textOf } from '../contract.js';
import { has, header, listAt } from '../facts.js';

const uncached = header('Cache-Control', 'no-store');
const withStore = answers(200, has('status', 'ok'), has('store', 'reachable'), uncached);

/** A proxy may keep it from the outside, and `savepoint dev` and a service within a test have none. */
function healthAt(path: string, what: string, expected = withStore): Check {
  return {
    spec: 'gap',
    what: `${path}: ${what}`,
    expected: `${textOf(expected)}; or none there`,
    async look(world) {
      const answer = await world.toBase({ path });
      if (isHidden(answer.status)) return { holds: true, got: `${answer.status}`, note: 'there is none here' };
      const finding = compare(expected, answer, world);
      const warnings = warningsIn(answer.json);
      return warnings.length === 0 ? finding : { ...finding, note: `it warns: ${warnings.join(', ')}` };
    },
  };
}

const isHidden = (status: number): boolean => status === 403 || status === 404;

/** What whoever watches over the service is told. */
export const health: Area = {
  name: 'Health',
  checks: [
    healthAt('/health', 'the store takes writes'),
    healthAt('/health/ready', 'players may be sent here'),
    healthAt('/health/live', 'the process answers', answers(200, has('status', 'ok'), uncached)),
  ],
};

function warningsIn(json: unknown): unknown[] {
  return listAt(json, 'warnings').filter((code) => /^[a-z_]{1,40}$/.test(String(code)));
}
