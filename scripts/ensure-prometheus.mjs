// Before `npm run prove`: sees to it that there is a Prometheus for the test of the alerts, where it can be installed. Says
// plainly that the test is left out where it cannot. Only its programs are used: the test starts one of its own.
import { installDebianPackages } from './debian.mjs';
import { findPrometheus, howToInstallPrometheus } from './prometheus.mjs';

if (findPrometheus() === null) {
  console.log('No Prometheus is on this machine: installing one.');
  if (!installDebianPackages(['prometheus']) || findPrometheus() === null) {
    console.log(`The test of the alerts on a real Prometheus will be left out. ${howToInstallPrometheus}`);
  }
}
