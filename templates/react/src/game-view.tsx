import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { showAccount } from './account';
import { levelOf, meadow, newFirefly, newGame } from './game';
import { openSaves } from './saves';

const saves = openSaves();
const watched = saves.progress.watch('main');

export function Game() {
  const account = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (account.current?.childElementCount === 0) showAccount(saves.client, account.current);
    void saves.client.init().then(() => saves.progress.load().catch(() => {}));
  }, []);
  const save = useSyncExternalStore(watched.subscribe, watched.getSnapshot) ?? newGame;
  return (
    <>
      <header>
        <h1>Fireflies</h1>
        <output id="score">{`Level ${levelOf(save)} · ${save.caught} caught · best visit ${save.best}`}</output>
        <div id="account" ref={account} />
      </header>
      <Meadow />
    </>
  );
}

function Meadow() {
  const [fireflies, setFireflies] = useState(meadow);
  function caught(id: number): void {
    setFireflies((all) => all.map((one) => (one.id === id ? newFirefly(id) : one)));
    void saves.catchOne();
  }
  return (
    <main id="meadow">
      {fireflies.map(({ id, x, y }) => (
        <button
          key={id}
          type="button"
          className="firefly"
          aria-label="A firefly"
          style={{ left: `${x * 100}%`, top: `${y * 100}%` }}
          onClick={() => caught(id)}
        />
      ))}
    </main>
  );
}
