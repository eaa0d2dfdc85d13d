// Before `npm run prove`: sees to it that there are a Prometheus, an nginx and a Caddy for the tests of deploy/, where they can be
// installed. Says plainly what is left out where they cannot. Only their programs are used: the tests start ones of their own.
import { findCaddy, howToInstallCaddy } from './caddy.mjs';
import { installDebianPackages } from './debian.mjs';
import { findNginx, howToInstallNginx } from './nginx.mjs';
import { findPrometheus, howToInstallPrometheus } from './prometheus.mjs';

ensure('Prometheus', 'prometheus', findPrometheus, howToInstallPrometheus);
ensure('Caddy', 'caddy', findCaddy, howToInstallCaddy);
ensure('nginx', 'nginx-light', findNginx, howToInstallNginx);

function ensure(title, debianPackage, find, howToInstall) {
  if (find() !== null) return;
  console.log(`No ${title} is on this machine: installing one.`);
  if (installDebianPackages([debianPackage]) && find() !== null) return;
  console.log(`The test on ${title} will be left out. ${howToInstall}`);
}
