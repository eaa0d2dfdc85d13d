import { createAccount } from './account.js';
import { createAccountPanel } from './account-panel.js';
import { listenForConflicts } from './conflict-dialog.js';
import { createDeviceStorage } from './device-storage.js';
import { startGame } from './game/game.js';
import { nextMagnetPrice, noGains } from './game/progress.js';
import { createStage } from './game/stage.js';
import { drawHud } from './hud.js';
import { createNameTags } from './name-tags.js';
import { element, say } from './page.js';
import { createPlayer, progressSlot } from './player.js';
import { obeyTwoDevices } from './remote.js';
import { createSaves } from './saves.js';

const device = new URLSearchParams(location.search).get('device');
if (device !== null) document.documentElement.dataset['device'] = device;

const player = createPlayer(device);
const saves = createSaves({ slot: progressSlot(player), onChange: draw });
const account = createAccount({
  player,
  saves,
  tags: createNameTags(device === null ? localStorage : createDeviceStorage(device)),
});
const panel = createAccountPanel(account, saves);
const canvas = element<HTMLCanvasElement>('canvas');
const isPlaying = (): boolean => account.userId !== null && account.state !== 'signedOut';
let isDrawPlanned = false;

const game = startGame({
  canvas,
  stage: createStage(canvas),
  progress: () => saves.progress,
  mayFly: () => isPlaying() && document.querySelector('dialog[open]') === null,
  onGains: (gains) => saves.add(gains),
  onMoment: () => void saves.save(),
  onLevel: showBanner,
  onView: draw,
});
const remote = obeyTwoDevices(device, { account, saves, panel, player });

function draw(): void {
  // Once for all that changes in one go; and the game speaks up while it is still being made.
  if (isDrawPlanned) return;
  isDrawPlanned = true;
  queueMicrotask(() => {
    isDrawPlanned = false;
    drawHud(game.view, saves.progress, account.state === 'starting' ? 'starting' : isPlaying() ? 'somebody' : 'nobody');
    panel.draw();
    remote.report();
  });
}

function showBanner(level: number): void {
  const banner = element('banner');
  say(banner, `Level ${level}`);
  banner.classList.remove('shown');
  // Reading the layout makes the animation start anew.
  void banner.offsetWidth;
  banner.classList.add('shown');
}

element('fly').addEventListener('click', () => {
  element('fly').blur();
  game.fly();
});

element('buy').addEventListener('click', () => {
  const { progress } = saves;
  const price = nextMagnetPrice(progress);
  if (price === null || progress.coins < price) return;
  saves.add({ ...noGains, coins: -price, magnet: progress.magnet + 1 });
  void saves.save();
});

player.events.on('stateChanged', ({ state }) => {
  if (state === 'signedOut' || state === 'conflict') game.pause();
  draw();
});
player.events.on('initialized', () => {
  // Another account, or the first one: its numbers take the place of what was shown.
  void saves.open().then(game.reset);
});
player.events.on('sessionExpired', () => {
  say(element('account-error'), 'Your session has ended. Sign in again to go on with your save.');
});
player.events.on('storageDegraded', () => {
  say(element('account-error'), 'This browser lets nothing be stored: give your save a name to find it again.');
});
listenForConflicts(player, {
  name: () => account.asked,
  playing: () => account.playing,
  now: () => player.serverTime(),
  onOpen: () => game.pause(),
  onChosen: (choice) => remote.chosen(choice),
});

// What is new goes out before the page goes away, and when the way is free again.
document.addEventListener('visibilitychange', () => {
  if (document.hidden && saves.state === 'unsaved') void saves.save();
});
// Another tab may have named the account.
addEventListener('storage', draw);
addEventListener('online', () => {
  if (saves.state === 'failed') void saves.save();
});

const ready = await player.init();
if (!ready.success) {
  say(element('account-error'), 'The service cannot be reached. Reload the page to try again.');
}
draw();
