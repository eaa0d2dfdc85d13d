import { createMemoryStore } from 'savepoint/backend';
import { describeWorld } from '../client/profile/world/property.js';
import { realDatabases } from '../client/profile/world/real-databases.js';

// The saves are in the browser's own IndexedDB, whose transactions commit when its engine lets them.
describeWorld('the memory store, and IndexedDB', createMemoryStore, {
  few: 20,
  part: 1 / 100,
  databases: realDatabases,
});
