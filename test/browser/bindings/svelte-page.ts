/** What Svelte renders of `both.svelte` on a server. */
export const serverPage =
  '<!--[--><!--[--><p>main: none, loading.</p> <button name="collect"></button> <button name="double"></button> <button name="replace"></button> <button name="spoil"></button><!----> <p>starting  synced true</p> <!--[-1--><!--]--><!----><!--]--><!--]-->';
