import { setupWorker } from 'msw/browser';
import { createHandlers } from '../../src/backend/msw.js';
import { describeDoor } from '../support/doors.js';

describeDoor('MSW in a browser', async (service) => {
  const baseUrl = 'https://saves.test/api';
  const worker = setupWorker(...createHandlers(service.backend, { baseUrl }));
  await worker.start({ quiet: true, onUnhandledRequest: 'bypass' });
  return { address: baseUrl, fetch: (request) => fetch(request), close: async () => worker.stop() };
});
