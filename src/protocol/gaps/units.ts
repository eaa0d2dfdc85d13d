/** Units for the defaults in this folder, which are in milliseconds or bytes unless their names say otherwise. */
export const seconds = (count: number): number => count * 1_000;
export const minutes = (count: number): number => seconds(count * 60);
export const hours = (count: number): number => minutes(count * 60);
export const days = (count: number): number => hours(count * 24);
export const kibibytes = (count: number): number => count * 1024;
export const mebibytes = (count: number): number => kibibytes(count * 1024);
