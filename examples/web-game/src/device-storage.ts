/** The part of `Storage` that the SDK asks of a storage. */
export interface DeviceStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const prefixOf = (device: string): string => `device-${device}:`;

/** A corner of localStorage under a prefix: to the SDK it is a device of its own. */
export function createDeviceStorage(device: string): DeviceStorage {
  const prefix = prefixOf(device);
  return {
    getItem: (key) => localStorage.getItem(prefix + key),
    setItem: (key, value) => localStorage.setItem(prefix + key, value),
    removeItem: (key) => localStorage.removeItem(prefix + key),
  };
}

/** Makes it a device that was never used. */
export function wipeDevice(device: string): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefixOf(device))) localStorage.removeItem(key);
  }
}
