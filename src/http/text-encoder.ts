/** Whether the runtime has none; the client says so when it is made, by name. */
export const lacksTextEncoder = typeof TextEncoder === 'undefined';

// ky makes one while it is loaded. Until it is, an empty one stands there, or the import would throw before anybody could
// be told what is missing.
if (lacksTextEncoder)
  globalThis.TextEncoder = class {
    encode() {
      return '';
    }
  } as never;
