// What a save costs with 2,000 entries beside one, and what a start costs beside a bare database.
import { openChromium } from './chromium.mjs';
import { measureMap, measureSets, openProfile } from './opened.mjs';
import { measureInTurns, median, ratio } from './rounds.mjs';

/** How much more a set may cost with 2,000 entries than with one; how long it may take; how much more a start may cost. */
const goals = { entries: 1.5, microseconds: 60, start: 1.5 };

const profiles = {
  '1 entry': { entries: 1, isSent: true },
  '2,000 entries, sent': { entries: 2_000, isSent: true, bytes: 1_000 },
  '2,000 entries, unsent': { entries: 2_000, isSent: false, bytes: 1_000 },
};
const [one, sent, unsent] = Object.keys(profiles);
const setOf = (profile) => `set, ${profile}`;
const putOf = (profile) => `a bare idb put, ${profile}`;
const bareMap = 'a bare Map';

export async function printSetsInNode() {
  const map = new Map();
  const tasks = { [bareMap]: () => measureMap(map, 1_000) };
  const clients = [];
  for (const [name, options] of Object.entries(profiles)) {
    const { client, collection } = await openProfile(options);
    clients.push(client);
    tasks[setOf(name)] = () => measureSets(collection, 200);
  }
  const measured = await measureInTurns(tasks);
  for (const client of clients) client.dispose();

  console.log(`\nOne set, awaited, in Node ${process.version}, in memory${' '.repeat(18)}time  to Map  to 1 entry`);
  for (const [name, times] of Object.entries(measured)) {
    const toOne = name === bareMap ? '' : ratio(times, measured[setOf(one)]).toFixed(2);
    printRow(name, `${median(times).toFixed(1)} µs`, ratio(times, measured[bareMap]).toFixed(1), toOne);
  }
  const slowest = Math.max(...Object.keys(profiles).map((name) => median(measured[setOf(name)])));
  printGoal('the slowest set in Node', slowest, goals.microseconds, ' µs');
  printEntriesGoal('Node', measured);
}

export async function printCostsInChromium() {
  const chromium = await openChromium();
  try {
    const devices = {};
    for (const [name, options] of Object.entries(profiles)) {
      const device = await chromium.newDevice();
      const page = await device.newPage();
      await page.call('fill', options);
      devices[name] = { device, page };
    }
    await printSets(chromium.version, devices);
    await printStarts(chromium.version, devices[sent]);
  } finally {
    await chromium.close();
  }
}

async function printSets(version, devices) {
  const tasks = { [bareMap]: () => devices[one].page.call('measureMap', 1_000) };
  for (const [name, { page }] of Object.entries(devices)) {
    tasks[putOf(name)] = () => page.call('measurePuts', 50);
    tasks[setOf(name)] = () => page.call('measureSets', 50);
  }
  const measured = await measureInTurns(tasks);

  console.log(`\nOne set, awaited, in Chromium ${version}, IndexedDB`.padEnd(54), '   time  to put  to 1 entry');
  printRow(bareMap, `${median(measured[bareMap]).toFixed(1)} µs`);
  for (const name of Object.keys(profiles)) {
    const [put, set] = [measured[putOf(name)], measured[setOf(name)]];
    printRow(putOf(name), `${median(put).toFixed(0)} µs`, '1.0', ratio(put, measured[putOf(one)]).toFixed(2));
    printRow(
      setOf(name),
      `${median(set).toFixed(0)} µs`,
      ratio(set, put).toFixed(1),
      ratio(set, measured[setOf(one)]).toFixed(2),
    );
  }
  printEntriesGoal('Chromium', measured);
}

/** A start and a bare read, in a page where both have been before, and each in a page of its own. */
async function printStarts(version, { device, page }) {
  const inNewPage = async (name) => {
    const opened = await device.newPage();
    const time = await opened.call(name);
    await opened.close();
    return time;
  };
  const measured = await measureInTurns({
    getAll: () => page.call('measureGetAll'),
    start: () => page.call('measureStart'),
    newGetAll: () => inNewPage('measureGetAll'),
    newStart: () => inNewPage('measureStart'),
  });
  const { getAll, start, newGetAll, newStart } = measured;

  console.log(`\nA start with 2,000 entries of 1 kB, in Chromium ${version}`.padEnd(54), '   time  to getAll');
  const row = (name, times, base) => printRow(name, `${median(times).toFixed(0)} ms`, ratio(times, base).toFixed(2));
  row('a bare idb: open and getAll', getAll, getAll);
  row('init to the first get', start, getAll);
  row('a bare idb, in a new page', newGetAll, newGetAll);
  row('init to the first get, in a new page', newStart, newGetAll);
  printGoal('a start beside a bare getAll', ratio(start, getAll), goals.start);
}

function printRow(name, ...columns) {
  console.log(name.padEnd(46) + columns.map((column) => column.padStart(10)).join(''));
}

function printEntriesGoal(where, measured) {
  for (const name of [sent, unsent]) {
    printGoal(`${where}, ${name}, beside one`, ratio(measured[setOf(name)], measured[setOf(one)]), goals.entries);
  }
}

function printGoal(what, is, goal, unit = '') {
  const verdict = is > goal ? 'OVER the goal of' : 'within the goal of';
  console.log(`${what}: ${is.toFixed(unit === '' ? 2 : 1)}${unit}, ${verdict} ${goal}${unit}`);
}
