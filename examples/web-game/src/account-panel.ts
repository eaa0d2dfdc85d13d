import type { Account, Outcome } from './account.js';
import { element, say } from './page.js';
import type { SaveState, Saves } from './saves.js';
import { coinCount, shortId } from './texts.js';

const saveTexts: Record<SaveState, string> = {
  saved: 'All progress is saved.',
  unsaved: 'New coins, saved in a moment.',
  saving: 'Saving…',
  failed: 'Could not save. Play on: it is tried again by itself.',
};

export interface AccountPanel {
  draw(): void;
  /** Fills the form and sends it, as a player would. */
  signIn(name: string, password: string): void;
}

/** The card that says who plays and whether all is saved, with everything a player can do about it. */
export function createAccountPanel(account: Account, saves: Saves): AccountPanel {
  const form = element<HTMLFormElement>('name-form');
  const name = element<HTMLInputElement>('name');
  const password = element<HTMLInputElement>('password');
  const submit = element<HTMLButtonElement>('form-submit');
  const guest = element<HTMLButtonElement>('play-guest');
  const switching = element<HTMLButtonElement>('switch');
  const leaving = element<HTMLButtonElement>('sign-out');
  const switchDialog = element<HTMLDialogElement>('switch-dialog');
  const leaveDialog = element<HTMLDialogElement>('sign-out-dialog');
  let busy = false;

  function draw(): void {
    const { state, userId, isGuest } = account;
    const signedOut = state === 'signedOut';
    const linked = !isGuest && !signedOut && state !== 'starting';

    say(
      element('who'),
      signedOut
        ? 'Signed out'
        : state === 'starting'
          ? 'Signing in…'
          : (account.name ?? (isGuest ? 'Guest' : 'Linked account')),
    );
    say(
      element('who-note'),
      userId === null ? '' : `${isGuest ? 'on this device' : 'opens anywhere'} · id ${shortId(userId)}`,
    );
    const badge = element('badge');
    badge.dataset['kind'] = signedOut ? 'none' : isGuest ? 'guest' : 'linked';
    say(badge, signedOut ? '–' : (account.name ?? 'G').slice(0, 1).toUpperCase());

    const saveLine = element('save-state');
    saveLine.hidden = signedOut || state === 'starting';
    saveLine.dataset['state'] = saves.state;
    say(saveLine, saveTexts[saves.state]);
    element('save-now').hidden = saveLine.hidden || saves.state !== 'failed';

    form.hidden = linked || state === 'starting';
    say(element('form-title'), signedOut ? 'Sign in with a name' : 'Give this save a name');
    say(
      element('form-note'),
      signedOut
        ? 'A name that nobody uses yet starts a new save.'
        : 'With a name and a password it opens on any device. If the name has a save already, you choose which to keep.',
    );
    say(submit, signedOut ? 'Sign in' : 'Link name');
    password.autocomplete = signedOut ? 'current-password' : 'new-password';

    guest.hidden = !signedOut;
    switching.hidden = !linked;
    leaving.hidden = signedOut || state === 'starting';
    for (const button of [submit, guest, switching, leaving]) button.disabled = busy || state === 'conflict';
  }

  async function run(action: () => Promise<Outcome>, errorId: string): Promise<boolean> {
    if (busy) return false;
    busy = true;
    say(element(errorId), '');
    draw();
    const outcome = await action();
    busy = false;
    if (!outcome.ok) say(element(errorId), outcome.text);
    draw();
    return outcome.ok;
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    say(element('account-error'), '');
    void run(() => account.withName(name.value, password.value), 'form-error').then((ok) => {
      if (ok) form.reset();
      else if (!password.disabled && element('form-error').textContent !== '') password.select();
    });
  });

  guest.addEventListener('click', () => void run(() => account.asGuest(), 'account-error'));

  switching.addEventListener('click', () => {
    say(
      element('switch-note'),
      `${account.name ?? 'Your account'} keeps this save. A name that nobody uses yet starts a new one.`,
    );
    say(element('switch-error'), '');
    element<HTMLFormElement>('switch-form').reset();
    switchDialog.showModal();
  });
  element('switch-cancel').addEventListener('click', () => switchDialog.close());
  element('switch-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const submitSwitch = element<HTMLButtonElement>('switch-submit');
    submitSwitch.disabled = true;
    const other = element<HTMLInputElement>('switch-name').value;
    const secret = element<HTMLInputElement>('switch-password').value;
    void run(() => account.switchTo(other, secret), 'switch-error').then((ok) => {
      submitSwitch.disabled = false;
      if (ok) switchDialog.close();
    });
  });

  leaving.addEventListener('click', () => {
    void run(async () => {
      const before = saves.progress.coins;
      if (await saves.save()) return account.signOut();
      say(
        element('sign-out-note'),
        `Your latest progress (${coinCount(before)} in all) could not be saved: the service cannot be reached. Signed out, what is new since the last save is lost.`,
      );
      leaveDialog.showModal();
      return { ok: true };
    }, 'account-error');
  });
  element('sign-out-stay').addEventListener('click', () => leaveDialog.close());
  element('sign-out-anyway').addEventListener('click', () => {
    leaveDialog.close();
    void run(() => account.signOut(), 'account-error');
  });

  element('save-now').addEventListener('click', () => void saves.save());

  return {
    draw,
    signIn(withName, withPassword) {
      name.value = withName;
      password.value = withPassword;
      form.requestSubmit();
    },
  };
}
