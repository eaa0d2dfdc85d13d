// For engines that are compiled to WebAssembly, into which only texts, numbers and functions go: what the engine asks for, and
// one function of the engine that is told, as JSON, how everything stands. It comes after savepoint.global.js in the page.
// None of these names is one of Godot's `Object`, such as `set`, `get` or `call`: those Godot would call in their place.
(() => {
  const client = savepoint.createClient({
    gameId: '5a7e9017-0c01-4d1e-8a9b-3c0ffee04873', // the demo game of `savepoint dev`
    environment: 0,
    baseUrl: 'http://127.0.0.1:4873',
  });
  const progress = client.profile.collection('progress', { merge: { coins: 'sum' } });
  const status = client.profile.watchStatus();
  /**
   * Whether it is known what there is: the service has said it, this device has a value, or nobody has an account here yet. Before
   * that no new game is begun: it would stand beside the one in the cloud.
   */
  let isLoaded = false;
  /** Why the last value was refused; null where it was taken. */
  let problem = null;
  let latest;
  let tell = () => {};

  window.saves = {
    /** Signs the player in, and tells of the save under this key at once and whenever anything changes. */
    start(key, told) {
      const save = progress.watch(key);
      tell = () => {
        const { conflict } = client;
        told(
          JSON.stringify({
            isLoaded,
            problem,
            value: save.getSnapshot() ?? null,
            status: status.getSnapshot(),
            player: client.auth.userId,
            conflict: conflict && { local: conflict.local.entries, cloud: conflict.cloud.entries },
          }),
        );
      };
      for (const watched of [save, status, client.watchAccount()]) watched.subscribe(tell);
      client.events.on('conflict', tell);
      client.events.on('stateChanged', tell);
      const read = async () => {
        await client.init();
        const isRead = await progress.load().then(
          () => true,
          () => false,
        );
        isLoaded = isRead || client.auth.userId === null || save.getSnapshot() !== undefined;
        tell();
        if (!isLoaded) setTimeout(read, 5_000);
      };
      read();
    },

    /** Saves a value, as JSON. Gives '' or, where it is none, why; what the device or the service refuses comes as `problem`. */
    write(key, text) {
      try {
        const saving = progress.set(key, JSON.parse(text));
        latest = saving;
        const ended = (error) => {
          if (saving !== latest) return;
          problem = error?.code ?? null;
          tell();
        };
        saving.then(() => ended(), ended);
        return '';
      } catch (error) {
        return String(error.message);
      }
    },

    /** Links a name to the account; tells '' or the code of what went wrong. In a conflict it waits for `choose`. */
    async signIn(name, password, told) {
      const result = await client.auth.withName(name, password);
      told(result.success ? '' : result.error.code);
    },

    /** Answers the conflict that is open: 'local', 'cloud', 'merge' or 'cancel'. */
    choose(choice) {
      void client.conflict?.resolve(choice);
    },
  };
})();
