import { it } from 'vitest';
import { testOperatorKey } from '../support/operators.js';
import { setUpServe } from './served.js';
import { playSupportCase } from './support-case.js';

const { serve, whole, file, folder } = setUpServe();

it('gives a player who has merged wrongly the save back while the game runs', { timeout: 60_000 }, async () => {
  const env = { ...whole(), SAVEPOINT_STORE: `${folder()}/case.db`, SAVEPOINT_OPERATOR_KEY: testOperatorKey };
  const { url } = await serve([], { env });
  await playSupportCase({ file: file(), url, operatorKey: testOperatorKey });
});
