import { useEffect, useRef, useState } from 'react';
import { SavepointProvider, useSave } from 'savepoint/react';
import { showAccount } from './account';
import { levelOf, meadow, newFirefly, newGame } from './game';
import { saves } from './opened-saves';

export function Game() {
  return (
    <SavepointProvider client={saves.client}>
      <header>
        <h1>Fireflies</h1>
        <Score />
        <Account />
      </header>
      <Meadow />
    </SavepointProvider>
  );
}

function Score() {
  // The first component that watches a save signs the player in, and loads it.
  const { value: save = newGame } = useSave(saves.progress, 'main');
  return <output id="score">{`Level ${levelOf(save)} · ${save.caught} caught · best visit ${save.best}`}</output>;
}

function Account() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => (place.current === null ? undefined : showAccount(saves.client, place.current)), []);
  return <div id="account" ref={place} />;
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
