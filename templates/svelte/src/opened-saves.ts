import { openSaves } from './saves';

/** The saves of this page, in a module of their own: a component that is edited while the page is open keeps them. */
export const saves = openSaves();
