// Before the tests: sees to it that there is a PostgreSQL to start, and a PgBouncer, where they can be installed. Says plainly
// what is missing. Only their programs are used: the tests start servers of their own.
import { installDebianPackages } from './debian.mjs';
import { findPgBouncer, findPostgres } from './postgres.mjs';

const programs = [
  { title: 'PostgreSQL', debianPackage: 'postgresql', isThere: () => isGiven() || findPostgres() !== null },
  { title: 'PgBouncer', debianPackage: 'pgbouncer', isThere: () => findPgBouncer() !== null },
];
for (const program of programs) ensure(program);

/** CI has to have them. Elsewhere their tests are left out where they cannot be installed. */
function ensure({ title, debianPackage, isThere }) {
  if (isThere()) return;
  console.log(`No ${title} is on this machine: installing one.`);
  if (installDebianPackages([debianPackage]) && isThere()) return;
  console.log(`The tests on ${title} will be left out. On Debian: apt-get install ${debianPackage}.`);
  if (process.env.CI) process.exit(1);
}

function isGiven() {
  return Boolean(process.env.TEST_DATABASE_URL);
}
