import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTabs, type TabMessage } from '../../../src/client/platform/tabs.js';
import { until } from '../world.js';

/** A global object that has events, as those of pages and workers have. */
function stubGlobalTarget(): EventTarget {
  const target = new EventTarget();
  for (const name of ['addEventListener', 'removeEventListener'] as const)
    vi.stubGlobal(name, target[name].bind(target));
  return target;
}

describe('the tabs of one device', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('tell each other, in one message for a task, and not themselves', async () => {
    const [one, two] = [createTabs('a'), createTabs('a')];
    const heard: [string, TabMessage][] = [];
    one.listen({
      heard: (message) => void heard.push(['one', message]),
      wake: () => {},
      hide: () => {},
      seen: () => {},
    });
    two.listen({
      heard: (message) => void heard.push(['two', message]),
      wake: () => {},
      hide: () => {},
      seen: () => {},
    });
    one.notify('a:one');
    one.notify('a:two');
    one.notify('a:one');
    await until(() => heard.length > 0);
    one.pause(1_000);
    await until(() => heard.length > 1);
    expect(heard).toEqual([
      ['two', { keys: ['a:one', 'a:two'] }],
      ['two', { pauseMs: 1_000 }],
    ]);
    one.close();
    two.close();
  });

  it('notify nobody, and fail nothing, before they listen and after they are closed', () => {
    const tabs = createTabs('a');
    tabs.notify('a:key');
    tabs.listen({ heard: () => {}, wake: () => {}, hide: () => {}, seen: () => {} });
    tabs.close();
    tabs.notify('a:key');
    tabs.close();
  });

  it('hear of the network in a worker, too, which has no document', () => {
    const global = stubGlobalTarget();
    const tabs = createTabs('a');
    const wake = vi.fn();
    tabs.listen({ heard: () => {}, wake, hide: () => {}, seen: () => {} });
    global.dispatchEvent(new Event('online'));
    expect(wake).toHaveBeenCalledOnce();
    tabs.close();
    global.dispatchEvent(new Event('online'));
    expect(wake).toHaveBeenCalledOnce();
  });

  it('listen in a page that refuses a signal of another realm, and hear nothing once they are closed', () => {
    const page = Object.assign(new EventTarget(), { hidden: false });
    const refuseSignals = ({ addEventListener }: EventTarget, target: EventTarget) =>
      vi.fn((type: string, callback: () => void, options?: AddEventListenerOptions) => {
        if (options?.signal !== undefined) throw new TypeError("member signal is not of type 'AbortSignal'");
        addEventListener.call(target, type, callback);
      });
    const global = stubGlobalTarget();
    vi.stubGlobal('addEventListener', refuseSignals(global, global));
    vi.stubGlobal('document', Object.assign(page, { addEventListener: refuseSignals(page, page) }));
    const tabs = createTabs('a');
    const told: string[] = [];
    const tell = (what: string) => () => void told.push(what);
    tabs.listen({ heard: tell('heard'), wake: tell('wake'), hide: tell('hide'), seen: tell('seen') });
    const happen = (): void => {
      for (const type of ['online', 'pageshow', 'pagehide']) global.dispatchEvent(new Event(type));
      global.dispatchEvent(Object.assign(new Event('storage'), { key: 'a:key' }));
      page.dispatchEvent(new Event('visibilitychange'));
    };
    happen();
    expect(told).toEqual(['seen', 'wake', 'wake', 'hide', 'heard', 'wake', 'seen']);
    tabs.close();
    happen();
    expect(told).toHaveLength(7);
  });

  it('say at once whether the page can be seen, and when that changes', () => {
    const page = Object.assign(new EventTarget(), { hidden: true });
    vi.stubGlobal('document', page);
    stubGlobalTarget();
    const tabs = createTabs('a');
    const told: string[] = [];
    tabs.listen({
      heard: () => {},
      wake: () => void told.push('wake'),
      hide: () => void told.push('hide'),
      seen: (isSeen) => void told.push(isSeen ? 'seen' : 'unseen'),
    });
    for (const hidden of [false, true]) {
      page.hidden = hidden;
      page.dispatchEvent(new Event('visibilitychange'));
    }
    expect(told).toEqual(['unseen', 'wake', 'seen', 'hide', 'unseen']);
    tabs.close();
    page.dispatchEvent(new Event('visibilitychange'));
    expect(told).toHaveLength(5);
  });

  it('go on where the browser denies them a channel', () => {
    vi.stubGlobal(
      'BroadcastChannel',
      class {
        constructor() {
          throw new DOMException('denied', 'SecurityError');
        }
      },
    );
    const tabs = createTabs('a');
    tabs.listen({ heard: () => {}, wake: () => {}, hide: () => {}, seen: () => {} });
    tabs.notify('a:key');
    tabs.close();
  });

  it('go on where the browser has closed their channel', async () => {
    const channel = { postMessage: vi.fn(), close: vi.fn(), onmessage: null };
    channel.postMessage.mockImplementation(() => {
      throw new DOMException('closed', 'InvalidStateError');
    });
    vi.stubGlobal(
      'BroadcastChannel',
      class {
        constructor() {
          Object.assign(this, channel);
        }
      },
    );
    const tabs = createTabs('a');
    tabs.listen({ heard: () => {}, wake: () => {}, hide: () => {}, seen: () => {} });
    tabs.notify('a:key');
    await Promise.resolve();
    expect(channel.postMessage).toHaveBeenCalledOnce();
    tabs.pause(1_000);
    expect(channel.postMessage).toHaveBeenCalledTimes(2);
    tabs.close();
  });
});
