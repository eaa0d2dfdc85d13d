/**
 * The oldest browsers that the client runs in, in the spelling of esbuild and Vite. They are the first that have
 * `structuredClone` and class fields without a known bug. What is younger, such as Web Locks in Firefox 96, is used only
 * where it is there.
 */
export const oldestBrowsers = ['chrome98', 'edge98', 'firefox94', 'safari16', 'ios16'];

/** What all of them can run, so that nothing has to be rewritten for them. */
export const languageLevel = 'es2022';
