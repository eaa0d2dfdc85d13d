import { createAccountParts } from './account.js';
import { startGame } from './game/game.js';
import { nextMagnetPrice } from './game/progress.js';
import { createStage } from './game/stage.js';
import { drawHud } from './hud.js';
import { createNetworkSwitch, readNetwork } from './network-switch.js';
import { createNotes } from './notes.js';
import { element, say } from './page.js';
import { createPlayer, openSaves } from './player.js';
import { obeyTwoDevices } from './remote.js';

const device = new URLSearchParams(location.search).get('device');
if (device !== null) document.documentElement.dataset['device'] = device;

const notes = createNotes(device);
const player = createPlayer(device, readNetwork(notes));
const saves = openSaves(player, draw);
const account = createAccountParts(player, {
  toggled(isOpen) {
    if (isOpen) game.pause();
    remote.report();
  },
  happened(what) {
    if (what === 'undone') game.reset();
    if (what !== 'cancel') look();
    remote.happened(what);
  },
});
createNetworkSwitch(player, notes, draw);
const canvas = element<HTMLCanvasElement>('canvas');
const isPlaying = (): boolean => isReady && player.auth.state !== 'signedOut';
let isReady = false;
let isDrawPlanned = false;
let lastUser: string | null = null;

const stage = createStage(canvas);
const game = startGame({
  canvas,
  stage,
  progress: () => saves.progress,
  mayFly: () => stage.canDraw && isPlaying() && !account.isChoosing,
  onGains: saves.add,
  onLevel: showBanner,
  onView: draw,
});
const remote = obeyTwoDevices(device, {
  player,
  saves,
  isChoosing: () => account.isChoosing,
  isReady: () => isReady,
  look,
});

function draw(): void {
  // Once for all that changes in one go; and the game speaks up while it is still being made.
  if (isDrawPlanned) return;
  isDrawPlanned = true;
  queueMicrotask(() => {
    isDrawPlanned = false;
    const signedOut = player.auth.state === 'signedOut';
    const who = signedOut ? 'nobody' : isReady ? 'somebody' : 'starting';
    drawHud(game.view, saves.progress, who === 'somebody' && !stage.canDraw ? 'unseen' : who);
    account.draw(isReady);
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

element('fly').addEventListener('click', () => game.fly());
element('pause').addEventListener('click', () => game.pause());
// After a click the space bar is the game's again; whoever came by the keyboard keeps the place.
document.addEventListener('click', ({ detail, target }) => {
  const pressed = target instanceof Element ? target.closest('button, summary') : null;
  if (detail > 0 && pressed instanceof HTMLElement && pressed.closest('dialog') === null) pressed.blur();
});

element('buy').addEventListener('click', () => {
  const { coins, magnet } = saves.progress;
  const price = nextMagnetPrice(saves.progress);
  if (price !== null && coins >= price) saves.add({ coins: -price, magnet: magnet + 1 });
});

/** What may have changed elsewhere: another device plays the same save, or has taken its name. */
function look(): void {
  saves.look();
  account.look();
}

player.events.on('syncChanged', draw);
player.events.on('stateChanged', ({ state }) => {
  if (state === 'signedOut') isReady = false;
  if (state === 'signedOut' || state === 'conflict') game.pause();
  draw();
});
player.events.on('initialized', ({ userId }) => {
  isReady = true;
  // A guest's first account has the progress that was made before it; anybody else's is another game.
  if (lastUser !== null && userId !== lastUser) game.reset();
  lastUser = userId;
  look();
  draw();
});
player.events.on('sessionExpired', () => {
  say(element('notice'), 'Your session has ended. Sign in again to go on with your save.');
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) account.look();
});
// What another device, the game's back end or support writes is seen while it is played.
player.profile.follow();

// Without a network nobody is signed in yet, and the player plays all the same.
await player.init();
isReady ||= player.auth.state !== 'signedOut';
draw();
