import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { leases } from './lease-lock.js';
import { type Lease, holderOf } from './lease-record.js';
import { createShardMember } from './shard-member.js';
import { SHARDS } from './shard-plan.js';
import { GROUP_LABEL, SHARD_LABEL } from './shard-view.js';
import type { ShardTerm } from './shards.js';

const short = { leaseDurationMs: 6000, renewDeadlineMs: 4000, retryPeriodMs: 200 };

describeWithControlPlane('shards on a real API server', () => {
  let cluster: SharedControlPlane;
  let namespace: string;
  const clients: Client[] = [];
  const stoppers: (() => Promise<void>)[] = [];
  const doubles: string[] = [];
  const served = new Map<number, string>();

  const newClient = (name: string): Client => {
    const client = createClient({ name, connection: cluster.connection });
    clients.push(client);
    return client;
  };

  function join(identity: string) {
    const member = createShardMember({
      client: newClient(identity),
      namespace,
      name: 'work',
      identity,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      ...short,
    });
    const stopper = new AbortController();
    const mine = new Set<number>();
    const leave = (shard: number): void => {
      mine.delete(shard);
      if (served.get(shard) === identity) served.delete(shard);
    };
    const settle = (): Promise<void> => {
      const shards = member.state.kind === 'serving' ? member.state.shards : [];
      for (const shard of mine) if (!shards.includes(shard)) leave(shard);
      for (const shard of shards) {
        if (mine.has(shard)) continue;
        if (served.has(shard)) doubles.push(`${shard}: ${served.get(shard)!} and ${identity}`);
        served.set(shard, identity);
        mine.add(shard);
      }
      return Promise.resolve();
    };
    const running = member.run(
      (term: ShardTerm) =>
        new Promise<void>((resolve) => {
          term.follow({ settle });
          term.signal.addEventListener(
            'abort',
            () => {
              for (const shard of [...mine]) leave(shard);
              resolve();
            },
            { once: true },
          );
        }),
      stopper.signal,
    );
    const stop = async (): Promise<void> => {
      stopper.abort();
      await running;
    };
    stoppers.push(stop);
    return { member, mine, stop };
  }

  beforeAll(async () => {
    cluster = await sharedControlPlane('consumer');
    namespace = uniqueNamespace('shards');
    await newClient('admin').create(
      { group: '', version: 'v1', resource: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    );
  });

  afterAll(async () => {
    await Promise.all(stoppers.map((stop) => stop()));
    await Promise.all(clients.map((client) => client.close()));
  });

  it('are shared by those that come, and taken over from those that go', async () => {
    const a = join('a');
    await eventually(() => {
      expect(a.mine.size).toBe(SHARDS);
    });
    const b = join('b');
    const c = join('c');
    await eventually(() => {
      expect([a.mine.size, b.mine.size, c.mine.size].sort((x, y) => x - y)).toEqual([10, 11, 11]);
    });
    await b.stop();
    await eventually(() => {
      expect([a.mine.size, c.mine.size]).toEqual([SHARDS / 2, SHARDS / 2]);
    });
    const labelSelector = `${GROUP_LABEL}=work,${SHARD_LABEL}`;
    const { items } = await clients[0]!.list<Lease>(leases, { namespace, labelSelector });
    expect(items.filter((lease) => holderOf(lease) === 'c')).toHaveLength(SHARDS / 2);
    await Promise.all([a.stop(), c.stop()]);
    const group = await clients[0]!.get<Lease>(leases, { namespace, name: 'work' });
    expect(holderOf(group)).toBeUndefined();
    expect(doubles).toEqual([]);
  });
});
