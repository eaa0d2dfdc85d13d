// The limits of docs/limits.md that stand beside their one use, and not in src/protocol/gaps: what they bound is no part of
// what the interface leaves open. The values are read from the code; a test finds numbers that are neither here nor named below.

/** By file: the constant, or the member of one, the name in the table, whose limit it is, and what it bounds. */
export const elsewhere = [
  {
    file: 'src/backend/stores/rules/origins.ts',
    mostOrigins: [
      'originsOfEntry',
      'account',
      'Of how many other accounts an entry notes that their saves came into it; the last ones stay. What came before counts anew in a merge.',
    ],
  },
  {
    file: 'src/cli/console/sign-in.ts',
    triesPerAddress: [
      'console.signInsPerAddress',
      'service',
      'Sign-ins to the console from one address, right and wrong ones. Each process counts by itself.',
    ],
  },
  {
    file: 'src/cli/console/session-doors.ts',
    signInBytes: ['console.signInBytes', 'service', 'The bytes of the body of a sign-in to the console.'],
  },
  {
    file: 'src/cli/console/visitors.ts',
    sessionMs: ['console.sessionMs', 'service', 'How long a session of the console lives.'],
  },
  {
    file: 'src/cli/console/signed-out.ts',
    maxLooks: [
      'console.sessionsKnown',
      'service',
      'Of how many sessions of the console a process remembers that the store has just been asked about them.',
    ],
  },
  {
    file: 'src/cli/serve/served-console.ts',
    streamWaitingBytes: [
      'console.streamBytes',
      'service',
      'How many bytes of the list of requests may wait for one operator who does not read; then that one is cut off.',
    ],
    streamListeners: [
      'console.streamListeners',
      'service',
      'How many operators may follow the list of requests at once, in each process.',
    ],
    shownPerSecond: [
      'console.requestsPerSecond',
      'service',
      'How many requests a second the list shows; the others are only counted.',
    ],
  },
  {
    file: 'src/cli/console/players-now.ts',
    nowMs: [
      'console.playsNowMs',
      'service',
      'How long ago the last request of a player may be who counts as playing now.',
    ],
  },
  {
    file: 'src/backend/accounts/running-exports.ts',
    forgottenMs: [
      'exportForgottenMs',
      'service',
      'An export of which nobody has taken a piece for so long counts no longer.',
    ],
  },
  {
    file: 'src/backend/retention.ts',
    everyMs: [
      'retentionEveryMs',
      'service',
      'How often a process looks for what has expired, as long as there are requests.',
    ],
    batch: ['retentionBatch', 'service', 'How many records it removes at once.'],
  },
  {
    file: 'src/backend/sessions/sessions.ts',
    maxTries: [
      'refreshRaces',
      'service',
      'How often a refresh starts again because another request has changed the session meanwhile; then it is answered with `unavailable`.',
    ],
  },
  {
    file: 'src/backend/slices.ts',
    sliceMs: ['sliceMs', 'service', 'How long a piece of long work goes on before others are served.'],
    longestRestMs: ['longestRestMs', 'service', 'How long it rests after one at most.'],
  },
  {
    file: 'src/backend/retry-on-race.ts',
    maxTries: [
      'raceTries',
      'service',
      'How often a sign-in or a change starts again because another request has changed meanwhile what it had read; then it is answered with `unavailable`.',
    ],
  },
  {
    file: 'src/backend/http/cors.ts',
    maxAgeSeconds: ['preflightSeconds', 'service', 'How long a browser may remember what it was told of an origin.'],
  },
  {
    file: 'src/backend/registry/settings.ts',
    longestText: [
      'platformSecretLength',
      'service',
      'The length of a text in what an operator gives of a platform, secrets too, in characters.',
    ],
  },
  {
    file: 'src/backend/platforms/settings.ts',
    longestText: ['presetTextLength', 'service', 'The length of a text in the settings of a preset, in characters.'],
    longestList: ['presetListItems', 'service', 'How many texts a list in the settings of a preset may have.'],
  },
  {
    file: 'src/backend/stores/rules/platforms.ts',
    maxFormer: [
      'formerPlatformsKnown',
      'service',
      'Of how many platforms that are gone a game and environment knows the names.',
    ],
  },
  {
    file: 'src/backend/webhooks/courier.ts',
    everyMs: ['webhooksEveryMs', 'service', 'How often a process looks for events to deliver.'],
    afterFailureMs: ['webhooksAfterFailureMs', 'service', 'How long it waits after the store has failed.'],
  },
  {
    file: 'src/cli/serve/health.ts',
    patienceMs: ['healthMs', 'service', 'How long `/health` waits for the store before it answers 503.'],
  },
  {
    file: 'src/cli/serve/serve.ts',
    closeMs: [
      'serve.closeMs',
      'port',
      'How long `savepoint serve` goes on to send what is written, once the drain is over.',
    ],
  },
  {
    file: 'src/cli/serve/metrics-port.ts',
    maxConnections: ['metrics.connections', 'port', 'How many connections the port of the metrics has at once.'],
    'limits.headersTimeout': [
      'metrics.headersMs',
      'port',
      'How long a client of that port may take to send the headers.',
    ],
    'limits.requestTimeout': ['metrics.requestMs', 'port', 'How long it may take to send a whole request.'],
    'limits.keepAliveTimeout': [
      'metrics.keepAliveMs',
      'port',
      'How long a connection there may stay open without a request.',
    ],
    'limits.maxHeaderSize': ['metrics.headerBytes', 'port', 'The bytes of the headers there.'],
  },
  {
    file: 'src/cli/serve/cluster.ts',
    patienceMs: [
      'processes.answerMs',
      'service',
      'How long the first of several processes waits for what each of the others says.',
    ],
  },
  {
    file: 'src/cli/serve/relay.ts',
    patienceMs: ['processes.askMs', 'service', 'How long a process waits for what the first one has gathered.'],
  },
  {
    file: 'src/cli/serve/serve-on-processes.ts',
    lastStepsMs: [
      'processes.lastStepsMs',
      'service',
      'How long a process may take to end once its drain is over; then it is killed.',
    ],
  },
  {
    file: 'src/backend/stores/postgres/runner.ts',
    maxTries: ['transactionTries', 'PostgreSQL', 'How often a transaction is tried that others get in the way of.'],
    longestPauseMs: ['transactionPauseMs', 'PostgreSQL', 'The longest pause between two of these tries.'],
  },
  {
    file: 'src/cli/configured-store.ts',
    statementTimeoutMs: [
      'commandStatementMs',
      'PostgreSQL',
      'How long PostgreSQL may take for a statement of a command that goes through the whole store.',
    ],
  },
  {
    file: 'src/backend/http/app.ts',
    requestIdForm: [
      'requestIdLength',
      'service',
      'The length of the id that a trusted proxy gives a request, in characters; any other is replaced.',
    ],
    originForm: ['loggedOriginLength', 'service', 'The length of an origin that the log shows, in characters.'],
  },
  {
    file: 'src/protocol/idempotency-key.ts',
    writerForm: [
      'writeNameLength',
      'service',
      'The length of each of the two parts of an Idempotency-Key, in characters.',
    ],
  },
  {
    file: 'src/backend/platforms/age.ts',
    longestAgeSeconds: [
      'presetAgeSeconds',
      'service',
      'How old what is shown may be, in the settings of a preset that asks for it.',
    ],
  },
  {
    file: 'src/backend/platforms/network.ts',
    headerForm: [
      'presetHeaderLength',
      'service',
      'The length of the name of a header in the settings of a preset, in characters.',
    ],
  },
  {
    file: 'src/backend/accounts/import-format.ts',
    'firebaseBounds.rounds': [
      'imported.firebaseRounds',
      'service',
      'The rounds of hashes from Firebase: how many blocks their scrypt has.',
    ],
    'firebaseBounds.memCost': [
      'imported.firebaseMemCost',
      'service',
      'Their memory cost: 2 to that power is the cost of their scrypt.',
    ],
    longestText: [
      'imported.textLength',
      'service',
      "The length of another service's id of a player, and of the reason of a ban, in what is imported, in characters.",
    ],
    highestVersion: ['imported.version', 'service', 'The version of an entry that is imported.'],
  },
  {
    file: 'src/backend/registry/platform-line.ts',
    longestText: [
      'imported.platformTextLength',
      'service',
      'The length of a text that names something of a platform in what is imported, such as its issuer, in characters.',
    ],
  },
  {
    file: 'src/cli/import.ts',
    playersAtOnce: ['importedAtOnce', 'service', 'How many players `savepoint import` writes at once.'],
    aroundBytes: [
      'imported.lineBytes',
      'service',
      'The bytes of a line of an import, besides three times the quotas `values` and `snapshotBytes`.',
    ],
  },
  {
    file: 'src/backend/accounts/stored-hash.ts',
    'scryptBounds.bytes': ['imported.scryptBytes', 'service', 'The memory that an imported hash of scrypt may take.'],
    'scryptBounds.parallelization': ['imported.scryptParallelization', 'service', 'How often such a hash may take it.'],
    'bcryptCosts.max': ['imported.bcryptCost', 'service', 'The cost of an imported hash of bcrypt.'],
    'argon2Bounds.memory': [
      'imported.argon2Memory',
      'service',
      'The memory that an imported hash of argon2 may take, in KiB.',
    ],
    'argon2Bounds.work': ['imported.argon2Work', 'service', 'That memory times the passes over it.'],
    'argon2Bounds.parallelism': ['imported.argon2Lanes', 'service', 'The lanes of such a hash.'],
  },
  {
    file: 'src/backend/stores/sqlite/connection.ts',
    busyMs: [
      'sqlite.busyMs',
      'SQLite',
      'How long the start of a service waits for a file that another process has: whoever comes later is told so at once.',
    ],
  },
  {
    file: 'src/backend/stores/sqlite/file-lock.ts',
    logPages: [
      'sqlite.logPages',
      'SQLite',
      'How many pages of 4 KiB the log may have before it is written back into the file; a start after a crash reads them again.',
    ],
    logBytes: ['sqlite.logBytes', 'SQLite', 'What the log may keep of the disk once it is written back.'],
  },
  {
    file: 'src/http/entries.ts',
    maxForcedTries: [
      'forcedTries',
      'the SDKs',
      'How often a forced write is tried where nobody knows whether it was carried out.',
    ],
  },
  {
    file: 'src/http/timers.ts',
    longestTimerMs: ['longestTimerMs', 'the SDKs', 'The longest time-out that can be asked for.'],
  },
  {
    file: 'src/server/edit-entry.ts',
    maxTries: [
      'editTries',
      'the SDKs',
      'How often `editEntry` tries an edit that other writes come before; then it fails with `version_mismatch`.',
    ],
  },
  {
    file: 'src/server/published-keys.ts',
    coolDownMs: [
      'publishedKeysPauseMs',
      'the SDKs',
      "The least time between two requests for the service's public keys.",
    ],
  },
  {
    file: 'src/client/platform/locks.ts',
    waitMs: ['tabLockMs', 'the SDKs', 'How long a tab waits for another one that has a lock, where it can do without.'],
  },
  {
    file: 'src/client/profile/entry-record.ts',
    'maxCounted.known': [
      'countedWrites',
      'the SDKs',
      'How many writes of an entry a device notes as counted, of which nobody is known to look for them.',
    ],
    'maxCounted.blind': ['countedWritesBlind', 'the SDKs', 'The same where nobody can know who looks for them.'],
  },
  {
    file: 'src/client/profile/follow.ts',
    'pauseMs.min': ['followMinMs', 'the SDKs', 'How often a game may have the service asked what others write.'],
    'pauseMs.default': ['followMs', 'the SDKs', 'How often it is asked by default.'],
    'pauseMs.max': ['followMaxMs', 'the SDKs', 'How long the pause may become after failures.'],
  },
  {
    file: 'src/client/profile/write-request.ts',
    keepaliveBytes: [
      'keepaliveBytes',
      'the SDKs',
      'Below how many characters of JSON a value is sent so that the request outlives its page.',
    ],
  },
  {
    file: 'src/client/session/authorized-requests.ts',
    leastLifeMs: [
      'leastTokenLifeMs',
      'the SDKs',
      'How long an access token must still count before a request goes out with it.',
    ],
  },
  {
    file: 'src/client/start.ts',
    homeMs: ['storageStartMs', 'the SDKs', "How long the start waits for the device's storage."],
  },
  {
    file: 'src/client/storage/indexed-db-home.ts',
    openMs: ['indexedDbOpenMs', 'the SDKs', 'How long a try to open IndexedDB may take.'],
    transactionMs: [
      'indexedDbTransactionMs',
      'the SDKs',
      'How long a transaction of IndexedDB may take before it is aborted.',
    ],
  },
  {
    file: 'src/client/storage/open-home.ts',
    refusals: [
      'indexedDbRefusals',
      'the SDKs',
      'How often IndexedDB must refuse, where it has never worked, before localStorage takes its place.',
    ],
    moveMs: [
      'indexedDbMoveMs',
      'the SDKs',
      'How long a start waits for IndexedDB beside a home in localStorage, and for what is moved from there.',
    ],
  },
  {
    file: 'src/client/storage/persistence.ts',
    askAgainMs: [
      'persistenceAskMs',
      'the SDKs',
      'How long a browser is left alone that was asked to keep what is stored.',
    ],
  },
  {
    file: 'src/client/storage/steady-home.ts',
    answerMs: ['storageAnswerMs', 'the SDKs', 'How long a storage may take before the player is told that it fails.'],
    'pauseMs.min': ['storageRetryMinMs', 'the SDKs', 'Between two tries of a storage that failed, at first.'],
    'pauseMs.max': ['storageRetryMaxMs', 'the SDKs', 'Between two tries of a storage that failed, in the end.'],
  },
  {
    file: 'src/client/storage/web-storage-home.ts',
    'signs.keptMs': [
      'tabSignMs',
      'the SDKs',
      'How long a tab on localStorage says what it has written, for others that read it only later.',
    ],
    'signs.lookMs': ['tabSignLookMs', 'the SDKs', 'How often another tab looks whether it reads that.'],
  },
  {
    file: 'src/bindings/loads.ts',
    'retryMs.first': ['loadRetryMinMs', 'the SDKs', 'How long `useSave` waits after a load that failed, at first.'],
    'retryMs.max': ['loadRetryMaxMs', 'the SDKs', 'How long it waits in the end.'],
  },
];

