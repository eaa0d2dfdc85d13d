import { describe, expect, it } from 'vitest';
import { type Crowd, createConnectionRoom, type Peer } from '../../../src/backend/http/connection-room.js';

const proxy = '10.0.0.1';

function createStage({ connections = 4, connectionsPerAddress = 3 } = {}) {
  const closed: string[] = [];
  const told: Crowd[] = [];
  const time = { now: 0 };
  const room = createConnectionRoom({
    connections,
    connectionsPerAddress,
    isTrusted: (address) => address === proxy,
    crowded: (crowd) => void told.push(crowd),
    clock: () => time.now,
  });
  const connect = (name: string, remoteAddress: string, { works = false } = {}): Peer => {
    const socket = { remoteAddress, destroy: () => void closed.push(name) };
    room.enter(socket);
    if (works) room.work(socket);
    return socket;
  };
  return { room, closed, told, time, connect };
}

const works = { works: true };

describe('an address with too many connections', () => {
  it('loses the one that has had no request for longest', () => {
    const { room, closed, connect } = createStage();
    const one = connect('one', '192.0.2.1');
    connect('two', '192.0.2.1');
    room.work(one);
    room.rest(one);
    connect('three', '::ffff:192.0.2.1');
    expect(closed).toEqual([]);
    connect('four', '192.0.2.1');
    connect('five', '192.0.2.1');
    expect(closed).toEqual(['two', 'one']);
  });

  it('gets no new one where all have a request', () => {
    const { closed, connect } = createStage();
    for (const name of ['one', 'two', 'three']) connect(name, '192.0.2.1', works);
    connect('four', '192.0.2.1');
    expect(closed).toEqual(['four']);
  });

  it('is a household, where it is one of IPv6', () => {
    const { closed, connect } = createStage();
    for (const last of [1, 2, 3, 4]) connect(`of ${last}`, `2001:db8::${last}`);
    connect('another', '2001:db8:0:1::1');
    expect(closed).toEqual(['of 1']);
  });

  it('may have any number where it is a trusted proxy', () => {
    const { closed, connect } = createStage({ connections: 10 });
    for (let number = 1; number <= 10; number += 1) connect(`of ${number}`, proxy);
    expect(closed).toEqual([]);
    connect('one too many', proxy);
    expect(closed).toEqual(['of 1']);
  });

  it('has room again when one has ended', () => {
    const { room, closed, connect } = createStage();
    const [one] = ['one', 'two', 'three'].map((name) => connect(name, '192.0.2.1'));
    room.leave(one as Peer);
    room.leave(one as Peer);
    connect('four', '192.0.2.1');
    expect(closed).toEqual([]);
  });
});

describe('a full port', () => {
  it('lets a player in, and closes one of the address that has the most', () => {
    const { closed, connect } = createStage();
    connect('player', '192.0.2.9');
    for (const name of ['one', 'two', 'three']) connect(name, '192.0.2.1');
    connect('another player', '192.0.2.8');
    expect(closed).toEqual(['one']);
  });

  it('closes the oldest of that address where all of its connections have a request', () => {
    const { closed, connect } = createStage();
    for (const name of ['one', 'two', 'three']) connect(name, '192.0.2.1', works);
    connect('player', '192.0.2.9', works);
    connect('another player', '192.0.2.8');
    expect(closed).toEqual(['one']);
  });

  it('closes none that works where everybody has one', () => {
    const { closed, connect } = createStage();
    for (const last of [1, 2, 3, 4]) connect(`of ${last}`, `192.0.2.${last}`, works);
    connect('late', '192.0.2.9');
    expect(closed).toEqual(['late']);
  });

  it("closes a trusted proxy's only where there are no others", () => {
    const { closed, connect } = createStage();
    for (const name of ['p1', 'p2', 'p3']) connect(name, proxy);
    connect('direct', '192.0.2.1');
    connect('p4', proxy);
    connect('p5', proxy);
    expect(closed).toEqual(['direct', 'p1']);
    for (const name of ['p6', 'p7']) connect(name, proxy, works);
    expect(closed).toEqual(['direct', 'p1', 'p2', 'p3']);
  });
});

it('is told of at once, and then once a minute with how many it were', () => {
  const { connect, told, time } = createStage({ connectionsPerAddress: 1 });
  for (const name of ['one', 'two', 'three', 'four']) connect(name, '192.0.2.1');
  expect(told).toEqual([{ closed: 1, address: '192.0.2.1' }]);
  time.now = 59_999;
  connect('five', '192.0.2.1');
  time.now = 60_000;
  connect('six', '192.0.2.1');
  expect(told.slice(1)).toEqual([{ closed: 4, address: '192.0.2.1' }]);
});
