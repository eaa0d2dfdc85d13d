/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Where the service is: `savepoint dev` says it while you develop, and a file .env.production for your players. */
  readonly VITE_SAVEPOINT_URL?: string;
  /** Your game's id there; the demo game's by default. */
  readonly VITE_SAVEPOINT_GAME_ID?: string;
}
