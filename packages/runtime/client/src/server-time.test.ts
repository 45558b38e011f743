import { type Clock, FakeClock } from '@hawser/clock';
import { describe, expect, it } from '@jest/globals';
import { createClient } from './create-client.js';
import { ServerTime } from './server-time.js';
import { json, startFakeApiServer } from './testing/fake-api-server.js';

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);

describe('ServerTime', () => {
  const open = (): { readonly time: ServerTime; readonly ours: { wall: number; monotonic: number } } => {
    const ours = { wall: start, monotonic: 5_000 };
    const clock: Clock = {
      now: () => ours.wall,
      monotonic: () => ours.monotonic,
      setTimeout: () => ({ cancel: () => undefined }),
    };
    return { time: new ServerTime(clock), ours };
  };

  it('is our own time while the server has said nothing', () => {
    const { time, ours } = open();
    time.learn(undefined);
    ours.wall += hour;
    expect(time.now()).toBe(start + hour);
  });

  it('is what the server said and what has passed since, whatever our wall clock does', () => {
    const { time, ours } = open();
    ours.wall += hour;
    time.learn(start);
    ours.wall -= 2 * hour;
    ours.monotonic += 60_000;
    expect(time.now()).toBe(start + 60_000);
    time.learn(start + 90_000);
    expect(time.now()).toBe(start + 90_000);
  });

  it('is what the last Date header said, and does not believe one that is not a date', () => {
    const { time, ours } = open();
    ours.wall += hour;
    time.hear(new Date(start).toUTCString());
    ours.monotonic += 60_000;
    expect(time.now()).toBe(start + 60_000);
    for (const date of ['yesterday', '', undefined]) time.hear(date);
    expect(time.now()).toBe(start + 60_000);
  });
});

it('a client knows the clock of its server from any answer, and so do those at other paths of it', async () => {
  const server = await startFakeApiServer((_request, response) => {
    response.setHeader('date', new Date(start).toUTCString());
    json(response, { kind: 'Status', metadata: {} }, 404);
  });
  const clock = new FakeClock();
  const client = createClient({ name: 'provider', connection: server.connection, clock });
  try {
    expect(client.serverTime?.now()).toBe(clock.now());
    await client
      .at('/clusters/root', 'root')
      .raw('GET', '/version')
      .catch(() => undefined);
    expect(client.serverTime?.now()).toBe(start);
  } finally {
    await client.close();
    await server.close();
  }
});
