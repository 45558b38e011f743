import type { Client, KubeObject } from '@hawser/client';
import { eventually } from '@hawser/testenv';
import { type TestConsumer, openGatewayWorld } from '../../packages/provider/gateway/src/testing/gateway-world.js';
import type { Verdict } from './konnector.js';
import { quantile, writers } from './writers.js';

export interface GatewayBenchOptions {
  /** Changes in sequence. */
  readonly changes: number;
  readonly consumers: number;
  /** Objects of all consumers together. */
  readonly objects: number;
  readonly print: (line: string) => void;
}

/** Times in milliseconds. */
interface Compared {
  readonly straightP50: number;
  readonly straightP99: number;
  readonly throughP50: number;
  readonly throughP99: number;
}

/** Times in milliseconds. The gateway runs in the measuring process. */
export interface GatewayResult {
  /** From a change to its event, by a watch on the API server itself. */
  readonly straightP50: number;
  readonly straightP99: number;
  /** The same change, by a consumer's watch on the gateway. */
  readonly throughP50: number;
  readonly throughP99: number;
  /** Reads and patches of one object, alternately direct and through the gateway. */
  readonly reads: Compared;
  readonly writes: Compared;
  /** All consumers list at the same time. */
  readonly listsMs: number;
  readonly listErrors: number;
  /** One consumer's change while all list. */
  readonly besideListsMs: number;
}

/** Extra time of a change through the gateway, and the time for concurrent lists of all consumers. */
export async function benchGateway({
  changes,
  consumers: many,
  objects,
  print,
}: GatewayBenchOptions): Promise<GatewayResult> {
  print('starting a control plane with a gateway');
  const world = await openGatewayWorld();
  try {
    const resource = world.resource('zones');
    const consumers: TestConsumer[] = [];
    for (let index = 0; index < many; index++) consumers.push(await world.onboard(['zones']));
    const [first] = consumers;
    if (first === undefined) throw new Error('there is no consumer');
    print(`${objects} objects of ${many} consumers`);
    const padding = Array.from({ length: 24 }, (_, index) => ({ value: `value-${'x'.repeat(40)}-${index}`, index }));
    const perConsumer = Math.ceil(objects / many);
    for (const consumer of consumers)
      await writers(perConsumer, 16, async (at) => {
        const name = `${consumer.name}-${at}`;
        await world.cluster.client.create(resource, world.object('zones', name, consumer.name, { padding }));
      });

    const key = { name: `${first.name}-0` };
    const straight = await follow(world.cluster.client, resource, key.name);
    const through = await follow(first.through, resource, key.name);
    const change = async (size: number): Promise<readonly [number, number]> => {
      const from = performance.now();
      const seen = Promise.all([straight.sees(size), through.sees(size)]);
      await world.cluster.client.patch(resource, key, { type: 'merge', patch: { spec: { size } } });
      const [one, other] = await seen;
      return [one - from, other - from];
    };
    for (let warm = 0; warm < 50; warm++) await change(10_000 + warm);
    const times: (readonly [number, number])[] = [];
    for (let at = 0; at < changes; at++) times.push(await change(20_000 + at));

    let size = 30_000;
    const reads = await compared(changes, world.cluster.client, first.through, (client) => client.get(resource, key));
    const writes = await compared(changes, first.straight, first.through, (client) =>
      client.patch(resource, key, { type: 'merge', patch: { spec: { size: size++ } } }),
    );

    const from = performance.now();
    let listErrors = 0;
    const lists = Promise.all(
      consumers.map(async ({ through: client }) => {
        const { items } = await client.list(resource).catch(() => ({ items: [] }));
        if (items.length !== perConsumer) listErrors++;
      }),
    );
    const [, besideListsMs] = await change(1);
    await lists;
    const listsMs = performance.now() - from;
    straight.end();
    through.end();
    const of = (index: 0 | 1, share: number): number =>
      quantile(
        times.map((pair) => pair[index]),
        share,
      );
    return {
      straightP50: of(0, 0.5),
      straightP99: of(0, 0.99),
      throughP50: of(1, 0.5),
      throughP99: of(1, 0.99),
      reads,
      writes,
      listsMs,
      listErrors,
      besideListsMs,
    };
  } finally {
    await world.close();
  }
}

/** Alternately: both see the same machine. */
async function compared(
  count: number,
  straight: Client,
  through: Client,
  work: (client: Client) => Promise<unknown>,
): Promise<Compared> {
  const times = new Map<Client, number[]>([straight, through].map((client) => [client, []]));
  for (let at = 0; at < count; at++)
    for (const [client, taken] of times) {
      const from = performance.now();
      await work(client);
      taken.push(performance.now() - from);
    }
  const of = (client: Client, share: number): number => quantile(times.get(client) ?? [], share);
  return {
    straightP50: of(straight, 0.5),
    straightP99: of(straight, 0.99),
    throughP50: of(through, 0.5),
    throughP99: of(through, 0.99),
  };
}

interface Followed {
  /** Time of the event with this size. */
  sees(size: number): Promise<number>;
  end(): void;
}

async function follow(client: Client, resource: Parameters<Client['list']>[0], name: string): Promise<Followed> {
  const ending = new AbortController();
  const waiting = new Map<number, (at: number) => void>();
  const { metadata } = await client.list(resource);
  const stream = await eventually(() =>
    client.watch<KubeObject & { readonly spec?: { readonly size?: number } }>(resource, {
      resourceVersion: metadata.resourceVersion,
      signal: ending.signal,
    }),
  );
  void (async () => {
    for await (const event of stream) {
      if (event.type === 'BOOKMARK' || event.object.metadata.name !== name) continue;
      const size = event.object.spec?.size ?? 0;
      waiting.get(size)?.(performance.now());
      waiting.delete(size);
    }
  })().catch(() => undefined);
  return {
    sees: (size) => new Promise((resolve) => waiting.set(size, resolve)),
    end: () => {
      ending.abort();
    },
  };
}

/** Against the goals for the gateway. */
export function gatewayVerdicts({
  throughP99,
  straightP99,
  reads,
  writes,
  listErrors,
}: GatewayResult): readonly Verdict[] {
  const more = (figure: string, measured: number): Verdict => ({
    figure: `${figure} through the gateway, more than straight, ms`,
    measured,
    goal: '≤ 5',
    reached: measured <= 5,
  });
  return [
    more('a change p99', throughP99 - straightP99),
    more('a read p50', reads.throughP50 - reads.straightP50),
    more('a read p99', reads.throughP99 - reads.straightP99),
    more('a write p50', writes.throughP50 - writes.straightP50),
    more('a write p99', writes.throughP99 - writes.straightP99),
    { figure: 'lists of all consumers at a time, errors', measured: listErrors, goal: '0', reached: listErrors === 0 },
  ];
}
