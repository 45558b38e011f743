import { describe, expect, it } from '@jest/globals';
import { Link } from './link.js';
import { Machine } from './machine.js';
import { ProcessClock } from './process-clock.js';
import { SeededRandom } from './seeded-random.js';
import { SimCluster } from './sim-cluster.js';
import { SimExchange } from './sim-exchange.js';
import { VirtualTime } from './virtual-time.js';

const NAMESPACES = { group: '', resource: 'namespaces' };

function setUp() {
  const time = new VirtualTime();
  const cluster = new SimCluster({
    name: 'consumer',
    time,
    random: SeededRandom.stream(1, 'cluster').next,
    report: (error) => {
      throw error;
    },
  });
  const link = new Link(time, SeededRandom.stream(1, 'link'));
  const clock = new ProcessClock(time, new Machine('konnector-0'));
  const headers = { authorization: 'Bearer operator', 'content-type': 'application/json' };
  const seen: string[] = [];
  const handler = {
    onResponseStart: () => {
      seen.push('start');
    },
    onResponseData: (_controller: unknown, chunk: Buffer) => {
      seen.push(chunk.toString());
    },
    onResponseError: () => {
      seen.push('error');
    },
  };
  const send = (method: string, path: string, body?: string): SimExchange => {
    const exchange = new SimExchange({
      link,
      cluster,
      clock,
      handler,
      request: { method, path, headers, ...(body === undefined ? {} : { body }) },
      onHandled: () => undefined,
      onEnd: () => undefined,
    });
    exchange.send();
    return exchange;
  };
  return { time, cluster, link, send, seen };
}

describe('SimExchange', () => {
  it('has a write carried out that is on its way, although nobody waits for its answer', async () => {
    const { time, cluster, send, seen } = setUp();
    await time.runUntil(100);
    send(
      'POST',
      '/api/v1/namespaces',
      JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'sent' } }),
    ).abort(new Error('given up'));
    await time.runUntil(200);
    expect(cluster.objects.get(NAMESPACES, { namespace: '', name: 'sent' })).toBeDefined();
    expect(seen).toEqual(['error']);
  });

  it('brings what a watch sees until it is called off', async () => {
    const { time, cluster, send, seen } = setUp();
    await time.runUntil(100);
    const watch = send('GET', '/api/v1/namespaces?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dseen');
    await time.runUntil(200);
    cluster.objects.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'seen' } });
    await time.runUntil(300);
    const received = seen.length;
    expect(seen.join('')).toContain('"ADDED"');
    watch.abort(new Error('given up'));
    await time.runUntil(400);
    cluster.objects.delete(NAMESPACES, { namespace: '', name: 'seen' });
    await time.runUntil(500);
    expect(seen.slice(received)).toEqual(['error']);
  });

  it('brings what a partition held up in the order in which it was sent', async () => {
    const { time, cluster, link, send, seen } = setUp();
    await time.runUntil(100);
    send('GET', '/api/v1/namespaces?watch=true&resourceVersion=0');
    await time.runUntil(200);
    const partition = { kind: 'partition' } as const;
    link.add(partition);
    const names = Array.from({ length: 20 }, (_, index) => `held-${index}`);
    for (const name of names)
      cluster.objects.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await time.runUntil(300);
    link.remove(partition);
    cluster.objects.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } });
    await time.runUntil(400);
    const received = [...seen.join('').matchAll(/"name":"(held-\d+|later)"/gu)].map(([, name]) => name);
    expect(received).toEqual([...names, 'later']);
  });
});
