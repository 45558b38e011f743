import type { UnstructuredObject } from '@hawser/client';

import type { Installation } from './installation.js';
import { type Observer, observe } from './observer.js';
import { rawResource, resource, sample, sampleStatus } from './sample.js';
import type { Subject } from './subject.js';
import { quantile, writers } from './writers.js';

/** What one subject did in one round. Rates are objects per second, times milliseconds. */
export interface Measurement {
  readonly up: number;
  readonly status: number;
  readonly deletion: number;
  readonly changeP50: number;
  readonly changeP99: number;
  /** Requests that write, per object, for its creation and first status. */
  readonly writesPerObject: number;
  /** CPU of the subject per object, for creation, status and deletion together. */
  readonly cpuMsPerObject: number;
  readonly rssBytes: number;
  /** Writes and CPU share while nothing happens. */
  readonly idleWrites: number;
  readonly idleCpuShare: number;
}

const WIDTH = 32;
const TIMEOUT_MS = 300_000;

/** The ceiling: the same objects, created straight on one API server, by as many writers. Objects per second. */
export async function measureRaw({ provider }: Installation, count: number, round: number): Promise<number> {
  const ms = await writers(count, WIDTH, (index) => provider.create(rawResource, sample(rawResource, 'raw', `raw-${round}-${index}`), { representation: 'metadata' }));
  await writers(count, WIDTH, (index) => provider.delete(rawResource, { namespace: 'raw', name: `raw-${round}-${index}` }));
  return (count * 1_000) / ms;
}

export interface MeasureOptions {
  readonly count: number;
  readonly changes: number;
  readonly idleMs: number;
  /** Prefix of the names of this round's objects. */
  readonly prefix: string;
}

export async function measure(installation: Installation, subject: Subject, options: MeasureOptions): Promise<Measurement> {
  const { count, prefix } = options;
  const { consumer, provider, consumerNamespace, providerNamespace, planes } = installation;
  const onConsumer = await observe(consumer, resource, consumerNamespace);
  const onProvider = await observe(provider, resource, providerNamespace);
  const name = (index: number): string => `${prefix}-${index}`;
  const mine = (object: UnstructuredObject): boolean => object.metadata.name.startsWith(`${prefix}-`);
  const marks = { consumer: await planes.consumer.auditLog().mark(), provider: await planes.provider.auditLog().mark() };
  const writesNow = async (): Promise<number> => {
    const [a, b] = await Promise.all([planes.consumer.auditLog().writes({ since: marks.consumer, resource: resource.resource }), planes.provider.auditLog().writes({ since: marks.provider, resource: resource.resource })]);
    return [...a, ...b].filter(({ userAgent, group }) => !userAgent.startsWith('bench') && group === resource.group).length;
  };
  const cpuAtStart = subject.cpuMs();

  const created = onProvider.count(count, ({ type, object }) => type === 'ADDED' && mine(object), TIMEOUT_MS);
  let start = performance.now();
  await writers(count, WIDTH, (index) => consumer.create(resource, sample(resource, consumerNamespace, name(index)), { representation: 'metadata' }));
  const up = (count * 1_000) / ((await created) - start);
  await settled(consumer, installation, count, prefix);

  const told = onConsumer.count(count, ({ type, object }) => type === 'MODIFIED' && mine(object) && (object)['status'] !== undefined, TIMEOUT_MS);
  start = performance.now();
  await writers(count, WIDTH, (index) => provider.patch(resource, { namespace: providerNamespace, name: name(index) }, { type: 'merge', patch: { status: sampleStatus(name(index)) } }, { subresource: 'status', representation: 'metadata' }));
  const status = (count * 1_000) / ((await told) - start);
  await pause(1_000);
  const writesPerObject = (await writesNow()) / count;
  const rssBytes = subject.rssBytes();

  const idleFrom = { writes: await writesNow(), cpu: subject.cpuMs() };
  await pause(options.idleMs);
  const idleWrites = (await writesNow()) - idleFrom.writes;
  const idleCpuShare = (subject.cpuMs() - idleFrom.cpu) / options.idleMs;

  const times = await changes(installation, onProvider, options.changes, name);

  const cpuBeforeDeletion = subject.cpuMs();
  const gone = onConsumer.count(count, ({ type, object }) => type === 'DELETED' && mine(object), TIMEOUT_MS);
  const goneUp = onProvider.count(count, ({ type, object }) => type === 'DELETED' && mine(object), TIMEOUT_MS);
  start = performance.now();
  await writers(count, WIDTH, (index) => consumer.delete(resource, { namespace: consumerNamespace, name: name(index) }));
  const deletion = (count * 1_000) / (Math.max(await gone, await goneUp) - start);
  const cpuMsPerObject = (idleFrom.cpu - cpuAtStart + (subject.cpuMs() - cpuBeforeDeletion)) / count;
  onConsumer.close();
  onProvider.close();
  return { up, status, deletion, changeP50: quantile(times, 0.5), changeP99: quantile(times, 0.99), writesPerObject, cpuMsPerObject, rssBytes, idleWrites, idleCpuShare };
}

/** One change after another: from the answer to the user's write until the provider shows it. */
async function changes({ consumer, consumerNamespace }: Installation, onProvider: Observer, count: number, name: (index: number) => string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let change = 0; change < count; change++) {
    const wanted = `change-${change}`;
    const seen = onProvider.count(1, ({ type, object }) => type === 'MODIFIED' && ((object)['spec'] as { change?: string } | undefined)?.change === wanted, 30_000);
    const start = performance.now();
    await consumer.patch(resource, { namespace: consumerNamespace, name: name(change) }, { type: 'merge', patch: { spec: { change: wanted } } }, { representation: 'metadata' });
    times.push((await seen) - start);
    await pause(5);
  }
  return times;
}

/** All annotations written: nothing of this phase is left for the next. */
async function settled(consumer: Installation['consumer'], { consumerNamespace }: Installation, count: number, prefix: string): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { items } = await consumer.list(resource, { namespace: consumerNamespace, representation: 'metadata' });
    const told = items.filter(({ metadata }) => metadata.name.startsWith(`${prefix}-`) && metadata.annotations?.['kube-bind.io/provider-uid'] !== undefined).length;
    if (told === count) return;
    if (performance.now() > end) throw new Error(`${told} of ${count} objects know their copy`);
    await pause(250);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}
