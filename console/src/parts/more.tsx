import { useTexts } from '../context.js';

/** How far it was looked, and the button that looks further. */
export function More({ said, isLoading = false, onMore }: { said: string; isLoading?: boolean; onMore(): void }) {
  const { common } = useTexts();
  return (
    <p class="line">
      <span class="soft">{said}</span>
      <button type="button" disabled={isLoading} onClick={onMore}>
        {common.more}
      </button>
    </p>
  );
}
