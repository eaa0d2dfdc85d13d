import { seconds } from '../../protocol/gaps/units.js';
import { householdOf } from '../household.js';
import { peerAddressOf } from './peer-address.js';

/** A connection. */
export interface Peer {
  /** Undefined where it is gone already. */
  readonly remoteAddress?: string | undefined;
  destroy(): unknown;
}

/** Connections that were closed because a port had too many. */
export interface Crowd {
  /** How many, since it was told last. */
  closed: number;
  /** Whose the last of them was: the address, or the first half of an IPv6 address. */
  address: string;
}

/** How many connections a port may have. */
export interface Room {
  /** All together. */
  connections: number;
  /** Of one address that is no trusted proxy's. */
  connectionsPerAddress: number;
  isTrusted(address: string): boolean;
  /** Is told at once that connections were closed, and then at most once a minute. */
  crowded(crowd: Crowd): void;
  /** In ms, from any moment on. */
  clock(): number;
}

/** Holds a port's connections to what there is room for. */
export interface ConnectionRoom {
  /** A connection has come; it waits for its first request. */
  enter(socket: Peer): void;
  /** It has a request to be answered. */
  work(socket: Peer): void;
  /** It has none any more. */
  rest(socket: Peer): void;
  leave(socket: Peer): void;
}

interface Household {
  name: string;
  /** A proxy's connections are those of many players. */
  isTrusted: boolean;
  /** Oldest first. */
  sockets: Set<Peer>;
  /** Those without a request, first the one that has had none for longest. */
  resting: Set<Peer>;
}

const tellEveryMs = seconds(60);

/**
 * For one connection too many, another one of the address that has the most is closed: whoever opens all that they can
 * must not keep the others out. One that waits for a request goes first, which its client opens again when it has one.
 */
export function createConnectionRoom({ crowded, clock, ...room }: Room): ConnectionRoom {
  const households = new Map<string, Household>();
  const places = new Map<Peer, Household>();
  let closed = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  function householdFor(socket: Peer): Household {
    const address = peerAddressOf(socket) ?? '';
    const isTrusted = room.isTrusted(address);
    const name = isTrusted ? address : householdOf(address);
    const known = households.get(name);
    if (known !== undefined) return known;
    const household = { name, isTrusted, sockets: new Set<Peer>(), resting: new Set<Peer>() };
    households.set(name, household);
    return household;
  }

  function leave(socket: Peer): void {
    const household = places.get(socket);
    if (household === undefined) return;
    places.delete(socket);
    household.sockets.delete(socket);
    household.resting.delete(socket);
    if (household.sockets.size === 0) households.delete(household.name);
  }

  function close(socket: Peer): void {
    const { name = '' } = places.get(socket) ?? {};
    leave(socket);
    socket.destroy();
    closed += 1;
    if (clock() - toldAt < tellEveryMs) return;
    toldAt = clock();
    crowded({ closed, address: name });
    closed = 0;
  }

  return {
    enter(socket) {
      const household = householdFor(socket);
      places.set(socket, household);
      household.sockets.add(socket);
      household.resting.add(socket);
      const isFull = !household.isTrusted && household.sockets.size > room.connectionsPerAddress;
      // The one that has come is at the end, and goes where all others of its address have a request.
      if (isFull) close(first(household.resting) ?? socket);
      else if (places.size > room.connections) close(nextToGo(households.values(), socket));
    },
    work: (socket) => void places.get(socket)?.resting.delete(socket),
    rest: (socket) => void places.get(socket)?.resting.add(socket),
    leave,
  };
}

/** Of the address with the most, and of a trusted proxy only where there are no others. */
function nextToGo(households: Iterable<Household>, latest: Peer): Peer {
  let most: Household | null = null;
  for (const household of households) if (most === null || goesBefore(household, most)) most = household;
  if (most === null) return latest;
  const resting = first(most.resting);
  if (resting !== undefined) return resting;
  // All of them have a request. Who has many of these gives up the oldest; where everybody has one, nobody does.
  return most.isTrusted || most.sockets.size === 1 ? latest : (first(most.sockets) ?? latest);
}

function goesBefore(one: Household, other: Household): boolean {
  if (one.isTrusted !== other.isTrusted) return other.isTrusted;
  if (one.sockets.size !== other.sockets.size) return one.sockets.size > other.sockets.size;
  return one.resting.size > other.resting.size;
}

function first(sockets: ReadonlySet<Peer>): Peer | undefined {
  const [socket] = sockets;
  return socket;
}
