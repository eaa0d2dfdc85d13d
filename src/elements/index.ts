export type { AccountElement } from './account/account-element.js';
export type { ConflictElement, ConflictResolved } from './conflict-element.js';
export { defineElements, type ElementsOptions } from './define-elements.js';
export type { GamepadState } from './element-host.js';
export type { HistoryElement, SnapshotEntry } from './history-element.js';
export type { ElementProperties } from './savepoint-element.js';
export type { SyncElement } from './sync-element.js';
export { english } from './texts/en.js';
export type { Texts } from './texts/texts.js';
