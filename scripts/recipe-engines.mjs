// Where the engines of examples/recipes are, and with --install how they get there: what their package-lock.json names,
// beside the packages. `npm install` leaves them out, for they are 450 MB, and one test needs them.
import { packagesApart } from './packages-apart.mjs';

const engines = packagesApart({
  named: 'examples/recipes',
  cache: 'recipe-engines',
  title: 'The engines of the recipes',
});

export const howToInstallRecipeEngines = 'Run node scripts/recipe-engines.mjs --install.';
export const findRecipeEngines = engines.find;

if (process.argv.includes('--install')) engines.install();
