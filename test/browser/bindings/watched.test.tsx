/** @jsxImportSource react */
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import type { Client, Watched } from 'savepoint';
import { mount, unmount } from 'svelte';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createApp, defineComponent, h, onScopeDispose, type ShallowRef, shallowRef } from 'vue';
import { textOf } from './binding-contract.js';
import { openGameWorld, type Progress } from './game-world.js';
import WatchedPage from './svelte/watched.svelte';

const world = openGameWorld();

/** What a game watches of a client, as the client gives it. */
function watchedOf({ profile, watchAccount }: Client) {
  const main = profile.collection<Progress>('progress').watch('main');
  return { main, status: profile.watchStatus(), account: watchAccount() };
}
type Parts = ReturnType<typeof watchedOf>;

function showInReact({ main, status, account }: Parts): void {
  function Page() {
    const value = useSyncExternalStore(main.subscribe, main.getSnapshot);
    const sync = useSyncExternalStore(status.subscribe, status.getSnapshot);
    const { state } = useSyncExternalStore(account.subscribe, account.getSnapshot);
    return <p>{`${value?.coins ?? 'none'} ${sync} ${state}`}</p>;
  }
  const root = createRoot(world.place);
  onTestFinished(() => root.unmount());
  root.render(<Page />);
}

function showInSvelte(props: Parts): void {
  const page = mount(WatchedPage, { target: world.place, props });
  onTestFinished(() => unmount(page));
}

function showInVue({ main, status, account }: Parts): void {
  function toRef<T>(watched: Watched<T>): ShallowRef<T> {
    const value = shallowRef(watched.getSnapshot());
    onScopeDispose(
      watched.subscribe((next) => {
        value.value = next;
      }),
    );
    return value;
  }
  const page = defineComponent(() => {
    const [value, sync, who] = [toRef(main), toRef(status), toRef(account)];
    return () => h('p', `${value.value?.coins ?? 'none'} ${sync.value} ${who.value.state}`);
  });
  const app = createApp(page);
  onTestFinished(() => app.unmount());
  app.mount(world.place);
}

describe.each([
  ['useSyncExternalStore of React', showInReact],
  ['$store of Svelte', showInSvelte],
  ['a shallowRef of Vue', showInVue],
])('%s', (_, show) => {
  it('takes what the client gives to be watched as it is: an entry, the status and who plays', async () => {
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => complaints.mockRestore());
    const client = world.client();
    show(watchedOf(client));
    await vi.waitFor(() => expect(textOf(world)).toBe('none synced starting'));
    await client.init();
    await vi.waitFor(() => expect(textOf(world)).toBe('none synced guest'));
    world.goOffline();
    const progress = client.profile.collection<Progress>('progress');
    await progress.set('main', { coins: 1 });
    await vi.waitFor(() => expect(textOf(world)).toBe('1 offline guest'), { timeout: 10_000 });
    world.comeBack();
    await progress.update('main', (save) => ({ coins: (save?.coins ?? 0) + 1 }));
    await client.profile.flush();
    await vi.waitFor(() => expect(textOf(world)).toBe('2 synced guest'));
    expect(complaints.mock.calls).toEqual([]);
  });
});
