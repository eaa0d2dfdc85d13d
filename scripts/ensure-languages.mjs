// Before the tests in CI: sees to it that the languages of docs/guides/back-end.md are on this machine, where they can be installed.
import { installDebianPackages } from './debian.mjs';
import { isOnThisMachine, languages } from './languages.mjs';

const missing = () => languages.filter((language) => !isOnThisMachine(language));

const packages = missing().flatMap((language) => language.packages);
if (packages.length > 0) installDebianPackages(packages);
for (const { title, packages: names } of missing()) {
  console.log(`The program in ${title} will not be run. On Debian: apt-get install ${names.join(' ')}.`);
  if (process.env.CI) process.exitCode = 1;
}
