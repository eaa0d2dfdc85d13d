import { environments } from '../../protocol/environments.js';
import type { AdminClient, Environment, GamePlatform, PlatformPresetInfo, PlatformTrial } from '../../server/index.js';
import { readArguments } from '../arguments.js';
import type { ExitCode, Io } from '../io.js';
import { requireSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';
import { asked, connect, connectOptions } from './connect.js';
import { givenSettings, type SettingsArguments, settingsOptions, withSettings } from './platform-settings.js';
import { environmentOf, gameOf } from './scope.js';
import { type Columns, moment, printable, table, tellDone, writeJson } from './table.js';

const actions = ['presets', 'list', 'show', 'add', 'set', 'on', 'off', 'test', 'remove', 'reseal'] as const;

type Action = (typeof actions)[number];

interface Arguments extends SettingsArguments {
  name?: string | undefined;
  preset?: string | undefined;
  off?: boolean | undefined;
  'take-over'?: boolean | undefined;
  'token-file'?: string | undefined;
  json?: boolean | undefined;
}

/** Where an action takes place, and what it was given. */
interface Place {
  admin: AdminClient;
  io: Io;
  values: Arguments;
  scope: { gameId: string; environment: Environment };
}

/** `savepoint platforms`: what players of a game may sign in with. */
export async function platforms(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional } = readArguments({ command: 'platforms', takes: actions.join(', ') }, args, {
    ...connectOptions,
    ...settingsOptions,
    game: { type: 'string' },
    env: { type: 'string' },
    name: { type: 'string' },
    preset: { type: 'string' },
    off: { type: 'boolean' },
    'take-over': { type: 'boolean' },
    'token-file': { type: 'string' },
  });
  const action = actions.find((known) => known === positional);
  if (action === undefined) throw new UsageError(`say savepoint platforms ${actions.join('|')}`);
  if (action === 'presets') return listPresets(await connect(values, io), values, io);
  const scope = { gameId: gameOf(values, io), environment: environmentOf(values, io) };
  await carryOut[action]({ admin: await connect(values, io), io, values, scope });
  return 0;
}

const carryOut: { readonly [action in Exclude<Action, 'presets'>]: (place: Place) => Promise<void> } = {
  async list(place) {
    const found = await listed(place);
    if (place.values.json === true) writeJson(place.io, { platforms: found });
    else table(place.io, columns, found);
  },

  async show(place) {
    tell(place, await required(place));
  },

  async add(place) {
    const { admin, io, values, scope } = place;
    const { preset: name } = values;
    if (name === undefined) throw new UsageError('say which preset: --preset <name> (savepoint platforms presets)');
    const preset = await presetNamed(admin, name);
    const settings = await givenSettings(values, preset, io);
    const takesOver = values['take-over'] === true;
    const platform = { ...scope, name: nameOf(values), preset: name, settings, isOn: values.off !== true, takesOver };
    tell(place, await asked(() => admin.savePlatform(platform)));
  },

  async set(place) {
    const { admin, io, values, scope } = place;
    const { name, preset, settings: before, isOn, version } = await registered(place);
    const given = await givenSettings(values, await presetNamed(admin, preset), io);
    const settings = withSettings(before, given);
    tell(place, await asked(() => admin.savePlatform({ ...scope, name, preset, settings, isOn, version })));
  },

  on: (place) => turn(place, true),
  off: (place) => turn(place, false),

  async test({ admin, io, values, scope }) {
    const token = await requireSecret(io, {
      what: 'the token',
      option: 'token-file',
      file: values['token-file'],
      variable: 'SAVEPOINT_TOKEN',
    });
    const trial = await asked(() => admin.tryPlatform({ ...scope, name: nameOf(values), token }));
    if (values.json === true) writeJson(io, trial);
    else showTrial(io, trial);
  },

  async remove(place) {
    const { admin, io, values, scope } = place;
    const { name, version } = await registered(place);
    await asked(() => admin.removePlatform({ ...scope, name, version }));
    const sentence = 'players sign in with it no longer; the links that they have stay';
    tellDone(io, values, { name, removed: true }, sentence);
  },

  async reseal(place) {
    const { admin, io, values, scope } = place;
    const sealed = (await listed(place)).filter(({ source, secrets }) => source === 'store' && secrets.length > 0);
    const lost = sealed.filter(({ problem }) => problem === 'key_missing' || problem === 'unreadable');
    const names: string[] = [];
    for (const platform of sealed) {
      const { name, isOn, version } = platform;
      if (lost.includes(platform)) continue;
      const { preset, settings } = savable(platform);
      // What is kept is sealed anew, by the key that seals now.
      await asked(() => admin.savePlatform({ ...scope, name, preset, settings, isOn, version }));
      names.push(name);
    }
    const left = lost.map(({ name }) => name);
    if (values.json === true) writeJson(io, { resealed: names, left });
    else io.out(`${names.length} sealed by the present key\n`);
    if (left.length > 0) io.err(`Nobody can open the secrets of ${left.join(', ')}: give them again (set).\n`);
  },
};

async function turn(place: Place, isOn: boolean): Promise<void> {
  const { admin, scope } = place;
  const { name, preset, settings, version } = await registered(place);
  tell(place, await asked(() => admin.savePlatform({ ...scope, name, preset, settings, isOn, version })));
}

