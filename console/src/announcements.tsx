import { useEffect, useState } from 'preact/hooks';

/** What was done, for a screen reader at once, and on the screen for some seconds. */
export function Announcements({ said: { text, number } }: { said: { text: string; number: number } }) {
  const [gone, setGone] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setGone(number), 6_000);
    return () => clearTimeout(timer);
  }, [number]);
  return (
    <div class="announcements" role="status" aria-live="polite">
      {number > gone && (
        <p key={number} class="announcement">
          {text}
        </p>
      )}
    </div>
  );
}
