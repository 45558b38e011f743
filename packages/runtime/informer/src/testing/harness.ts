import { isDeepStrictEqual } from 'node:util';
import { FakeClock } from '@hawser/clock';
import { type Counter, type Labels, type Logger, type Metrics, noMetrics, silentLogger } from '@hawser/telemetry';
import type { Informer, InformerHandle, InformerSpec, SharedInformers } from '../informer.js';
import { type SharedInformersOptions, createSharedInformers } from '../shared-informers.js';
import { FakeApiServer, clusterOf, thingKey } from './fake-api-server.js';
import type { Thing } from './thing.js';

export const THINGS: InformerSpec = { resource: { group: 'example.com', version: 'v1', resource: 'things' } };

/** Informers on a fake server with a fake clock. `random` is always 0, which gives delays their full length. */
export interface Harness {
  readonly server: FakeApiServer;
  readonly clock: FakeClock;
  readonly informers: SharedInformers;
  readonly logged: readonly string[];
  /** The sum over all series, or the values by `label`. */
  count(metric: string): number;
  series(metric: string): ReadonlyMap<string, number>;
  acquire(spec?: Partial<InformerSpec>): InformerHandle<Thing>;
}

export function createHarness(options: Partial<SharedInformersOptions> = {}): Harness {
  const server = new FakeApiServer();
  const clock = new FakeClock();
  const logged: string[] = [];
  const metrics = new RecordingMetrics();
  const informers = createSharedInformers({
    client: server.client,
    clock,
    random: () => 0,
    logger: recordingLogger(logged),
    metrics: metrics.metrics,
    ...options,
  });
  return {
    server,
    clock,
    informers,
    logged,
    count: (metric) => [...metrics.series(metric).values()].reduce((sum, value) => sum + value, 0),
    series: (metric) => metrics.series(metric),
    acquire: (spec = {}) => informers.acquire<Thing>({ ...THINGS, ...spec }),
  };
}

/** Runs all that needs no time, until `condition` holds. */
export async function until(condition: () => boolean, what = condition.toString()): Promise<void> {
  for (let turn = 0; turn < 2000; turn++) {
    if (condition()) return;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
  throw new Error(`never happened: ${what}`);
}

/** Records a handler's calls as short words, and folds them into a view. Throws for an impossible order. */
export class Recorder {
  readonly words: string[] = [];
  readonly view = new Map<string, Thing>();

  readonly handler = {
    onAdd: (object: Thing, initial: boolean): void => {
      const key = keyOf(object);
      if (this.view.has(key)) this.faults.push(`add of ${key}, which is there`);
      this.view.set(key, object);
      this.words.push(`${initial ? 'initial' : 'add'} ${object.metadata.name}=${object.spec.value}`);
    },
    onUpdate: (before: Thing, after: Thing): void => {
      const key = keyOf(after);
      // The very object, except for parts that a later one shares.
      if (this.view.get(key)?.metadata !== before.metadata || !isDeepStrictEqual(this.view.get(key), before))
        this.faults.push(`update of ${key} from a state that was never told`);
      if (before.metadata.uid !== after.metadata.uid) this.faults.push(`update of ${key} to another object`);
      if (before.metadata.resourceVersion === after.metadata.resourceVersion && before.spec.value === after.spec.value)
        this.faults.push(`update of ${key} without a change`);
      this.view.set(key, after);
      this.words.push(`update ${after.metadata.name}=${before.spec.value}→${after.spec.value}`);
    },
    onDelete: (last: Thing, witnessed: boolean): void => {
      const key = keyOf(last);
      if (this.view.get(key)?.metadata.uid !== last.metadata.uid)
        this.faults.push(`delete of ${key}, which is not there`);
      this.view.delete(key);
      this.words.push(`delete ${last.metadata.name}=${last.spec.value}`);
      if (witnessed) this.witnessed.push(last.metadata.name);
    },
  };

  readonly faults: string[] = [];
  /** Objects deleted by a watch event. */
  readonly witnessed: string[] = [];

  /** Calls since the last `take`. */
  take(): string[] {
    return this.words.splice(0);
  }
}

/** `key=value uid@resourceVersion` of all objects, sorted. */
export function contents(objects: Iterable<Thing>): string[] {
  return [...objects]
    .map((thing) => ({ ...thing, key: keyOf(thing) }))
    .map(({ key, metadata, spec }) => `${key}=${spec.value} ${metadata.uid ?? ''}@${metadata.resourceVersion ?? ''}`)
    .sort();
}

export async function synced(informer: Informer<Thing>): Promise<void> {
  await until(() => informer.state.phase === 'watching', 'the informer watches');
}

function keyOf(thing: Thing): string {
  return thingKey(thing.metadata, clusterOf(thing));
}

function recordingLogger(lines: string[]): Logger {
  const logger: Logger = {
    ...silentLogger,
    error: (message, fields) => {
      const key = fields?.['key'];
      lines.push(typeof key === 'string' ? `${message}: ${key}` : message);
    },
    child: () => logger,
  };
  return logger;
}

class RecordingMetrics {
  readonly #series = new Map<string, Map<string, number>>();

  readonly metrics: Metrics = {
    ...noMetrics,
    counter: ({ name }) => this.#counter(name),
    gauge: ({ name }) => ({
      ...this.#counter(name),
      set: (value, labels) => {
        this.series(name).set(text(labels), value);
      },
      remove: (labels) => {
        this.series(name).delete(text(labels));
      },
    }),
  };

  series(name: string): Map<string, number> {
    const series = this.#series.get(name) ?? new Map<string, number>();
    this.#series.set(name, series);
    return series;
  }

  #counter(name: string): Counter {
    return {
      inc: (labels, by = 1) => {
        this.series(name).set(text(labels), (this.series(name).get(text(labels)) ?? 0) + by);
      },
    };
  }
}

/** Labels except the cluster and the resource, which are the same everywhere. */
function text(labels: Labels = {}): string {
  return labels['reason'] ?? '';
}