/** Numbers with names that an operator need not know, and why. */
export const noLimits = {
  'a form, a size or an address that is always the same': [
    'src/backend/accounts/stored-hash.ts bcryptCosts.min',
    'src/backend/http/body.ts backslash',
    'src/backend/http/body.ts list',
    'src/backend/http/body.ts object',
    'src/backend/http/body.ts quote',
    'src/backend/stores/sql/snapshot-text.ts comma',
    'src/backend/stores/sql/snapshot-text.ts lineBreak',
    'src/cli/console/sealed-sessions.ts ivBytes',
    'src/cli/console/sealed-sessions.ts tagBytes',
    'src/protocol/environments.ts environments.Development',
    'src/protocol/environments.ts environments.Production',
    'src/protocol/environments.ts environments.Stage',
    'src/protocol/last-moment.ts lastMoment',
    'src/protocol/value-text.ts backslash',
    'src/protocol/value-text.ts colon',
    'src/protocol/value-text.ts comma',
    'src/protocol/value-text.ts minus',
    'src/protocol/value-text.ts quote',
    'src/backend/admin/operators.ts secretBytes',
    'src/backend/conflicts/conflicts.ts ticketBytes',
    'src/backend/platforms/network.ts firstMoment',
    'src/backend/platforms/rsa-pem.ts tags.bitString',
    'src/backend/platforms/rsa-pem.ts tags.sequence',
    'src/backend/pseudonyms.ts pseudonymLength',
    'src/backend/registry/sealing.ts ivBytes',
    'src/backend/registry/sealing.ts keyNameLength',
    'src/backend/sessions/tokens.ts deviceNameLength',
    'src/backend/node.ts usualPort',
    'src/backend/stores/sql/migrations.ts movedAway',
    'src/cli/demo.ts usualPort',
    'src/cli/keys.ts nameLength',
    'src/cli/keys.ts dayMs',
    'src/cli/lines.ts lineFeed',
    'src/cli/console/players-now.ts markCount',
  ],
  'how a piece of work is cut, and nothing that is refused': [
    'src/backend/accounts/export-account.ts pageEntries',
    'src/backend/accounts/import-player.ts readAlone',
    'src/backend/entries/entries-in-order.ts namesAtOnce',
    'src/backend/entries/entries-in-order.ts bytesAtOnce',
    'src/backend/http/node-exchange.ts pieceBytes',
    'src/backend/http/connection-room.ts tellEveryMs',
    'src/backend/http/node-connections.ts chunkBytes',
    'src/backend/http/node-connections.ts requestBytes',
    'src/backend/slices.ts shortTurnMs',
    'src/backend/slices.ts restsPerTurn',
    'src/backend/stores/postgres/copy.ts pieceBytes',
    'src/backend/stores/postgres/copy.ts waitingBytes',
    'src/backend/stores/sqlite/raw-tables.ts pieceBytes',
    'src/backend/stores/sqlite/raw-tables.ts firstPage',
    'src/backend/stores/sqlite/raw-tables.ts longestPage',
    'src/cli/export.ts pageAccounts',
    'src/cli/export.ts readAtOnce',
    'src/cli/lines.ts pieceBytes',
    'src/backend/stores/postgres/raw-tables.ts removedAtOnce',
    'src/backend/stores/sql/read-in-turns.ts fewEntries',
    'src/backend/stores/sql/read-in-turns.ts pageEntries',
    'src/backend/stores/sql/read-in-turns.ts pageBytes',
    'src/cli/move/copy-tables.ts usualPartBytes',
    'src/cli/new-file.ts batch',
  ],
  'an option of a preset, which docs/platforms.md has': [
    'src/backend/platforms/facebook-instant.ts defaultMaxAgeSeconds',
    'src/backend/platforms/telegram.ts defaultMaxAgeSeconds',
  ],
  'what tests and savepoint dev remember, show and delay': [
    'src/backend/control.ts maxRequests',
    'src/backend/control.ts maxRecordedBytes',
    'src/cli/dev/dev.ts listeners',
    'src/cli/dev/dev.ts remembered.bytes',
    'src/cli/dev/dev.ts remembered.events',
    'src/cli/dev/dev.ts waitingBytes',
    'src/cli/dev/dev-tools.ts bodyBytes',
    'src/cli/dev/dev-tools.ts maxMoveMs',
    'src/cli/dev/dev-tools.ts maxPlans',
    'src/cli/dev/dev-tools.ts maxSlowMs',
    "src/cli/dev/faults.ts none.'503'",
    'src/cli/dev/faults.ts none.lost',
    'src/cli/dev/faults.ts none.offline',
    'src/cli/dev/faults.ts none.slow',
    "src/cli/dev/faults.ts someFaults.'503'",
    'src/cli/dev/faults.ts someFaults.lost',
    'src/cli/dev/faults.ts someFaults.offline',
    'src/cli/dev/faults.ts someFaults.slow',
    'src/cli/dev/faults.ts slowMs',
    'src/cli/dev/recorded-requests.ts keptCharacters',
    'src/cli/dev/seed-demo.ts environment',
  ],
  'how a command, the console, an element or an error shows things': [
    'src/cli/admin/audit.ts longestPage',
    'src/cli/admin/counts.ts longestBar',
    'src/cli/console/event-stream.ts retryMs',
    'src/cli/console/explain-signature.ts respelledLength',
    'src/cli/console/masked.ts readLength',
    'src/cli/console/masked.ts shortestSecret',
    'src/elements/format.ts mostCharacters',
    'src/protocol/value-text.ts longestPlace',
    'src/cli/console/masked.ts shownLength',
    'src/cli/console/request-numbers.ts keptSteps',
    'src/cli/console/request-numbers.ts stepMs',
    'src/cli/console/static-files.ts smallest',
    'src/cli/init/package-name.ts mostLetters',
    'src/cli/progress.ts width',
    'src/cli/savepoint.ts lastWordsMs',
    'src/cli/store-socket.ts maxPathBytes',
  ],
};

/** Numbers in the midst of the code that look like a bound, as the code has them, and why they need no name. */
export const noBounds = {
  "a form that is somebody else's, or always the same": [
    'src/backend/stores/postgres/store.ts /^[a-z_][a-z0-9_]{0,62}$/',
    'src/cli/demo.ts /^demo:([\\w.-]{1,64})$/',
  ],
  'how something is shown': [
    'src/backend/registry/settings.ts /^\\w{1,40}$/',
    'src/cli/console/request-numbers.ts ms < 100',
    'src/elements/format.ts bytes < 1_000',
  ],
  'what the elements say of `passwordLength`: with an import for it they would pass the 14 kB that they promise': [
    'src/elements/account/forms.ts maxlength: 256',
    'src/elements/error-text.ts minLength = 8',
  ],
};
