import type { Gains } from './game/progress.js';
import { wipeDevice } from './notes.js';
import { element, say } from './page.js';
import type { Order, Report } from './remote.js';
import { type Scene, sceneOf } from './two-devices-story.js';

type Device = 'a' | 'b';

const devices: readonly Device[] = ['a', 'b'];
/** Each device has played a little, so that the choice means something. */
const seeds: Record<Device, Gains> = {
  a: { coins: 148, level: 6, best: 37 },
  b: { coins: 23, level: 2, best: 14 },
};
const nameKey = 'two-devices:name';
const password = 'fine feathers';

/** What the focus and the page come back to when the player has chosen; null where the guide did not bring it about. */
let leftAt: number | null = null;

const reports: Record<Device, Report | null> = { a: null, b: null };
const seeded: Record<Device, string | null> = { a: null, b: null };
let name = readName();

const frame = (device: Device): HTMLIFrameElement => element<HTMLIFrameElement>(`frame-${device}`);

/** A name of its own for each round: the name of the last one has an owner already. */
function newName(): string {
  const made = `ada-${crypto.randomUUID().slice(0, 4)}`;
  localStorage.setItem(nameKey, made);
  return made;
}

function readName(): string {
  return localStorage.getItem(nameKey) ?? newName();
}

function tell(device: Device, order: Order): void {
  frame(device).contentWindow?.postMessage(order, location.origin);
}

function openFrames(): void {
  for (const device of devices) {
    reports[device] = null;
    seeded[device] = null;
    frame(device).src = `./index.html?device=${device}`;
  }
  draw();
}

function startOver(): void {
  for (const device of devices) {
    // An empty frame first: a game that is still open would write its session back.
    frame(device).src = 'about:blank';
    frame(device).addEventListener('load', () => emptied(device), { once: true });
  }
}

const empty = new Set<Device>();

function emptied(device: Device): void {
  empty.add(device);
  if (empty.size < devices.length) return;
  empty.clear();
  for (const each of devices) wipeDevice(each);
  name = newName();
  openFrames();
}

function seedIfNew(device: Device, report: Report): void {
  const isNew = report.state === 'guest' && report.isReady && report.coins === 0 && report.level === 1;
  if (!isNew || seeded[device] === report.userId) return;
  seeded[device] = report.userId;
  tell(device, { order: 'seed', gains: seeds[device] });
}

addEventListener('message', (event: MessageEvent<Report>) => {
  const device = devices.find((each) => frame(each).contentWindow === event.source);
  if (event.origin !== location.origin || device === undefined) return;
  const before = reports[device];
  reports[device] = event.data;
  if (device === 'b' && event.data.happened !== before?.happened) tell('a', { order: 'look' });
  seedIfNew(device, event.data);
  draw();
  if (device !== 'b' || event.data.isChoosing === (before?.isChoosing ?? false)) return;
  if (event.data.isChoosing) frame('b').scrollIntoView({ block: 'nearest' });
  else comeBack();
});

/** The dialog has the focus while it is open, and on a phone it is far below the guide that led to it. */
function comeBack(): void {
  if (leftAt === null) return;
  const again = element<HTMLButtonElement>('sign-in-b');
  // Not "Start over": whoever goes on typing must not wipe both devices.
  (again.disabled ? element('story') : again).focus({ preventScroll: true });
  scrollTo({ top: leftAt });
  leftAt = null;
}

const stepNumber: Record<Scene['step'], number> = { wait: 0, link: 1, 'sign-in': 2, choose: 3, done: 4, lost: 0 };

function draw(): void {
  const { step, story } = sceneOf(reports.a, reports.b, name);
  say(element('story'), story);
  for (const number of [1, 2, 3]) {
    const now = stepNumber[step];
    element(`step-${number}`).dataset['state'] = number === now ? 'now' : number < now ? 'done' : 'later';
  }
  element<HTMLButtonElement>('link-a').disabled = step !== 'link';
  element<HTMLButtonElement>('sign-in-b').disabled = step !== 'sign-in';
  element('start-over').classList.toggle('primary', step === 'done' || step === 'lost');
}

element('link-a').addEventListener('click', () => tell('a', { order: 'signIn', name, password }));
element('sign-in-b').addEventListener('click', () => {
  leftAt = scrollY;
  tell('b', { order: 'signIn', name, password });
});
element('start-over').addEventListener('click', startOver);
openFrames();
