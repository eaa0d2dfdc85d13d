import { coinCount } from './texts.js';

/** The part of a conflict's side that the dialog needs. */
export interface Side {
  methods: readonly string[];
  changedAt: number | null;
  fields: readonly { field: string; value?: string | number | boolean | null | undefined }[];
}

export interface Held {
  coins: number;
  level: number;
  best: number;
}

/** The numbers of one side; an account that never saved has none, and counts as not begun. */
export function heldBy(side: Side): Held {
  const number = (name: string, otherwise: number): number => {
    const value = side.fields.find(({ field }) => field === name)?.value;
    return typeof value === 'number' ? value : otherwise;
  };
  return { coins: number('coins', 0), level: number('level', 1), best: number('best', 0) };
}

function heldText(side: Side): string {
  const { coins, level } = heldBy(side);
  return `${coinCount(coins)}, level ${level}`;
}

/** Which side a choice leaves behind, and whether anything still leads there afterwards. */
export function warningFor(choice: 'local' | 'cloud', sides: { local: Side; cloud: Side }, name: string): string {
  const left = choice === 'local' ? sides.cloud : sides.local;
  // Local takes the name away from the saved game; Cloud takes this device away from its save.
  const lost = choice === 'local' ? 'name' : 'device';
  const remains = left.methods.filter((method) => method !== lost);
  const what = choice === 'local' ? `the saved game (${heldText(left)})` : `this device’s progress (${heldText(left)})`;
  const fate =
    remains.length === 0
      ? 'Nothing opens it any more; after 30 days it is removed.'
      : remains.includes('device')
        ? `It loses the name “${name}” and stays on its own device.`
        : 'It stays with its other ways in.';
  return `Left behind: ${what}. ${fate}`;
}
