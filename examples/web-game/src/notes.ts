/** A corner of localStorage under a prefix: to the SDK it is a device of its own. */
export function createDeviceStorage(device: string) {
  const prefix = prefixOf(device);
  return {
    getItem: (key: string) => localStorage.getItem(prefix + key),
    setItem: (key: string, value: string) => localStorage.setItem(prefix + key, value),
    removeItem: (key: string) => localStorage.removeItem(prefix + key),
  };
}

/** Makes it a device that was never used. */
export function wipeDevice(device: string): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefixOf(device))) localStorage.removeItem(key);
  }
}

/** Small things of this page that outlive a reload; where nothing can be stored, they last as long as the page. */
export interface Notes {
  get(name: string): string | null;
  set(name: string, value: string): void;
  /** Another tab has written the note. */
  onChange(name: string, listener: () => void): void;
}

export function createNotes(device: string | null): Notes {
  const prefix = `${device === null ? '' : prefixOf(device)}magpie:`;
  const here = new Map<string, string>();
  return {
    get(name) {
      try {
        return localStorage.getItem(prefix + name) ?? here.get(name) ?? null;
      } catch {
        return here.get(name) ?? null;
      }
    },
    set(name, value) {
      here.set(name, value);
      try {
        localStorage.setItem(prefix + name, value);
      } catch {
        // Full or forbidden: the page still knows it.
      }
    },
    onChange(name, listener) {
      addEventListener('storage', ({ key }) => key === prefix + name && listener());
    },
  };
}

function prefixOf(device: string): string {
  return `device-${device}:`;
}