function listed({ admin, scope }: Place): Promise<GamePlatform[]> {
  return asked(() => admin.platforms(scope));
}

/** The platform that is named; one that operators have registered, where the configuration has another of the name. */
async function required(place: Place): Promise<GamePlatform> {
  const name = nameOf(place.values);
  const named = (await listed(place)).filter((platform) => platform.name === name);
  const found = named.find(({ source }) => source === 'store') ?? named[0];
  if (found === undefined) throw new UsageError('there is no such platform (savepoint platforms list)');
  return found;
}

/** The platform that is named, as it would be saved again. */
async function registered(place: Place): Promise<GamePlatform & Savable> {
  const found = await required(place);
  if (found.source === 'configuration') {
    throw new UsageError('the platform comes from the configuration of the service: change it there');
  }
  return { ...found, ...savable(found) };
}

interface Savable {
  preset: string;
  settings: { [field: string]: string | string[] };
}

function savable({ preset, settings }: GamePlatform): Savable {
  return { preset: preset ?? '', settings: settings as Savable['settings'] };
}

async function presetNamed(admin: AdminClient, name: string): Promise<PlatformPresetInfo> {
  const presets = await asked(() => admin.platformPresets());
  const found = presets.find((preset) => preset.name === name);
  if (found !== undefined) return found;
  throw new UsageError(`there is no such preset: there are ${presets.map((preset) => preset.name).join(', ')}`);
}

async function listPresets(admin: AdminClient, { json }: Arguments, io: Io): Promise<ExitCode> {
  const presets = await asked(() => admin.platformPresets());
  if (json === true) writeJson(io, { presets });
  else table(io, presetColumns, presets);
  return 0;
}

const presetColumns: Columns<PlatformPresetInfo> = {
  PRESET: ({ name }) => name,
  PLATFORM: ({ title }) => title,
  KIND: ({ kind }) => kind,
  // What is optional stands in brackets.
  FIELDS: ({ fields }) =>
    fields
      .map(({ name, kind, isRequired }) => (kind === 'secret' ? [`${name} (secret)`, isRequired] : [name, isRequired]))
      .map(([text, isRequired]) => (isRequired === true ? `${text}` : `[${text}]`))
      .join(', '),
};

function nameOf({ name }: Arguments): string {
  if (name === undefined) throw new UsageError('say which platform: --name <name> (savepoint platforms list)');
  return name;
}

const columns: Columns<GamePlatform> = {
  NAME: ({ name }) => name,
  PRESET: ({ preset }) => preset ?? '-',
  KIND: ({ kind }) => kind,
  STATE: ({ isOn, problem }) => (isOn ? (problem ?? 'on') : 'off'),
  SOURCE: ({ source }) => source,
  SECRETS: ({ secrets }) => (secrets.length === 0 ? '-' : secrets.join(', ')),
  VERSION: ({ version }) => (version === 0 ? '-' : `${version}`),
  CHANGED: ({ changedAt }) => (changedAt === undefined ? '-' : moment(changedAt)),
};

function tell({ io, values, scope }: Place, platform: GamePlatform): void {
  if (values.json === true) {
    writeJson(io, platform);
    return;
  }
  const { name, preset, kind, isOn, problem, source, settings, secrets, version, createdAt, changedAt } = platform;
  const [environment = ''] = Object.entries(environments).find(([, number]) => number === scope.environment) ?? [];
  const lines: (readonly [string, string])[] = [
    ['name', name],
    ['preset', preset ?? '-'],
    ['kind', kind],
    ['environment', environment.toLowerCase()],
    ['state', isOn ? 'on' : 'off'],
    ...(problem === undefined ? [] : [['problem', `${problem}: ${meanings[problem] ?? 'look at the log'}`] as const]),
    ['source', source],
    ...Object.entries(settings).map(([field, value]) => [field, [value].flat().join(', ')] as const),
    ...secrets.map((field) => [field, '(secret)'] as const),
    ...(version === 0 ? [] : [['version', `${version}`] as const]),
    ...(createdAt === undefined ? [] : [['registered', moment(createdAt)] as const]),
    ...(changedAt === undefined ? [] : [['changed', moment(changedAt)] as const]),
  ];
  const width = Math.max(...lines.map(([heading]) => heading.length));
  for (const [heading, text] of lines) io.out(`${heading.padEnd(width)}  ${printable(text)}\n`);
}

const meanings: { readonly [problem: string]: string } = {
  key_missing: 'the service was not given the key that sealed its secrets (SAVEPOINT_FORMER_SEALING_KEYS)',
  unreadable: 'what is in the store was changed there: give the secrets again (set)',
  unknown_preset: 'this version of the service does not know its preset',
  invalid_settings: 'this version of the service takes other settings (set)',
  overridden: 'the configuration of the service has one of this name or issuer, which counts',
};

function showTrial(io: Io, { player, steps }: PlatformTrial): void {
  const of = player?.issuer === undefined ? '' : ` of ${player.issuer}`;
  io.out(player === null ? 'player  none\n' : `player  ${printable(`${player.id}${of}`)}\n`);
  io.out('\n');
  table(
    io,
    {
      RESULT: ({ result }) => result.replace('_', ' '),
      STEP: ({ step }) => step,
      WHY: ({ detail = '' }) => detail,
    },
    steps,
  );
}
