/** The last moment that a date can say, in ms since 1970. */
export const lastMoment = 8_640_000_000_000_000;
