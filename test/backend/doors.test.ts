import { setupServer } from 'msw/node';
import { createHandlers } from 'savepoint/backend/msw';
import { serve } from 'savepoint/backend/node';
import { expect } from 'vitest';
import { openApiDocument } from '../../src/backend/openapi/document.js';
import { type Crossing, createContract } from '../support/contract.js';
import { describeDoor } from '../support/doors.js';

const contract = createContract(openApiDocument());
/** Every request and answer is one that the OpenAPI document has. */
const look = (crossing: Crossing) => expect(contract.problemsOf(crossing)).toEqual([]);

describeDoor(
  'its own fetch',
  async (service) => ({
    address: 'http://saves.test',
    fetch: service.fetch,
    close: async () => {},
  }),
  { look },
);

describeDoor(
  'MSW in Node',
  async (service) => {
    const server = setupServer(...createHandlers(service.backend, { baseUrl: 'https://saves.test' }));
    server.listen({ onUnhandledRequest: 'error' });
    return { address: 'https://saves.test', fetch: (request) => fetch(request), close: async () => server.close() };
  },
  { look },
);

describeDoor(
  'MSW in Node, below a path',
  async (service) => {
    const baseUrl = 'https://game.test/api/saves';
    const server = setupServer(...createHandlers(service.backend, { baseUrl }));
    server.listen({ onUnhandledRequest: 'error' });
    return { address: baseUrl, fetch: (request) => fetch(request), close: async () => server.close() };
  },
  { look },
);

describeDoor(
  'a port',
  async (service) => {
    const { url, close } = await serve(service.backend, { port: 0 });
    return { address: url, fetch: (request) => fetch(request), close };
  },
  { look },
);
