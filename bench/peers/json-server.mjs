// json-server on an object: nothing is checked, nothing is written to a disk.
import jsonServer from 'json-server';
import { report } from '../service/reporting.mjs';

const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use(jsonServer.router({ players: [], entries: [] }));
const server = app.listen(0, '127.0.0.1', () => report(server.address().port));
