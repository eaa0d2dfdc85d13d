import { createMemoryStore } from 'savepoint/backend';
import { describeWorld } from '../client/profile/world/property.js';

// Each browser's own engine: its promises, its classes of fetch, its copies of values.
describeWorld('the memory store', createMemoryStore, { few: 30, part: 1 / 50 });
