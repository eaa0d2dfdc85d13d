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
    file: 'src/backend/admin/pages.ts',
    cursorLength: [
      'operatorCursorLength',
      'service',
      "The length of what names the place of a page in an operator's list, in characters.",
    ],
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
    file: 'src/cli/import.ts',
    playersAtOnce: ['importedAtOnce', 'service', 'How many players `savepoint import` writes at once.'],
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
];

/** Numbers of the service and its commands that an operator need not know, and why. */
export const noLimits = {
  'a form, a size or an address that is always the same': [
    'src/backend/accounts/stored-hash.ts bcryptCosts.min',
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
    'src/backend/stores/rules/bans.ts forGood',
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
    'src/backend/http/node-exchange.ts pieceBytes',
    'src/backend/node.ts checkEveryMs',
    'src/cli/serve/metrics-port.ts limits.connectionsCheckingInterval',
    'src/backend/slices.ts shortTurnMs',
    'src/backend/slices.ts restsPerTurn',
    'src/backend/stores/postgres/copy.ts pieceBytes',
    'src/backend/stores/postgres/copy.ts waitingBytes',
    'src/backend/stores/sqlite/raw-tables.ts pieceBytes',
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
  'how a command or the console shows things': [
    'src/cli/admin/audit.ts longestPage',
    'src/cli/admin/counts.ts longestBar',
    'src/cli/console/event-stream.ts retryMs',
    'src/cli/console/explain-signature.ts respelledLength',
    'src/cli/console/masked.ts readLength',
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
