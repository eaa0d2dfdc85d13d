// What the player's machine does: it logs in at the game's own back end and plays with the session that it gets.
import { Auth, Main, Profile } from 'savepoint';

/** Signs in by `Auth.External`; `service` is where the save service is, `game` where the game's back end is. */
export async function signIn({ service, game, name, password, deviceId }) {
  const login = await post(`${game}/login`, { name, password, deviceId });
  if (login.status !== 200) throw new Error(login.body.error);
  const { userId, accessToken, country, time } = login.body;

  const signedIn = await new Promise((resolve) => {
    void Main.Init({
      ...service,
      AutoLogin: false,
      OnReadyCallback: () => void Auth.External(userId, accessToken, country, time).then(resolve),
    });
  });
  if (!signedIn.Success) throw signedIn.Error;
  return { userId: signedIn.UserId, accessToken };
}

/** What the player owns, as their own client reads it. */
export async function wallet() {
  const profile = Profile.Collection('profile');
  await profile.load();
  return profile.get('wallet');
}

/** Buys something at the game's back end, which believes nothing but the token. */
export function buy({ game, accessToken, orderId, item }) {
  return post(`${game}/purchase`, { orderId, item }, { authorization: `Bearer ${accessToken}` });
}

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
