/** What each limit of docs/limits.md bounds, in German. */

const weitere = 'weitere werden mit `unavailable` und einer Sekunde Wartezeit beantwortet.';
const zeichen = 'in Zeichen.';

export const limitsInGerman: { readonly [of: string]: { readonly [name: string]: string } } = {
  service: {
    recentAuthenticationMs:
      'Wie lange ein Spieler als gerade erst ausgewiesen gilt, in ms. Danach werden mit `reauthentication_required` abgelehnt, bis er sich noch einmal ausweist: ein Gerät mit einem Zugriffstoken verbinden, einen Wiederherstellungscode holen, eine Anmeldeart lösen, das Konto löschen, alles seit einem Moment Verbundene lösen.',
    verifierMs:
      'Wie lange die Prüfung einer Plattform dauern darf, in ms. Dann wird der Spieler mit `unavailable` abgelehnt.',
    countryMs: 'Wie lange `resolveCountry` dauern darf, in ms. Dann gilt das Land als unbekannt.',
    tokenChecksAtOnce: 'Wie viele Tokens eine Plattform zugleich prüft, ab 1. Die anderen warten.',
    tokenChecksAtOncePerAddress: 'Wie viele davon von einer Adresse sind, ab 1.',
    requestBytes: 'Die Bytes des Inhalts einer Anfrage.',
    mergeRequestBytes: 'Die Bytes einer Wahl in einem Konflikt, die ein ganzes Profil enthalten kann.',
    noncesPerGame:
      'Wie viele Nonces signierter Anfragen für ein Spiel gemerkt werden, jede sechs Minuten lang. Sind es mehr, werden signierte Anfragen mit `nonce_store_full` abgelehnt.',
    webhookEventsPerGame:
      'Wie viele nicht zugestellte Ereignisse eines Spiels bleiben, auch beiseitegelegte. Darüber hinaus entfernt der Dienst zuerst beiseitegelegte und dann die ältesten: Er sieht jede Minute nach und sagt es im Protokoll.',
    valueBytes: 'Die Bytes des Werts eines Eintrags als JSON.',
    'drain.noticeMs':
      'Wie lange er noch Anfragen annimmt, während `/health` schon 503 antwortet, damit ein Lastverteiler Spieler woandershin schickt.',
    'drain.maxMs': 'Wie lange Anfragen danach noch dauern dürfen, bevor sie abgebrochen werden.',
    accessTtlMs: 'Wie lange ein Zugriffstoken gilt.',
    ticketTtlMs: 'Wie lange die Wahl in einem Konflikt offen ist.',
    ticketsPerAccount:
      'Wie viele Tickets für Konflikte ein Konto haben darf: Für ein weiteres geht das älteste, und dessen Konflikt ist vorbei.',
    orphanKeptMs: 'Wie lange ein Konto bleibt, zu dem nichts mehr führt.',
    maxConflictFieldText: `Wie viel eines Textes in einem Konflikt gezeigt wird, ${zeichen}`,
    maxConflictDifferences: 'Wie viele Einträge, die sich unterscheiden, ein Konflikt nennt.',
    deletionGraceMs: 'Wie lange sich das Löschen eines Kontos zurücknehmen lässt.',
    snapshotKeptMs: 'Wie lange ein Schnappschuss bleibt.',
    exportsAtOnce: 'Wie viele Exporte eines Kontos in einem Prozess zugleich laufen.',
    wholeReadsAtOnce: 'Wie viele ganze Sammlungen und Profile, jede bis 10 MiB, ein Prozess zugleich liest.',
    largeReadsAtOnce:
      'Wie viele, die beim letzten Mal groß waren, er daneben zugleich liest, jeweils nach einer Pause.',
    largeReadBytes: 'Ab wie vielen Bytes eine davon groß ist.',
    largeReadersKnown: 'Wie viele davon sich ein Prozess merkt.',
    wholeReadsAtOncePerAccount: 'Wie viele davon von einem Konto sein dürfen; die anderen warten, bis sie dran sind.',
    wholeReadsWaiting: `Wie viele warten dürfen; ${weitere}`,
    wholeReadsWaitMs:
      'Wie lange jede davon wartet, bevor sie so beantwortet wird: Eine stumme Datenbank hält sie nicht beliebig lange auf.',
    codeTtlMs: 'Wie lange ein Code gilt, den das Spiel zustellt.',
    codeTries: 'Wie oft ein solcher Code, einer aus einer Million, versucht werden darf.',
    supportCodeTtlMs:
      'Wie lange ein Code gilt, den ein Betreiber holt. Niemand kann ihn raten: Er hat 80 zufällige Bits.',
    deliverMs: 'Wie lange das Spiel brauchen darf, um einen Code zuzustellen.',
    deliveriesAtOnce: 'Wie viele Codes ein Prozess das Spiel zugleich zustellen lässt.',
    deliveriesAtOncePerAddress:
      'Wie viele davon eine Adresse verlangt haben darf; die anderen warten, bis sie dran sind.',
    deliveriesWaiting: 'Wie viele noch warten dürfen; weitere werden nicht zugestellt, und das Log hat es.',
    operatorKeyLength: `Die Länge eines Betreiberschlüssels aus den Einstellungen, ${zeichen}`,
    operatorKeyNameLength: `Die Länge des Namens eines Betreiberschlüssels, ${zeichen}`,
    auditKeptMs: 'Wie lange eine Zeile des Protokolls bleibt.',
    operatorPageItems: 'Wie viele Einträge eine Seite einer Liste für Betreiber hat, wo die Anfrage nichts sagt.',
    operatorPageMaxItems: 'Wie viele Einträge eine Seite einer Liste für Betreiber haben darf.',
    consoleSessionLookMs:
      'Wie lange ein Prozess eine Sitzung der Konsole gelten lässt, bevor er den Speicher fragt, ob sich jemand abgemeldet hat.',
    consoleBeatMs: 'Wie oft bei einer offenen Liste von Anfragen gefragt wird, ob die Sitzung noch gilt.',
    endedConsoleSessionKeptMs:
      'Wie lange der Speicher nach ihrem eigenen Ende noch weiß, dass eine Sitzung der Konsole abgemeldet wurde: für Uhren, die verschieden gehen.',
    banReasonLength: `Wie lang der Grund einer Sperre sein darf, ${zeichen}`,
    operatorSearchLength: 'So viele Zeichen darf haben, wonach ein Betreiber sucht.',
    countedDays: 'Wie viele Tage Zahlen haben, wo ein Betreiber keinen ersten nennt.',
    countedMaxDays: 'Wie viele Tage eine Antwort höchstens hat.',
    hashesAtOnce:
      'Wie viele Passwörter zugleich gehasht werden: Node hat vier Threads für solche Arbeit, und Dateien und Namen im Netz brauchen einige davon. Ein Hash nimmt 16 MiB Speicher.',
    hashesWaiting: `Wie viele Anfragen auf einen Hash warten dürfen; ${weitere}`,
    platformsPerGame: 'Wie viele Plattformen ein Spiel in einer Umgebung haben darf.',
    platformNameLength: `Die Länge des Namens einer Plattform, ${zeichen}`,
    platformSettingsBytes: 'Wie groß die Einstellungen einer Plattform zusammen sein dürfen, als JSON.',
    platformListItems: 'Wie viele Texte eine Liste in den Einstellungen einer Plattform haben darf.',
    platformsLookMs:
      'Wie lange ein Prozess mit den Plattformen weitermacht, die er kennt, bevor er nach Änderungen fragt.',
    platformsLookPatienceMs: 'Wie lange ein Spieler auf die Antwort wartet; dann zählen die Plattformen von vorher.',
    formerSealingKeys: 'Wie viele frühere Siegelschlüssel ein Dienst haben darf.',
    processes: 'Wie viele Prozesse es auf einer Maschine geben darf.',
    processSoundMs: 'Ein Prozess, der eher als so nach seinem Start endet, wartet, bevor er wieder startet.',
    processPauseMs: 'Wie lange er beim ersten Mal wartet; danach jedes Mal doppelt so lange.',
    longestProcessPauseMs: 'Wie lange er höchstens wartet.',
    logBytes:
      'Wie viel vom Log auf den warten darf, der es liest; was dann kommt, entfällt, und eine Zeile sagt, wie viel.',
    askTimeoutMs: 'Wie lange ein Anbieter oder Netzwerk für eine Antwort brauchen darf.',
    answerBytes: 'Wie groß dessen Antwort sein darf.',
    keysMaxAgeMs: 'Wie lange Schlüssel eines Anbieters gelten, bevor sie wieder geholt werden.',
    keysMaxStaleMs: 'Wie lange alte Schlüssel weiter gelten, solange neue nicht zu lesen sind.',
    keysPauseMs: 'Die kürzeste Zeit zwischen zwei Fragen nach Schlüsseln, und nach einer, die gescheitert ist.',
    keysFailurePauseMs: 'Die kürzeste Zeit zwischen zwei Fragen nach Schlüsseln, wo die erste gescheitert ist.',
    playerIdLength:
      'Die Länge der Id eines Spielers bei einem Anbieter oder Netzwerk, in Zeichen: OpenID Connect hat bis zu 255. Eine längere bekommt kein neues Konto und keine Verbindung.',
    clockToleranceMs: 'Wie weit die Uhren eines Anbieters und des Dienstes auseinanderliegen dürfen.',
    checksWaiting: `Wie viele Prüfungen von Tokens noch warten dürfen; ${weitere}`,
    quotaFactorOfMerges:
      'Auf so viel Mal seine Kontingente darf ein Konto wachsen, wenn Konten vereint werden oder ein Schnappschuss zurückkommt: So können zwei beliebige eins werden. Was später kommt, darf es nicht größer machen.',
    bytesPerCount: 'Was die Anfrage eines Kontos bringt oder liest, zählt für jedes Mal so viele Bytes einmal mehr.',
    rememberedPerRate:
      'Von wie vielen Konten oder Adressen sich ein Prozess die letzten Anfragen merkt: Die am längsten ungenutzte wird vergessen.',
    objectsPerRequest:
      'Wie viele Objekte und Listen eine Anfrage enthalten darf: Für `JSON.parse` dauern sie länger als alles andere dieser Größe.',
    devicesPerEntry: 'Von wie vielen Geräten ein Eintrag das letzte Schreiben kennt.',
    entryTimesBytes: 'Das JSON der Zeiten, die ein Gerät neben einem Eintrag führt.',
    usernameLength: `Die Länge eines Namens, ${zeichen}`,
    passwordLength: `Die Länge eines neuen Passworts, ${zeichen} Ein importiertes darf kürzer sein.`,
    mailAddressLength: `Die Länge einer E-Mail-Adresse, ${zeichen}`,
    signedIdLength:
      '`custom_user_id` und `device_id` einer signierten Anfrage: die eigenen Ids des Spiels, die so kurz wie eine Zeilennummer sein dürfen.',
    credentialTokenLength: `Die Länge eines Tokens, ${zeichen}`,
    clockWindowMs: 'Wie weit der Zeitstempel einer signierten Anfrage von der Uhr des Dienstes liegen darf.',
    nonceLength: `Die Länge einer Nonce, ${zeichen}`,
    nonceKeptMs:
      'So lange nach ihrem Zeitstempel wird eine Nonce gemerkt: das Fenster, und eine Minute für die Uhren mehrerer Prozesse.',
    maxActiveKeys: 'Wie viele private Schlüssel ein Spiel zugleich haben darf.',
    jsonDepth: 'Wie tief ein Wert sein darf.',
    entryNameBytes: 'Ein Schlüssel oder der Name einer Sammlung, in UTF-8.',
    deviceIdLength: `Die Länge der eigenen Geräte-Id eines Spielers, ${zeichen}`,
    maxConflictFields: 'Wie viele Felder jeder Seite eines Konflikts ein Spiel sehen darf.',
    verifiedTokensHeld: 'Wie viele geprüfte Zugriffstokens sich ein Prozess in jeder von zwei Generationen merkt.',
    refreshIdleMs: 'Wie lange ein Refresh-Token gilt, das nicht benutzt wird.',
    refreshAbsoluteMs: 'Wie lange eine Sitzung dauert, so oft ihre Tokens auch erneuert werden.',
    refreshGraceMs: 'Wie lange ein benutztes Refresh-Token noch gilt, nachdem sein Nachfolger benutzt wurde.',
    refreshSuccessors:
      'Ein benutztes Refresh-Token mit so vielen Nachfolgern gilt nicht mehr, so kurz es auch her ist.',
    refreshRepeats:
      'Wie viele Nachfolger nacheinander nach `refreshGraceMs` noch einmal verlangt werden dürfen; der letzte beendet die Sitzung: Verlorene Antworten kommen einzeln, und eine Kopie des Tokens fragt jedes Mal.',
    jwksMaxAgeSeconds: 'Cache-Control max-age der veröffentlichten Schlüssel.',
    webhookTimeoutMs: 'Wie lange das Back-End des Spiels für eine Antwort brauchen darf.',
    webhookLeaseMs: 'Wie lange ein Prozess ein Ereignis für sich hat, damit es kein anderer inzwischen zustellt.',
    webhooksAtOnce: 'Wie viele Ereignisse eines Spiels ein Prozess zugleich zustellt, jedes von einem anderen Konto.',
    webhookRetryMinMs: 'Wie lange ein nicht zugestelltes Ereignis zuerst wartet; jedes Mal doppelt so lange.',
    webhookRetryMaxMs: 'Wie lange es am Ende wartet.',
    webhookTries: 'Wie oft ein Ereignis versucht wird, was etwa einen Tag dauert; dann wartet es auf einen Betreiber.',
    webhookKeptMs: 'Wie lange ein nicht zugestelltes Ereignis bleibt.',
    webhookCountMs: 'Wie lange ein Prozess in seinen Metriken zeigt, wie viele Ereignisse warten, bevor er neu zählt.',
    webhooksLostDays:
      'Über wie viele Tage Betreiber und Metriken sehen, wie viele Ereignisse verloren gingen, den heutigen eingeschlossen.',
    webhooksCounted:
      'Wie viele Ereignisse eines Spiels höchstens gezählt werden, für Betreiber und Metriken: Wo es so viele sind, können es mehr sein.',
    webhooksRetriedAtOnce: 'Wie viele beiseitegelegte Ereignisse eine Anfrage eines Betreibers noch einmal sendet.',
  },
  account: {
    values: 'Die Bytes aller Werte zusammen, mit den Zeiten, die Geräte daneben führen, als JSON in UTF-8, ab 1.',
    entries: 'Wie viele Einträge eine Sammlung haben darf, ab 1.',
    collections: 'Wie viele Sammlungen ein Konto haben darf, ab 1.',
    snapshots: 'Wie viele Schnappschüsse von Verlorenem bleiben, ab 1. Für einen mehr geht ein anderer.',
    snapshotBytes: 'Die Bytes der Werte in allen Schnappschüssen zusammen, ab 1. Darüber gehen einige.',
    devices: 'Wie viele Geräte zu einem Konto führen dürfen, ab 1.',
    sessions: 'Wie viele Sitzungen ein Konto haben darf, ab 1.',
  },
  port: {
    connections:
      'Wie viele Verbindungen ein Prozess zugleich hat, jede von 13 KB. Für eine weitere wird eine der Adresse mit den meisten geschlossen, die eines vertrauenswürdigen Proxys zuletzt.',
    connectionsPerAddress:
      'Wie viele davon eine Adresse haben darf, oder ein /64 von IPv6, und ein vertrauenswürdiger Proxy beliebig viele. Für eine weitere wird die geschlossen, die am längsten auf eine Anfrage gewartet hat, sonst die neue.',
    headersMs: 'Wie lange ein Client für die Header brauchen darf, in ms.',
    requestMs: 'Wie lange ein Client für eine ganze Anfrage brauchen darf, in ms, und nie weniger als `headersMs`.',
    keepAliveMs: 'Wie lange eine Verbindung ohne Anfrage offen bleiben darf, in ms.',
    writeMs:
      'Wie lange ein Client für je 16 KiB einer Antwort brauchen darf, in ms. Dann wird er getrennt, und was auf ihn wartete, entfällt.',
    closeMs: 'Wie lange `close` laufende Anfragen weiterlaufen lässt, in ms.',
    headerBytes: 'Die Bytes der Header einer Anfrage.',
    unreadBytes:
      'Wie viele Bytes aller Antworten zusammen auf ihre Leser warten dürfen. Darüber werden die ältesten Antworten an die Adresse abgebrochen, für die das meiste wartet.',
    arrivingBytes:
      'Wie viele Bytes aller Anfragen zusammen ein Prozess hält, vom ersten Byte bis zum Ende der Antwort. Darüber wird die älteste, die noch ankommt, der Adresse, von der das meiste kommt, mit `unavailable` abgelehnt.',
    pipelined:
      'Wie viele Anfragen ein Client auf einer Verbindung ihren Antworten vorausschicken darf. Sie werden nacheinander beantwortet; wer mehr schickt, wird getrennt.',
  },
  PostgreSQL: {
    maxConnections: 'Wie viele Verbindungen der eigene Pool des Speichers haben darf.',
    connectTimeoutMs:
      'Wie lange ein Aufruf auf eine Verbindung wartet, in ms. Ein Pool, den du gibst, braucht daneben ein eigenes `connectionTimeoutMillis`, sonst brauchen ihn Verbindungen auf, die sich nie öffnen.',
    statementTimeoutMs:
      'Wie lange PostgreSQL für einen Befehl brauchen darf, in ms. Dann wird die Verbindung geschlossen; wer wartet, erfährt `StoreUnavailable`, wo sicher nichts geschehen ist.',
    migrationMs: 'Wie lange ein Schritt einer Migration dauern darf, der eine ganze Tabelle lesen kann.',
    idleInTransactionMs:
      'So lange darf eine Transaktion nichts tun, bevor PostgreSQL sie beendet: Wer darin hängt, hält die Sperre eines Kontos.',
    closeMs: 'Wie lange noch läuft, was läuft, wenn ein Speicher geschlossen wird.',
  },
  rate: {
    wrongPasswordsPerNameAndAddress:
      'Falsche Passwörter für einen Namen von einer Adresse; danach ist der Name dort gesperrt. Ein Gerät, das den Namen kennt, hat dasselbe für sich, und für es zählen die nächsten beiden nicht.',
    lockMaxMs: 'Wie lange ein Name gesperrt sein darf, in ms: Jede Sperre dauert doppelt so lange wie die davor.',
    wrongPasswordsPerAddress: 'Falsche Passwörter und Wiederherstellungscodes von einer Adresse.',
    wrongPasswordsPerName: 'Falsche Passwörter für einen Namen von allen Adressen zusammen.',
    resetsPerName:
      'Codes für ein neues Passwort, die für einen Namen verlangt werden. Ein Gerät, das den Namen kennt, hat dasselbe für sich.',
    resetsPerAddress: 'Codes für ein neues Passwort, die von einer Adresse verlangt werden.',
    wrongResetCodesPerAddress:
      'Falsche Codes für ein neues Passwort oder zur Bestätigung einer E-Mail-Adresse, von einer Adresse.',
    verificationsPerAccount: 'Codes zur Bestätigung einer E-Mail-Adresse, die ein Konto verlangt.',
    verificationsPerAddress:
      'Codes zur Bestätigung einer E-Mail-Adresse, die von einer Adresse im Netz verlangt werden.',
    verificationsPerMailbox:
      'Codes zur Bestätigung einer E-Mail-Adresse an ein Postfach, wer auch danach fragt. Groß und klein zählt nicht, und nicht, was hinter einem `+` steht.',
    wrongTokensPerAddress: 'Tokens von einer Adresse, die nicht gelten.',
    newGuestsPerAddressPerHour: 'Neue Konten von einer Adresse in einer Stunde, Gäste auch, ab 1.',
    signInsPerAddress:
      'Anmeldungen von einer Adresse, richtige und falsche, und was zu einer führt, auch die Wahl in einem Konflikt. Je 64 KiB, die sie bringen, zählen einmal mehr.',
    readsPerAccount: 'Lesen eines Kontos. Je 64 KiB, die es bekommt, zählen einmal mehr.',
    readsPerAddress: 'Lesen von einer Adresse.',
    writesPerAccount:
      'Schreiben eines Kontos und andere Änderungen daran. Je 64 KiB, die sie bringen, zählen einmal mehr.',
    writesPerAddress: 'Schreiben und andere Änderungen von einer Adresse.',
    refreshesPerAccount: 'Tausch von Refresh-Tokens eines Kontos.',
    refreshesPerAddress: 'Tausch von Refresh-Tokens von einer Adresse.',
    gameRequestsPerAccount:
      'Signierte Anfragen zu einer eigenen Kennung, und für sich die an die private API zu einem Spieler. Je 64 KiB, die letztere lesen oder bringen, zählen als eine mehr. Jeder Prozess zählt für sich.',
    tokensPerAddress:
      'Identitäts- und Netzwerk-Tokens von einer Adresse, richtige und falsche. Jeder Prozess zählt für sich.',
    tokensPerPlayer:
      'Gültige Identitäts- und Netzwerk-Tokens eines Spielers bei einem Anbieter oder einer Plattform. Jeder Prozess zählt für sich.',
    gameRequestsPerAddress: 'Signierte Anfragen und solche an die private API, von einer Adresse.',
    operatorRequestsPerAddress: 'Anfragen mit einem Betreiberschlüssel, richtigem oder falschem, von einer Adresse.',
  },
  'the SDKs': {
    refreshAheadMs:
      'So lange vor seinem Ende erneuert der Client das Zugriffstoken, und bis zu `refreshJitterMs` früher.',
    refreshJitterMs: 'Wie viel früher höchstens, damit nicht alle Clients zugleich fragen.',
    refreshRetryMinMs: 'Zwischen zwei gescheiterten Versuchen zu erneuern, zuerst.',
    refreshRetryMaxMs: 'Zwischen zwei gescheiterten Versuchen zu erneuern, am Ende.',
    tryMs: 'Wie lange ein Versuch einer Anfrage dauern darf.',
    tries: 'Wie viele Versuche eine Anfrage hat, wo noch einmal versuchen sicher ist.',
    callMs: 'Wie lange ein Aufruf im Ganzen dauern darf.',
    retryMinMs: 'Zwischen zwei Versuchen, zuerst.',
    retryMaxMs: 'Zwischen zwei Versuchen, am Ende.',
    retryAfterMaxMs:
      'Bis dahin zählt, was ein Dienst mit Retry-After verlangt: Ein Fehler dort soll einen Client nicht für einen Tag stumm machen.',
    gatherMs: 'Wie lange ein Speichern auf andere wartet, um mit ihnen gesendet zu werden.',
    saveRetryMinMs: 'Zwischen zwei gescheiterten Versuchen zu speichern, zuerst.',
    saveRetryMaxMs: 'Zwischen zwei gescheiterten Versuchen zu speichern, am Ende.',
  },
};
