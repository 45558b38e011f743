import type { Clock, Random } from '@hawser/clock';
import type { EventWriter, KubernetesEvent } from './event-writer.js';
import type { EventMessage, EventRecorder, ObjectReference } from './events.js';
import type { Logger } from './logger.js';
import type { Counter, Metrics } from './metrics.js';
import { redactText } from './redact-text.js';
import { TokenBuckets } from './token-buckets.js';

export interface EventRecorderOptions {
  readonly writer: EventWriter;
  /** Reporting component: `hawser-konnector`. */
  readonly component: string;
  /** Instance of it, for example the pod's name. Default: the component. */
  readonly instance?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Limit of Events that wait to be written; beyond it the oldest is dropped. Default 1000. */
  readonly queueLimit?: number;
  /** Called, once per loss, with the number of Events dropped because the writer is closed. Default: one log line. */
  readonly onClosed?: (dropped: number) => void;
}

/** Equal events within this time are counted in one; the same value as client-go's. */
const aggregationMs = 10 * 60_000;
/** As in client-go: 25 at once per object, then one in five minutes. */
const rate = { burst: 25, refillMs: 5 * 60_000, maxBuckets: 4096 };
const maxAggregates = 4096;
const maxMessageBytes = 1024;
const maxReasonLength = 128;
/** Names have 253 characters at most; the suffix takes 17. */
const maxNameLength = 236;
/** Limit of namespaces for which a refusal was logged; then all are forgotten. */
const maxRefused = 256;

type Outcome = 'created' | 'counted' | 'rate-limited' | 'dropped' | 'refused' | 'failed';

/** All equal events of the last ten minutes. */
interface Aggregate {
  readonly key: string;
  readonly event: Omit<KubernetesEvent, 'count' | 'lastTimestamp'>;
  count: number;
  lastTimestamp: string;
  /** Monotonic. */
  seenAt: number;
  /** Queued for writing. */
  queued: boolean;
  /** The Event exists on the server, as far as we know. */
  written: boolean;
}

