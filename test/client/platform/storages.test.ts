import { afterEach, expect, it, vi } from 'vitest';
import { platformStorages } from '../../../src/client/platform/storages.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('a page that has neither localStorage nor IndexedDB is denied them, as in WebKit with both switched off', () => {
  vi.stubGlobal('document', {});
  vi.stubGlobal('localStorage', null);
  expect(() => platformStorages.localStorage()).toThrow(expect.objectContaining({ name: 'SecurityError' }));
  expect(platformStorages.indexedDB()).toBeUndefined();
});

it('a page that has IndexedDB alone is denied nothing, as in some web views', () => {
  vi.stubGlobal('document', {});
  vi.stubGlobal('localStorage', null);
  vi.stubGlobal('indexedDB', {});
  expect(platformStorages.localStorage()).toBeUndefined();
});

it('a platform without a page has no localStorage, and is denied nothing', () => {
  vi.stubGlobal('document', undefined);
  expect(platformStorages.localStorage()).toBeUndefined();
});
