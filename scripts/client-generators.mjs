// Where the generators of clients are that other people use, and with --install how they get there: what
// test/generated-clients/package-lock.json names, beside the packages. `npm install` leaves them out, for they want another
// TypeScript than this package, and one test needs them.
import { packagesApart } from './packages-apart.mjs';

const generators = packagesApart({
  named: 'test/generated-clients',
  cache: 'client-generators',
  title: 'The generators of clients',
});

export const howToInstallClientGenerators = 'Run node scripts/client-generators.mjs --install.';
export const findClientGenerators = generators.find;

if (process.argv.includes('--install')) generators.install();