/**
 * Creates an EventRecorder that writes core/v1 Events, one request at a time. Events go to the object's namespace;
 * those about cluster-scoped objects to `default`. Equal events (same object, type, reason and message within ten
 * minutes) are counted in one. An object can cause 25 writes at once, then one in five minutes. A failed write is not
 * repeated: the next equal event tries again. A write that is `Aborted`, as when the process ends, drops the waiting
 * Events.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new QueuedEventRecorder(options);
}

class QueuedEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #queueLimit: number;
  readonly #buckets: TokenBuckets;
  readonly #total: Counter;
  /** In order of last use. */
  readonly #aggregates = new Map<string, Aggregate>();
  readonly #queue = new Set<Aggregate>();
  readonly #refused = new Set<string>();
  #writing = false;
  #waiters: (() => void)[] = [];

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#queueLimit = options.queueLimit ?? 1000;
    this.#buckets = new TokenBuckets(options.clock, rate);
    this.#total = options.metrics.counter({
      name: 'hawser_events_total',
      help: 'Kubernetes Events by what became of them.',
      labels: ['component', 'result'],
    });
  }

  record(regarding: ObjectReference, event: EventMessage): void {
    try {
      this.#record(regarding, event);
    } catch (error) {
      this.#options.logger.error('An event could not be recorded.', { reason: event.reason, error });
    }
  }

  flush(): Promise<void> {
    if (!this.#writing && this.#queue.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  #record(regarding: ObjectReference, message: EventMessage): void {
    const text = cutBytes(redactText(message.message), maxMessageBytes);
    const object = JSON.stringify([
      regarding.apiVersion,
      regarding.kind,
      regarding.namespace,
      regarding.name,
      regarding.uid,
    ]);
    const key = JSON.stringify([object, message.type, message.reason, text]);
    const aggregate = this.#recent(key) ?? this.#fresh(key, regarding, { ...message, message: text });
    aggregate.count++;
    aggregate.lastTimestamp = this.#timestamp();
    aggregate.seenAt = this.#options.clock.monotonic();
    if (aggregate.queued) return;
    if (!this.#buckets.take(object)) {
      this.#count('rate-limited');
      return;
    }
    aggregate.queued = true;
    this.#queue.add(aggregate);
    if (this.#queue.size > this.#queueLimit) this.#dropOldest();
    void this.#write();
  }

  #recent(key: string): Aggregate | undefined {
    const aggregate = this.#aggregates.get(key);
    if (aggregate === undefined) return undefined;
    this.#aggregates.delete(key);
    if (!aggregate.queued && this.#options.clock.monotonic() - aggregate.seenAt > aggregationMs) return undefined;
    this.#aggregates.set(key, aggregate);
    return aggregate;
  }

  #fresh(key: string, regarding: ObjectReference, message: EventMessage): Aggregate {
    const { component, instance, clock } = this.#options;
    const namespace = regarding.namespace === undefined || regarding.namespace === '' ? undefined : regarding.namespace;
    const timestamp = this.#timestamp();
    const aggregate: Aggregate = {
      key,
      event: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: this.#name(regarding.name), namespace: namespace ?? 'default' },
        involvedObject: {
          apiVersion: regarding.apiVersion,
          kind: regarding.kind,
          name: regarding.name,
          ...(namespace === undefined ? {} : { namespace }),
          ...(regarding.uid === undefined ? {} : { uid: regarding.uid }),
        },
        type: message.type,
        reason: message.reason.slice(0, maxReasonLength),
        message: message.message,
        firstTimestamp: timestamp,
        source: { component },
        reportingComponent: component,
        reportingInstance: instance ?? component,
      },
      count: 0,
      lastTimestamp: timestamp,
      seenAt: clock.monotonic(),
      queued: false,
      written: false,
    };
    this.#aggregates.set(key, aggregate);
    if (this.#aggregates.size > maxAggregates) {
      for (const oldest of this.#aggregates.keys()) {
        this.#aggregates.delete(oldest);
        break;
      }
    }
    return aggregate;
  }

  /** Like client-go's `<object>.<hex>`; some objects have names that an Event must not have (`system:node`). */
  #name(object: string): string {
    const base = object
      .toLowerCase()
      .replace(/[^a-z0-9.-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, maxNameLength)
      .replace(/[^a-z0-9]+$/, '');
    const suffix = Math.floor(this.#options.random() * 2 ** 24)
      .toString(16)
      .padStart(6, '0');
    return `${base === '' ? 'object' : base}.${Math.floor(this.#options.clock.now()).toString(16).slice(-10)}${suffix}`;
  }

  /** To the second, like core/v1 Events. */
  #timestamp(): string {
    return `${new Date(this.#options.clock.now()).toISOString().slice(0, 19)}Z`;
  }

  #dropOldest(): void {
    for (const oldest of this.#queue) {
      this.#queue.delete(oldest);
      oldest.queued = false;
      this.#count('dropped');
      return;
    }
  }

  /** Includes the one just given up. */
  #dropAll(): void {
    const dropped = this.#queue.size + 1;
    for (const waiting of this.#queue) waiting.queued = false;
    this.#queue.clear();
    for (let each = 0; each < dropped; each++) this.#count('dropped');
    if (this.#options.onClosed === undefined)
      this.#options.logger.info('Events that waited are not written any more.', { dropped });
    else this.#options.onClosed(dropped);
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    // Building requests must not delay the caller.
    await Promise.resolve();
    for (const aggregate of this.#queue) {
      this.#queue.delete(aggregate);
      aggregate.queued = false;
      await this.#send(aggregate);
    }
    this.#writing = false;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }

  async #send(aggregate: Aggregate): Promise<void> {
    const {
      metadata: { name, namespace },
    } = aggregate.event;
    const { count, lastTimestamp } = aggregate;
    try {
      if (aggregate.written && (await this.#patch(name, namespace, { count, lastTimestamp }))) {
        this.#count('counted');
      } else {
        await this.#options.writer.create({ ...aggregate.event, count, lastTimestamp }, namespace);
        aggregate.written = true;
        this.#count('created');
      }
      this.#refused.delete(namespace);
    } catch (error) {
      this.#giveUp(aggregate, error);
    }
  }

  /** False if the Event has expired or was deleted: write a new one. */
  async #patch(
    name: string,
    namespace: string,
    repetition: { count: number; lastTimestamp: string },
  ): Promise<boolean> {
    try {
      await this.#options.writer.patch(name, namespace, repetition);
      return true;
    } catch (error) {
      if (codeOf(error) === 'NotFound') return false;
      throw error;
    }
  }

  #giveUp(aggregate: Aggregate, error: unknown): void {
    const { logger } = this.#options;
    const {
      involvedObject,
      reason,
      metadata: { namespace },
    } = aggregate.event;
    // After a lost answer its existence is unknown: a new Event under a new name cannot clash.
    if (!aggregate.written && this.#aggregates.get(aggregate.key) === aggregate && !aggregate.queued)
      this.#aggregates.delete(aggregate.key);
    const fields = { kind: involvedObject.kind, namespace, name: involvedObject.name, reason, error };
    const code = codeOf(error);
    if (code === 'Aborted') {
      this.#dropAll();
      return;
    }
    if (code !== 'Forbidden' && code !== 'NotFound') {
      this.#count('failed');
      logger.warn('An event could not be written.', fields);
      return;
    }
    this.#count('refused');
    if (this.#refused.has(namespace)) {
      logger.debug('Events are still refused in this namespace.', fields);
      return;
    }
    if (this.#refused.size >= maxRefused) this.#refused.clear();
    this.#refused.add(namespace);
    logger.warn('Events are refused in this namespace; this is logged once.', fields);
  }

  #count(result: Outcome): void {
    this.#total.inc({ component: this.#options.component, result });
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Cuts a text to at most `limit` bytes of UTF-8, at a character boundary. */
function cutBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const ellipsis = '…';
  let bytes = Buffer.byteLength(ellipsis);
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return `${text.slice(0, end)}${ellipsis}`;
}
