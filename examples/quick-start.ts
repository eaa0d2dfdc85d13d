import { Auth, Events, Main, Profile } from 'savepoint';

// The name that the player typed belongs to an account already. Nothing changes before the choice.
Events.on('OnSystemProfileConflictAppeared', async (conflict) => {
  const keep = await askThePlayer(conflict.Local, conflict.Cloud); // your dialog: both sides, with what each one holds
  await conflict.Resolve(keep === 'this device' ? 'Local' : 'Cloud');
});

// An account's data is here: at the start, and after every change of account.
Events.on('OnSmartObjectsInitialized', async () => {
  const progress = Profile.Collection('progress', { merge: { level: 'max', coins: 'sum' } });
  await progress.load().catch(() => {}); // without a network, the copy on this device has to do
  startLevel(Number(progress.get('main')?.['level'] ?? 1));
});

const ready = await Main.Init({
  GameId: '5a7e9017-0c01-4d1e-8a9b-3c0ffee04873', // the demo game of `savepoint dev`
  Environment: 0, // 0 Development, 1 Stage, 2 Production
  BaseUrl: 'http://127.0.0.1:4873',
});
if (ready.Success) console.log('a guest already, by the device alone:', ready.UserId);

// Later, when the player wants to keep the progress: the same account, now reachable from every device.
const linked = await Auth.WithName('ada', 'correct horse');
if (!linked.Success) console.warn(linked.Error.code); // such as `invalid_credentials` or `network`; never a throw

// Kept on this device at once, and sent in the background: now, or when there is a network again.
await Profile.Collection('progress').update('main', (save) => ({ ...save, level: Number(save?.['level'] ?? 1) + 1 }));

declare function askThePlayer(local: object, cloud: object): Promise<'this device' | 'the other one'>;
declare function startLevel(level: number): void;
