/** Every default in gaps/ is in milliseconds or bytes, unless its name says otherwise. */
export const seconds = (count: number): number => count * 1_000;
export const minutes = (count: number): number => seconds(count * 60);
export const hours = (count: number): number => minutes(count * 60);
export const days = (count: number): number => hours(count * 24);
export const kibibytes = (count: number): number => count * 1024;
