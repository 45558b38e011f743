import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { type Labels, type Metrics, noMetrics } from '@hawser/telemetry';
import { type ClientOptions, type Resource, createClient } from './index.js';
import { type FakeApiServer, failure, json, startFakeApiServer } from './testing/fake-api-server.js';
import { until } from './testing/wait.js';

const DATABASES: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const KEY = { name: 'db' };
const OBJECT = { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name: 'db' } };

/** Keeps what was counted, by name and labels. */
function recordingMetrics(): { readonly metrics: Metrics; readonly values: Map<string, number> } {
  const values = new Map<string, number>();
  const key = (name: string, labels: Labels | undefined): string => `${name}${JSON.stringify(labels ?? {})}`;
  const add =
    (name: string) =>
    (labels?: Labels, by = 1): void => {
      values.set(key(name, labels), (values.get(key(name, labels)) ?? 0) + by);
    };
  return {
    values,
    metrics: {
      ...noMetrics,
      counter: ({ name }) => ({ inc: add(name) }),
      gauge: ({ name }) => ({
        set: (value, labels) => {
          values.set(key(name, labels), value);
        },
        inc: add(name),
        remove: (labels) => {
          values.delete(key(name, labels));
        },
      }),
      histogram: ({ name }) => ({
        observe: (_value, labels) => {
          add(name)(labels);
        },
      }),
    },
  };
}

describe('a client', () => {
  let clock: FakeClock;
  let server: FakeApiServer;
  let open: (() => void)[];
  beforeEach(async () => {
    clock = new FakeClock();
    open = [];
    server = await startFakeApiServer((_request, response) => {
      open.push(() => {
        json(response, OBJECT);
      });
    });
  });
  afterEach(async () => {
    await server.close();
    expect(clock.pendingTimers).toBe(0);
  });
  const make = (options: Partial<ClientOptions>): ReturnType<typeof createClient> =>
    createClient({ name: 'provider', connection: server.connection, clock, ...options });

  it('sends no more at a time than it may, in the order of asking', async () => {
    const client = make({ concurrency: 2 });
    const requests = Array.from({ length: 5 }, (_, index) => client.get(DATABASES, { name: `db-${index}` }));
    for (let done = 0; done < 5; done++) {
      await until(() => open.length > 0, 'a request has arrived');
      await until(() => server.requests.length === Math.min(5, done + 2), 'all that may have arrived');
      open.shift()?.();
      await requests[done];
      expect(server.requests.length).toBeLessThanOrEqual(done + 2);
    }
    expect(server.requests.map(({ url }) => url.at(-1))).toEqual(['0', '1', '2', '3', '4']);
    await client.close();
  });

  it('sends no faster than it may, after the burst', async () => {
    server.answer = (_request, response) => {
      json(response, OBJECT);
    };
    const client = make({ qps: 10, burst: 3 });
    const requests = Array.from({ length: 6 }, () => client.get(DATABASES, KEY));
    await Promise.all(requests.slice(0, 3));
    for (let sent = 3; sent < 6; sent++) {
      expect(server.requests).toHaveLength(sent);
      await clock.advance(99);
      expect(server.requests).toHaveLength(sent);
      await clock.advance(1);
      await requests[sent];
    }
    await clock.advance(1000);
    await Promise.all(Array.from({ length: 3 }, () => client.get(DATABASES, KEY)));
    expect(server.requests).toHaveLength(9);
    await client.close();
  });

  it('counts every exchange, and what is open', async () => {
    const { metrics, values } = recordingMetrics();
    const client = make({ metrics });
    const first = client.get(DATABASES, KEY);
    await until(() => open.length === 1, 'the request has arrived');
    expect(values.get('hawser_client_requests_in_flight{"cluster":"provider"}')).toBe(1);
    open.shift()?.();
    await first;
    server.answer = (_request, response) => {
      failure(response, 404, 'NotFound', 'x');
    };
    await client.delete(DATABASES, KEY).catch(() => undefined);
    server.answer = (_request, _response, socket) => {
      socket.resetAndDestroy();
    };
    await client.create(DATABASES, OBJECT).catch(() => undefined);
    server.answer = (_request, response) => {
      response.writeHead(200).flushHeaders();
    };
    const watch = await client.watch(DATABASES);
    const { host } = new URL(server.url);
    expect(Object.fromEntries(values)).toEqual({
      'hawser_client_requests_in_flight{"cluster":"provider"}': 0,
      'hawser_client_watches{"cluster":"provider"}': 1,
      'hawser_client_requests_total{"cluster":"provider","verb":"get","code":"200"}': 1,
      'hawser_client_requests_total{"cluster":"provider","verb":"delete","code":"404"}': 1,
      'hawser_client_requests_total{"cluster":"provider","verb":"create","code":"Unreachable"}': 1,
      'hawser_client_requests_total{"cluster":"provider","verb":"watch","code":"200"}': 1,
      [`rest_client_requests_total{"code":"200","method":"GET","host":"${host}"}`]: 2,
      [`rest_client_requests_total{"code":"404","method":"DELETE","host":"${host}"}`]: 1,
      [`rest_client_requests_total{"code":"<error>","method":"POST","host":"${host}"}`]: 1,
      'hawser_client_request_duration_seconds{"cluster":"provider","verb":"get"}': 1,
      'hawser_client_request_duration_seconds{"cluster":"provider","verb":"delete"}': 1,
      'hawser_client_request_duration_seconds{"cluster":"provider","verb":"create"}': 1,
      'hawser_client_request_duration_seconds{"cluster":"provider","verb":"watch"}': 1,
    });
    await watch[Symbol.asyncIterator]().return?.();
    expect(values.get('hawser_client_watches{"cluster":"provider"}')).toBe(0);
    server.answer = () => undefined;
    const last = client.get(DATABASES, KEY).catch(() => undefined);
    await until(() => values.get('hawser_client_requests_in_flight{"cluster":"provider"}') === 1, 'a request waits');
    await client.close();
    await last;
    expect([...values].filter(([key]) => key.includes('in_flight') || key.includes('watches'))).toEqual([
      ['hawser_client_requests_in_flight{"cluster":"provider"}', 0],
      ['hawser_client_watches{"cluster":"provider"}', 0],
    ]);
  });
});
