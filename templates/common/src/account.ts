import type { Client, Conflict } from 'savepoint';

/** A name and a password for the guest, and the dialog in which the player chooses where the name leads to another save. */
export function showAccount(client: Client, place: HTMLElement): void {
  const form = document.createElement('form');
  form.innerHTML = `
    <input name="name" aria-label="Name" placeholder="Name" autocomplete="username" required />
    <input name="password" aria-label="Password" placeholder="Password" type="password" autocomplete="current-password" required />
    <button>Keep my save</button>`;
  const line = document.createElement('p');
  line.setAttribute('role', 'status');
  place.append(line, form);

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    const result = await client.auth.withName(String(fields.get('name')), String(fields.get('password')));
    draw();
    if (!result.success && result.error.code !== 'conflict_cancelled')
      line.textContent = `That did not work: ${result.error.code}`;
  });
  client.events.on('stateChanged', draw);
  client.events.on('conflict', (conflict) => ask(client, conflict));
  draw();

  function draw(): void {
    const isGuest = client.auth.state === 'guest';
    form.hidden = !isGuest;
    line.textContent =
      { guest: '', linked: 'Your save is kept on every device.' }[client.auth.state as string] ?? 'Signing in …';
  }
}

/** Nothing changes before the answer. What loses is kept for 30 days. */
function ask(client: Client, conflict: Conflict): void {
  const dialog = document.createElement('dialog');
  const held = (fields: Conflict['local']['fields']) => `${Number(fields[0]?.value ?? 0)} fireflies`;
  dialog.innerHTML = `
    <p>That name already has a save, with ${held(conflict.cloud.fields)}. This device has ${held(conflict.local.fields)}.</p>
    <menu>
      <button value="merge">Merge both</button>
      <button value="cloud">Take the name's save</button>
      <button value="local">Keep this device's</button>
      <button value="cancel">Later</button>
    </menu>`;
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    void choose('cancel');
  });
  dialog.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLButtonElement) void choose(target.value as 'local' | 'cloud' | 'merge' | 'cancel');
  });
  document.body.append(dialog);
  dialog.showModal();

  async function choose(choice: 'local' | 'cloud' | 'merge' | 'cancel'): Promise<void> {
    await conflict.resolve(choice);
    // An unreachable service leaves the conflict open: the player can choose again.
    if (client.conflict === null) dialog.remove();
  }
}
