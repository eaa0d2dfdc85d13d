import type { ServiceWords } from './words.js';

const clientIds = 'Client-Ids';
const longestAge = 'Höchstes Alter';

/** What the presets of platforms ask for, in German. */
export const presetsInGerman: ServiceWords['presets'] = {
  oidc: {
    help: 'Melde das Spiel beim Anbieter als Client an. Er zeigt dort seinen Aussteller und die Client-Id; die Schlüssel finden sich über den Aussteller (OpenID Connect Discovery).',
    fields: {
      issuer: [
        'Aussteller',
        'Die Adresse, die in den Tokens als `iss` steht, Buchstabe für Buchstabe. Darunter muss die Konfiguration liegen: /.well-known/openid-configuration.',
      ],
      clientId: [
        clientIds,
        'Die Ids, die der Anbieter dem Spiel gegeben hat. Ein Token für einen anderen Client wird abgelehnt.',
      ],
    },
  },
  google: {
    help: 'Lege in der Google Cloud Console einen Client für das Spiel an. Die Seite gibt das ID-Token, das sie von Sign in with Google bekommt (`credential`), an WithIdentityToken.',
    fields: {
      clientId: [
        clientIds,
        'Auf der Seite „Clients“ der Google Cloud Console. Eine für jede Art von App: Web, Android, iOS.',
      ],
      issuers: [
        'Schreibweisen des Ausstellers',
        'Google beschreibt `iss` mit https:// und ohne, aber nicht, wann es ohne kommt. Ohne Angabe both; https nimmt nur das erste.',
      ],
    },
  },
  apple: {
    help: 'Melde für das Spiel eine Kennung mit Sign in with Apple an. Die Seite gibt das `id_token` der Antwort an WithIdentityToken.',
    fields: {
      clientId: [
        clientIds,
        'Für Webseiten die Services ID, für Apps die App ID (Bundle-Id): Certificates, Identifiers & Profiles im Entwicklerkonto von Apple.',
      ],
    },
  },
  discord: {
    help: 'Lege im Discord Developer Portal eine Anwendung an. Die Seite fragt nach dem Recht `identify` und gibt, was sie bekommt, Zugriffstoken oder Code, an WithSocialToken.',
    fields: {
      clientId: ['Anwendungs-Id', 'Die Client-Id, die das Discord Developer Portal für die Anwendung zeigt.'],
      accepts: [
        'Was Spieler bringen',
        'Ein Zugriffstoken mit dem Recht `identify`, oder einen Code, den der Dienst dagegen tauscht. Ohne Angabe: accessToken.',
      ],
      clientSecret: ['Client-Geheimnis', 'Für einen Code: Das Developer Portal zeigt es neben der Client-Id.'],
      redirectUri: [
        'Weiterleitung',
        'Für einen Code: die Adresse, mit der die Seite nach ihm gefragt hat. Leer bei einer Activity, deren SDK den Code der Seite gibt.',
      ],
    },
  },
  steam: {
    help: 'Das Spiel holt mit GetAuthTicketForWebApi ein Ticket von Steam, schreibt dessen Bytes hexadezimal und gibt das an WithSocialToken.',
    fields: {
      key: [
        'Web-API-Schlüssel',
        'Der Publisher-Schlüssel der Gruppe, zu der die App gehört. Ein Administrator des Steamworks-Kontos legt ihn an.',
      ],
      appId: ['App-Id', 'Die Nummer des Spiels, wie in der Adresse seiner Seite im Store.'],
      identity: [
        'Identität',
        'Der Text, den das Spiel GetAuthTicketForWebApi gibt. Damit wird ein Ticket abgelehnt, das der Spieler für jemand anderen geholt hat.',
      ],
      host: [
        'Wer gefragt wird',
        'partner nimmt Schlüssel von Publishern; public auch die von Nutzern, aber begrenzt oft. Ohne Angabe: partner.',
      ],
      bans: [
        'Sperren',
        'Ob ein gesperrter Spieler abgelehnt wird: vom Publisher gesperrt, oder auch von VAC (all). Ohne Angabe: ignore.',
      ],
      familySharing: [
        'Family Sharing',
        'Ob jemand hereinkommt, der mit dem Exemplar eines anderen spielt. Ohne Angabe: allow.',
      ],
      refusals: [
        'Fehler einer Ablehnung',
        'Die Nummern von Steams Fehlern, bei denen ein Ticket nicht gilt, wie 101 und 102; keine Seite nennt sie. Ohne Angabe alle; bei jedem anderen darf es der Spieler wieder versuchen.',
      ],
    },
  },
  crazyGames: {
    help: 'Die Seite holt das Token bei jeder Anmeldung mit `SDK.user.getUserToken()` und gibt es an WithSocialToken.',
    fields: {
      gameId: [
        'Spiel-Id',
        'Die `gameId` in einem Token, das `SDK.user.getUserToken()` in deinem Spiel gibt. CrazyGames signiert die Tokens aller Spiele mit einem Schlüssel: Ohne sie käme ein anderes Spiel als dessen Spieler herein.',
      ],
      algorithm: [
        'Verfahren',
        'Womit seine Tokens signiert sind; keine Seite von CrazyGames sagt es. Ohne Angabe RS256, wie es Prüfungen im Einsatz haben.',
      ],
    },
  },
  telegram: {
    help: 'Die Mini App gibt `Telegram.WebApp.initData`, wie es ist, an WithSocialToken.',
    fields: {
      botToken: [
        'Bot-Token',
        'Von @BotFather. Damit wird der `hash` der Daten geprüft. Gib entweder dies an oder die Id des Bots.',
      ],
      botId: [
        'Bot-Id',
        'Die Zahl vor dem Doppelpunkt im Token des Bots. Damit wird die `signature` der Daten mit dem öffentlichen Schlüssel von Telegram geprüft, und der Dienst hat kein Geheimnis.',
      ],
      environment: ['Umgebung von Telegram', 'Zur Id des Bots: wessen Schlüssel signiert. Ohne Angabe: production.'],
      maxAgeSeconds: [
        longestAge,
        'Wie viele Sekunden nach dem Öffnen der Mini App ihre Daten gelten; ohne Angabe 86400. Bis dahin kann sie jeder, der sie hat, noch einmal zeigen.',
      ],
    },
  },
  facebookInstant: {
    help: 'Das Spiel ruft `FBInstant.player.getSignedPlayerInfoAsync()` auf und gibt, was `getSignature()` liefert, an WithSocialToken.',
    fields: {
      appSecret: ['App-Geheimnis', 'Auf der Seite der grundlegenden Einstellungen der App, im Meta App Dashboard.'],
      playerId: [
        'Welche Id',
        'player_id, die getSignedPlayerInfoAsync signiert, oder asid, die getSignedASIDAsync signiert. Für einen Spieler sind das zwei: Bleib bei einer. Ohne Angabe: player_id.',
      ],
      maxAgeSeconds: [
        longestAge,
        'Wie viele Sekunden nach der Signatur sie gilt; ohne Angabe 900. Bis dahin kann sie jeder, der sie hat, noch einmal zeigen.',
      ],
      signed: [
        'Was signiert ist',
        'Der Inhalt, wie er gesendet wird, oder nach dem Dekodieren: Facebooks Seite lässt beides zu. Ohne Angabe: sent.',
      ],
    },
  },
  signedToken: {
    title: 'Signiertes Token',
    help: 'Für ein Portal, das jedem Spieler ein Token (JWT) signiert und seine Schlüssel veröffentlicht. Seine Dokumentation sagt, wo die Schlüssel sind und welche Angaben Spiel und Spieler nennen.',
    fields: {
      keys: [
        'Adresse der Schlüssel',
        'Wo das Portal seine öffentlichen Schlüssel als JWK Set veröffentlicht (oft JWKS genannt).',
      ],
      issuer: ['Aussteller', 'Was `iss` sein muss, Buchstabe für Buchstabe; ohne Angabe nicht geprüft.'],
      audience: [
        'Empfänger',
        'Was `aud` sein oder enthalten muss. Gib dies an oder die Angabe, die sagt, für welches Spiel ein Token ist.',
      ],
      claim: ['Angabe des Spiels', 'Die Angabe, die sagt, für welches Spiel ein Token ist, wo `aud` es nicht sagt.'],
      claimValue: ['Ihr Wert', 'Was diese Angabe für dieses Spiel sagen muss.'],
      playerClaim: ['Angabe des Spielers', 'Die Angabe mit der Id des Spielers; ohne Angabe `sub`.'],
      algorithms: [
        'Verfahren',
        'Einige von RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519; ohne Angabe alle.',
      ],
    },
  },
  network: {
    title: 'Ein Netzwerk, das gefragt wird',
    help: 'Für ein Netzwerk, das über HTTP sagt, wessen Token es ist und für welche App. Seine Dokumentation sagt, welche Adresse zu fragen ist und wie die Antwort aussieht.',
    fields: {
      address: ['Adresse', 'Die Adresse, die zu jedem Token gefragt wird. Sie muss in JSON antworten.'],
      sendAs: [
        'Wie das Token gesendet wird',
        'Als Bearer, in einem anderen Header, in der Adresse, oder per POST als Formular oder JSON. Ohne Angabe: bearer. Adressen landen in Logs: Nimm query nur, wo das Netzwerk nichts anderes nimmt.',
      ],
      parameter: [
        'Unter welchem Namen',
        'Der Name des Headers, Parameters oder Feldes. Ohne Angabe token; ein Header braucht einen.',
      ],
      authorization: [
        'Berechtigung',
        'Ein eigener Authorization-Header des Spiels, als Ganzes, wo das Netzwerk wissen will, wer fragt. Nicht mit bearer.',
      ],
      playerPath: [
        'Weg zur Spieler-Id',
        'Wo sie in der Antwort steht: Namen mit Punkten dazwischen, in Listen Zahlen.',
      ],
      appPath: [
        'Weg zur App-Id',
        'Wo die Antwort sagt, für welche App das Token ist. Ohne das käme eine andere App mit den Tokens herein, die ihre Spieler ihr gegeben haben.',
      ],
      appId: ['Die App-Id', 'Was dort stehen muss.'],
      refusals: [
        'Status einer Ablehnung',
        'Die HTTP-Status, mit denen das Netzwerk sagt, dass ein Token nicht gilt. Ohne Angabe 400, 401 und 403; bei jedem anderen darf es der Spieler wieder versuchen.',
      ],
    },
  },
};
