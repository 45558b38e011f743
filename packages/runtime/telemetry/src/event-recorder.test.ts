import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import fc from 'fast-check';
import { createEventRecorder } from './event-recorder.js';
import type { EventRepetition, EventWriter, KubernetesEvent } from './event-writer.js';
import type { EventMessage, ObjectReference } from './events.js';
import { type Logger, silentLogger } from './logger.js';
import { createMetrics } from './prom-metrics.js';

/** A server's events, which answers when it is told to. */
class Store implements EventWriter {
  readonly events = new Map<string, KubernetesEvent>();
  readonly requests: string[] = [];
  error: Error | undefined;
  gate: Promise<void> | undefined;

  async create(event: KubernetesEvent, namespace: string): Promise<void> {
    this.requests.push('create');
    await this.gate;
    if (this.error !== undefined) throw this.error;
    expect(event.metadata.namespace).toBe(namespace);
    expect(this.events.has(event.metadata.name)).toBe(false);
    this.events.set(event.metadata.name, event);
  }

  async patch(name: string, namespace: string, repetition: EventRepetition): Promise<void> {
    this.requests.push('patch');
    await this.gate;
    if (this.error !== undefined) throw this.error;
    const event = this.events.get(name);
    if (event === undefined) throw withCode('NotFound');
    expect(event.metadata.namespace).toBe(namespace);
    this.events.set(name, { ...event, ...repetition });
  }
}

const withCode = (code: string): Error => Object.assign(new Error('refused'), { code });
const object: ObjectReference = {
  apiVersion: 'example.com/v1',
  kind: 'Database',
  name: 'orders',
  namespace: 'shop',
  uid: 'u1',
};
const synced: EventMessage = { type: 'Normal', reason: 'Synced', message: 'All is well.' };

function setUp(queueLimit?: number) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const store = new Store();
  const metrics = createMetrics();
  const warnings: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (message) => {
      warnings.push(message);
    },
  };
  let seed = 0;
  const recorder = createEventRecorder({
    writer: store,
    component: 'hawser',
    instance: 'hawser-0',
    clock,
    random: () => (seed = (seed + 0.137) % 1),
    logger,
    metrics,
    ...(queueLimit === undefined ? {} : { queueLimit }),
  });
  const count = async (result: string): Promise<number> =>
    Number(
      /\S+$/.exec(
        (await metrics.expose()).body.split('\n').find((line) => line.includes(`result="${result}"`)) ?? '0',
      )![0],
    );
  return { clock, store, recorder, warnings, count };
}

