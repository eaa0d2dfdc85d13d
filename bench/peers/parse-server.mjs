// parse-server on PostgreSQL, with its own defaults but for the log.
import { ParseServer } from 'parse-server';
import { report } from '../service/reporting.mjs';

const { server } = await ParseServer.startApp({
  appId: 'bench',
  masterKey: 'a key of nobody',
  databaseURI: JSON.parse(process.env.BENCH_PLACE).connectionString,
  serverURL: 'http://127.0.0.1/parse',
  mountPath: '/parse',
  host: '127.0.0.1',
  port: 0,
  verifyServerUrl: false,
  allowClientClassCreation: true,
  silent: true,
  logsFolder: null,
});
report(server.address().port);
