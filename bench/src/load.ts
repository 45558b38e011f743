import type { Client, Resource, UnstructuredObject } from '@hawser/client';

import type { BenchDialect } from './dialect.js';
import { type Observer, observe } from './observer.js';
import { sample, sampleStatus } from './sample.js';
import { writers } from './writers.js';

/** Resource and namespaces of a measurement's objects, on both sides. */
export interface LoadTarget {
  readonly dialect: BenchDialect;
  readonly resource: Resource;
  readonly consumer: Client;
  readonly provider: Client;
  readonly consumerNamespace: string;
  readonly providerNamespace: string;
}

/** Actions of users and the provider's operator, and the time until the other side shows each. Milliseconds. */
export interface Load {
  /** Creates `count` objects; ends when the provider has them all. */
  create(count: number): Promise<number>;
  /** Waits until each newly created object records its copy: the creation is complete. */
  settled(): Promise<unknown>;
  /** Sets the status of `count` copies; ends when the consumer shows it on all. */
  setStatus(count: number): Promise<number>;
  /** One change of object `index`: time from the answer to the user's write until the provider shows it. */
  change(index: number): Promise<number>;
  /** The same without waiting: `shown` resolves to the monotonic time at which the provider shows it. */
  pendingChange(index: number): Promise<{ readonly name: string; readonly shown: Promise<number> }>;
  /** Changes object `index` without waiting. */
  patch(index: number, change: string): Promise<unknown>;
  /** Monotonic time at which the provider shows `change` on `count` objects. */
  shown(count: number, change: string): Promise<number>;
  /** Deletes `count` objects; ends when neither side has any. */
  delete(count: number): Promise<number>;
  close(): void;
}

const WIDTH = 32;
/** For a whole phase; the slowest machine does a few objects per second. */
const TIMEOUT_MS = 1_800_000;

/** `prefix` distinguishes the objects of this load from others. */
export async function openLoad(
  { dialect, resource, consumer, provider, consumerNamespace, providerNamespace }: LoadTarget,
  prefix: string,
): Promise<Load> {
  const onConsumer: Observer = await observe(consumer, resource, consumerNamespace);
  const onProvider: Observer = await observe(provider, resource, providerNamespace);
  const name = (index: number): string => `${prefix}-${index}`;
  const mine = (object: UnstructuredObject): boolean => object.metadata.name.startsWith(`${prefix}-`);
  let changes = 0;
  let settled: Promise<unknown> = Promise.resolve();
  const changeOf = (object: UnstructuredObject): string | undefined =>
    (object['spec'] as { change?: string } | undefined)?.change;
  const patch = (index: number, change: string): Promise<unknown> =>
    consumer.patch(
      resource,
      { namespace: consumerNamespace, name: name(index) },
      { type: 'merge', patch: { spec: { change } } },
      { representation: 'metadata' },
    );
  const shownOn = (object: string, change: string): Promise<number> =>
    onProvider.count(
      1,
      (event) =>
        event.type === 'MODIFIED' && event.object.metadata.name === object && changeOf(event.object) === change,
      60_000,
    );
  return {
    async create(count) {
      const created = onProvider.count(count, ({ type, object }) => type === 'ADDED' && mine(object), TIMEOUT_MS);
      settled = onConsumer.count(
        count,
        ({ type, object }) => type !== 'DELETED' && mine(object) && dialect.isSettled(object),
        TIMEOUT_MS,
      );
      // Callers that wait for it get its failure.
      settled.catch(() => undefined);
      const start = performance.now();
      await writers(count, WIDTH, (index) =>
        consumer.create(resource, sample(resource, consumerNamespace, name(index)), { representation: 'metadata' }),
      );
      return (await created) - start;
    },
    settled: () => settled,
    async setStatus(count) {
      const reported = onConsumer.count(
        count,
        ({ type, object }) => type === 'MODIFIED' && mine(object) && object['status'] !== undefined,
        TIMEOUT_MS,
      );
      const start = performance.now();
      await writers(count, WIDTH, (index) =>
        provider.patch(
          resource,
          { namespace: providerNamespace, name: name(index) },
          { type: 'merge', patch: { status: sampleStatus(name(index)) } },
          { subresource: 'status', representation: 'metadata' },
        ),
      );
      return (await reported) - start;
    },
    async change(index) {
      const wanted = `change-${changes++}`;
      const shown = shownOn(name(index), wanted);
      const start = performance.now();
      await patch(index, wanted);
      return (await shown) - start;
    },
    async pendingChange(index) {
      const wanted = `change-${changes++}`;
      const shown = shownOn(name(index), wanted);
      await patch(index, wanted);
      return { name: name(index), shown };
    },
    patch,
    shown: (count, wanted) =>
      onProvider.count(
        count,
        ({ type, object }) => type === 'MODIFIED' && mine(object) && changeOf(object) === wanted,
        TIMEOUT_MS,
      ),
    async delete(count) {
      const gone = onConsumer.count(count, ({ type, object }) => type === 'DELETED' && mine(object), TIMEOUT_MS);
      const goneUp = onProvider.count(count, ({ type, object }) => type === 'DELETED' && mine(object), TIMEOUT_MS);
      const start = performance.now();
      await writers(count, WIDTH, (index) =>
        consumer.delete(resource, { namespace: consumerNamespace, name: name(index) }),
      );
      return Math.max(await gone, await goneUp) - start;
    },
    close() {
      onConsumer.close();
      onProvider.close();
    },
  };
}