describe('an event recorder', () => {
  it('drops what waits when its writer is closed, and says so once', async () => {
    const { store, recorder, warnings, count } = setUp();
    let open = (): void => undefined;
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    for (const name of ['one', 'two', 'three']) recorder.record({ ...object, name }, synced);
    await Promise.resolve();
    store.error = withCode('Aborted');
    open();
    await recorder.flush();
    expect(store.requests).toEqual(['create']);
    expect(await count('dropped')).toBe(3);
    expect(warnings).toEqual([]);
  });

  it('writes a core/v1 Event into the namespace of the object', async () => {
    const { store, recorder } = setUp();
    recorder.record(object, synced);
    expect(store.requests).toEqual([]);
    await recorder.flush();
    expect([...store.events.values()]).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: expect.stringMatching(/^orders\.[0-9a-f]{16}$/), namespace: 'shop' },
        involvedObject: {
          apiVersion: 'example.com/v1',
          kind: 'Database',
          name: 'orders',
          namespace: 'shop',
          uid: 'u1',
        },
        type: 'Normal',
        reason: 'Synced',
        message: 'All is well.',
        count: 1,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        source: { component: 'hawser' },
        reportingComponent: 'hawser',
        reportingInstance: 'hawser-0',
      },
    ]);
  });

  it('writes about cluster-scoped objects into the namespace default, under a name that an Event may have', async () => {
    const { store, recorder } = setUp();
    recorder.record(
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        name: `system:Node_${'x'.repeat(300)}:`,
        namespace: '',
      },
      synced,
    );
    recorder.record({ apiVersion: 'v1', kind: 'X', name: '::' }, synced);
    await recorder.flush();
    for (const { metadata, involvedObject } of store.events.values()) {
      expect(metadata.namespace).toBe('default');
      expect(involvedObject).not.toHaveProperty('namespace');
      expect(metadata.name).toMatch(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])$/);
    }
    expect(store.events.size).toBe(2);
  });

  it('counts equal events up, and starts anew when the last is more than ten minutes ago', async () => {
    const { clock, store, recorder } = setUp();
    for (let i = 0; i < 3; i++) {
      recorder.record(object, synced);
      await recorder.flush();
      await clock.advance(9 * 60_000);
    }
    expect(store.requests).toEqual(['create', 'patch', 'patch']);
    expect([...store.events.values()]).toMatchObject([
      { count: 3, firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:18:00Z' },
    ]);
    await clock.advance(2 * 60_000);
    recorder.record(object, synced);
    await recorder.flush();
    expect([...store.events.values()].map(({ count }) => count)).toEqual([3, 1]);
  });

  it('tells different objects, reasons, types and messages apart', async () => {
    const { store, recorder } = setUp();
    recorder.record(object, synced);
    recorder.record({ ...object, uid: 'u2' }, synced);
    recorder.record(object, { ...synced, reason: 'Other' });
    recorder.record(object, { ...synced, type: 'Warning' });
    recorder.record(object, { ...synced, message: 'Something else.' });
    await recorder.flush();
    expect(store.events.size).toBe(5);
  });

  it('writes once what is recorded often before the server answers', async () => {
    const { store, recorder } = setUp();
    for (let i = 0; i < 100; i++) recorder.record(object, synced);
    await recorder.flush();
    expect([...store.events.values()]).toMatchObject([{ count: 100 }]);
    expect(store.requests).toHaveLength(1);
  });

  it('creates the Event again when it has expired on the server', async () => {
    const { store, recorder } = setUp();
    recorder.record(object, synced);
    await recorder.flush();
    store.events.clear();
    recorder.record(object, synced);
    await recorder.flush();
    expect(store.requests).toEqual(['create', 'patch', 'create']);
    expect([...store.events.values()]).toMatchObject([{ count: 2 }]);
  });

  it('allows 25 writes per object, then one in five minutes', async () => {
    const { clock, store, recorder, count } = setUp();
    for (let i = 0; i < 40; i++) recorder.record(object, { ...synced, message: `Number ${i}.` });
    recorder.record({ ...object, name: 'other' }, synced);
    await recorder.flush();
    expect(store.events.size).toBe(26);
    expect(await count('rate-limited')).toBe(15);
    await clock.advance(5 * 60_000);
    for (let i = 0; i < 3; i++) recorder.record(object, { ...synced, message: `Later ${i}.` });
    await recorder.flush();
    expect(store.events.size).toBe(27);
  });

  it('drops the oldest when too many wait, and never blocks', async () => {
    const { store, recorder, count } = setUp(5);
    const gate = Promise.withResolvers<undefined>();
    store.gate = gate.promise;
    for (let i = 0; i < 20; i++) recorder.record({ ...object, name: `o${i}` }, synced);
    gate.resolve(undefined);
    await recorder.flush();
    expect([...store.events.values()].map(({ involvedObject }) => involvedObject.name)).toEqual([
      'o15',
      'o16',
      'o17',
      'o18',
      'o19',
    ]);
    expect(await count('dropped')).toBe(15);
  });

  it('gives up on a closed or ending namespace, and says so once', async () => {
    const { store, recorder, warnings, count } = setUp();
    store.error = withCode('Forbidden');
    for (let i = 0; i < 3; i++) {
      recorder.record({ ...object, name: `o${i}` }, synced);
      await recorder.flush();
    }
    store.error = withCode('NotFound');
    recorder.record({ ...object, namespace: 'gone' }, synced);
    await recorder.flush();
    expect(warnings).toHaveLength(2);
    expect(await count('refused')).toBe(4);
    store.error = undefined;
    recorder.record({ ...object, name: 'o0' }, synced);
    await recorder.flush();
    expect(store.events.size).toBe(1);
    store.error = withCode('Forbidden');
    recorder.record(object, synced);
    await recorder.flush();
    expect(warnings).toHaveLength(3);
  });

  it('logs another failure, and writes the next equal event as new', async () => {
    const { store, recorder, warnings } = setUp();
    store.error = withCode('Timeout');
    recorder.record(object, synced);
    await recorder.flush();
    expect(warnings).toHaveLength(1);
    store.error = undefined;
    recorder.record(object, synced);
    await recorder.flush();
    expect(store.requests).toEqual(['create', 'create']);
  });

  it('keeps to 1024 bytes and hides secrets', async () => {
    const { store, recorder } = setUp();
    recorder.record(object, { ...synced, message: '€'.repeat(1000) });
    recorder.record(object, { ...synced, message: 'Bearer abcdefghijklmnop was refused.', reason: 'R'.repeat(200) });
    await recorder.flush();
    const [long, secret] = [...store.events.values()];
    expect(Buffer.byteLength(long!.message)).toBeLessThanOrEqual(1024);
    expect(long!.message).toMatch(/^€+…$/);
    expect(secret!.message).toBe('Bearer [redacted] was refused.');
    expect(secret!.reason).toHaveLength(128);
  });

  it('never throws, whatever it is given, and flushes at once when it has nothing to do', async () => {
    const { recorder } = setUp();
    await recorder.flush();
    recorder.record(undefined as unknown as ObjectReference, synced);
    recorder.record(object, { ...synced, message: undefined as unknown as string });
    await recorder.flush();
  });

  it('accounts for every event: the counts on the server are those recorded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 2 }), fc.nat({ max: 60_000 }), fc.boolean()), {
          maxLength: 24,
        }),
        async (steps) => {
          const { clock, store, recorder } = setUp();
          const expected = new Map<string, number>();
          for (const [name, message, ms, wait] of steps) {
            recorder.record({ ...object, name: `o${name}` }, { ...synced, message: `m${message}` });
            expected.set(`o${name}m${message}`, (expected.get(`o${name}m${message}`) ?? 0) + 1);
            if (wait) await clock.advance(ms);
          }
          await recorder.flush();
          const actual = new Map<string, number>();
          for (const { involvedObject, message, count } of store.events.values())
            actual.set(involvedObject.name + message, (actual.get(involvedObject.name + message) ?? 0) + count);
          expect(actual).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });
});
