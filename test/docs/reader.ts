/**
 * What a page of docs/ takes for granted: a client and its collection, as `docs/start.md` makes them, and functions of the reader's
 * own game, and what the portals' own SDKs make global. The blocks of README.md have none of it: they compile in an empty file.
 */
export const readersNames = `
  declare const client: import('savepoint').Client;
  declare const progress: import('savepoint').Collection<{ level: number; coins: number }>;
  declare const username: string;
  declare const password: string;
  declare const newPassword: string;
  declare function show(text: string): void;
  declare function askForCode(): Promise<string>;
  declare function askThePlayer(offers: object): Promise<'local' | 'cloud' | 'merge' | 'cancel'>;
  declare const CrazyGames: { SDK: { user: { getUserToken(): Promise<string> } } };
  declare const Telegram: { WebApp: { initData: string } };
  declare const FBInstant: { player: { getSignedPlayerInfoAsync(): Promise<{ getSignature(): string }> } };
  declare function addressOf(userId: string): Promise<string | null>;
`;
