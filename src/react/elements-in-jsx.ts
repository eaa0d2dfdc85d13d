import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type {
  AccountElement,
  ConflictElement,
  ElementProperties,
  HistoryElement,
  SyncElement,
} from '../elements/index.js';

/** What an element of `savepoint/elements` takes in JSX: its properties, which React sets from version 19 on, and its attributes. */
export type ElementInJsx<Element extends ElementProperties, Own extends keyof Element = never> = DetailedHTMLProps<
  HTMLAttributes<Element>,
  Element
> &
  Partial<Pick<Element, keyof ElementProperties | Own>> & {
    /** Light or dark, whatever the system prefers. */
    scheme?: 'light' | 'dark' | undefined;
  };

declare module 'react' {
  // biome-ignore lint/style/noNamespace: it is how React's types name what JSX may hold.
  namespace JSX {
    /** The elements of `savepoint/elements` by their names. */
    interface IntrinsicElements {
      'savepoint-account': ElementInJsx<AccountElement>;
      'savepoint-conflict': ElementInJsx<ConflictElement, 'labels' | 'isEmpty'>;
      'savepoint-sync': ElementInJsx<SyncElement, 'collections'>;
      'savepoint-history': ElementInJsx<HistoryElement, 'describe'>;
    }
  }
}
