import { describe, expect, it } from 'vitest';
import { createInOrder } from '../../src/cli/in-order.js';

/** Tasks that begin and end when they are let. */
function heldTasks() {
  const began: string[] = [];
  const ends = new Map<string, { end(): void; fail(error: Error): void }>();
  return {
    began,
    task: (name: string) => (): Promise<void> => {
      began.push(name);
      return new Promise((end, fail) => ends.set(name, { end, fail }));
    },
    end: (name: string): Promise<void> => settled(() => ends.get(name)?.end()),
    fail: (name: string): Promise<void> => settled(() => ends.get(name)?.fail(new Error(name))),
  };
}

async function settled(act = (): void => {}): Promise<void> {
  act();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('tasks in order', () => {
  it('run at once where they have no key in common, and one after the other where they have', async () => {
    const { began, task, end } = heldTasks();
    const inOrder = createInOrder(8);
    await inOrder.run(['ada'], task('first'));
    await inOrder.run(['ada', 'eve'], task('second'));
    await inOrder.run(['bob'], task('other'));
    await inOrder.run(['eve'], task('third'));
    await settled();
    expect(began).toEqual(['first', 'other']);
    await end('first');
    expect(began).toEqual(['first', 'other', 'second']);
    await end('second');
    expect(began).toEqual(['first', 'other', 'second', 'third']);
  });

  it('are so many at once, and the next one waits for its place', async () => {
    const { began, task, end } = heldTasks();
    const inOrder = createInOrder(2);
    await inOrder.run(['a'], task('a'));
    await inOrder.run(['b'], task('b'));
    const third = inOrder.run(['c'], task('c'));
    await settled();
    expect(began).toEqual(['a', 'b']);
    await end('b');
    await third;
    await settled();
    expect(began).toEqual(['a', 'b', 'c']);
  });

  it('begin no more after one has failed, and whoever gives the next one is told of it', async () => {
    const { began, task, end, fail } = heldTasks();
    const inOrder = createInOrder(8);
    await inOrder.run(['a'], task('a'));
    await inOrder.run(['b'], task('b'));
    await inOrder.run(['a'], task('never'));
    await settled();
    await fail('a');
    const told = inOrder.run(['c'], task('nor this')).catch(({ message }: Error) => message);
    const ended = inOrder.end().catch(({ message }: Error) => message);
    await end('b');
    expect([await told, await ended, began]).toEqual(['a', 'a', ['a', 'b']]);
  });
});
