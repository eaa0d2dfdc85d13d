import type { Account, Outcome } from './account.js';
import { element, say } from './page.js';
import { shortId } from './texts.js';

export interface AccountPanel {
  draw(): void;
  /** Fills the form and sends it, as a player would. */
  signIn(name: string, password: string): void;
}

export interface AccountPanelOptions {
  /** Whether it is known who plays. */
  isReady(): boolean;
  notice(text: string): void;
}

/** The card that says who plays, with everything a player can do about it. */
export function createAccountPanel(account: Account, { isReady, notice }: AccountPanelOptions): AccountPanel {
  const form = element<HTMLFormElement>('name-form');
  const name = element<HTMLInputElement>('name');
  const password = element<HTMLInputElement>('password');
  const submit = element<HTMLButtonElement>('form-submit');
  const guest = element<HTMLButtonElement>('play-guest');
  const switching = element<HTMLButtonElement>('switch');
  const leaving = element<HTMLButtonElement>('sign-out');
  const switchDialog = element<HTMLDialogElement>('switch-dialog');
  const switchSubmit = element<HTMLButtonElement>('switch-submit');
  let busy = false;

  function draw(): void {
    const { state, userId } = account;
    const signedOut = state === 'signedOut';
    const starting = !signedOut && !isReady();
    // Before the service was ever reached, the save is the device's alone.
    const isGuest = account.isGuest || userId === null;
    const linked = !isGuest && !signedOut && !starting;
    const who = account.name ?? (isGuest ? 'Guest' : 'Linked account');

    say(element('who'), signedOut ? 'Signed out' : starting ? 'Signing in…' : who);
    const where = isGuest ? 'on this device' : 'opens anywhere';
    say(element('who-note'), signedOut || starting ? '' : userId === null ? where : `${where} · id ${shortId(userId)}`);
    const badge = element('badge');
    badge.dataset['kind'] = linked ? 'linked' : 'guest';
    say(badge, signedOut || starting ? '–' : who.slice(0, 1).toUpperCase());

    const isLost = isGuest && !starting && !signedOut && account.isForgotten;
    say(element('storage-note'), isLost ? 'This browser keeps nothing: a name is the only way back to this save.' : '');
    form.hidden = linked || starting;
    say(element('form-title'), signedOut ? 'Sign in with a name' : 'Give this save a name');
    say(
      element('form-note'),
      signedOut
        ? 'A name that nobody uses yet starts a new save.'
        : 'Then it opens on any device. If the name has a save already, you choose which to keep, or merge them.',
    );
    say(submit, signedOut ? 'Sign in' : 'Link name');
    password.autocomplete = signedOut ? 'current-password' : 'new-password';

    guest.hidden = !signedOut;
    switching.hidden = !linked;
    leaving.hidden = signedOut || starting || userId === null;
    element('history').hidden = leaving.hidden;
    for (const button of [submit, guest, switching, leaving]) button.disabled = busy || state === 'conflict';
  }

  async function run(action: () => Promise<Outcome>, errorId: string): Promise<boolean> {
    if (busy) return false;
    busy = true;
    for (const id of ['account-error', errorId]) say(element(id), '');
    draw();
    const { ok, text } = await action();
    busy = false;
    if (!ok) say(element(errorId), text);
    else if (text !== '') notice(text);
    draw();
    return ok;
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(() => account.withName(name.value, password.value), 'form-error').then((ok) => {
      if (ok) form.reset();
      else if (element('form-error').textContent !== '') password.select();
    });
  });

  guest.addEventListener('click', () => void run(account.asGuest, 'account-error'));
  leaving.addEventListener('click', () => void run(account.signOut, 'account-error'));

  switching.addEventListener('click', () => {
    say(element('switch-note'), `${account.name ?? 'Your account'} keeps this save. Whose do you want to play?`);
    say(element('switch-error'), '');
    element<HTMLFormElement>('switch-form').reset();
    switchDialog.showModal();
  });
  element('switch-cancel').addEventListener('click', () => switchDialog.close());
  element('switch-form').addEventListener('submit', (event) => {
    event.preventDefault();
    switchSubmit.disabled = true;
    const other = element<HTMLInputElement>('switch-name').value;
    const secret = element<HTMLInputElement>('switch-password').value;
    void run(() => account.switchTo(other, secret), 'switch-error').then((ok) => {
      switchSubmit.disabled = false;
      if (ok) switchDialog.close();
    });
  });

  return {
    draw,
    signIn(withName, withPassword) {
      name.value = withName;
      password.value = withPassword;
      form.requestSubmit();
    },
  };
}
