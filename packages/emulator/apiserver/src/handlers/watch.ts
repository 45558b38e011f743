import type { JsonObject } from '@hawser/json';
import type { TimerHandle } from '@hawser/clock';
import { textOfStored } from '../object/json.js';
import { withMeta } from '../object/meta.js';
import { apiVersionOf } from '../object/meta.js';
import { type StatusError, expired } from '../status.js';
import type { Change, Entry } from '../store/change.js';
import { CompactedError } from '../store/store.js';
import type { Stream, StreamSink } from './answer.js';
import type { ResourceRequest } from './context.js';
import { matches, parseRevisionOrFail, prefixOf } from './list.js';
import type { ListOptions } from './options.js';
import type { Representer } from './represent.js';
import type { Watcher } from './watch-hub.js';

/** How long before its end a watch gets a last bookmark. */
const LAST_BOOKMARK_MS = 2_000;
const MIN_TIMEOUT_MS = 1_800_000;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/**
 * One watch (apiserver `handlers.WatchServer` and `storage/cacher`): first the requested past, then every change,
 * filtered by the selectors. Throws only errors that are answered with a status; problems with the resourceVersion go
 * into the stream.
 */
export class ResourceWatch implements Stream, Watcher {
  readonly #request: ResourceRequest;
  readonly #options: ListOptions;
  readonly #representer: Representer;
  readonly #prefix: string;
  readonly #revision: number;
  readonly #timers = new Set<TimerHandle>();
  #sink: StreamSink | undefined;
  #first = true;
  #done = false;

  constructor(request: ResourceRequest, options: ListOptions, representer: Representer) {
    this.#request = request;
    this.#options = options;
    this.#representer = representer;
    this.#prefix = prefixOf(request, options);
    this.#revision = parseRevisionOrFail(options.resourceVersion);
  }

  start(sink: StreamSink): void {
    const { host, type } = this.#request;
    this.#sink = sink;
    const problem = this.#sendPast();
    if (problem !== undefined) {
      this.fail(problem);
      return;
    }
    host.watches.add(type.bucket, this);
    const timeoutMs = this.#timeoutMs();
    this.#after(timeoutMs, () => {
      this.end();
    });
    if (this.#options.allowWatchBookmarks) this.#scheduleBookmark(host.clock.monotonic() + timeoutMs);
  }

  cancel(): void {
    if (this.#done) return;
    this.#done = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#request.host.watches.delete(this.#request.type.bucket, this);
  }

  end(): void {
    if (this.#done) return;
    this.cancel();
    this.#sink?.end();
  }

  fail(error: StatusError): void {
    this.#write('ERROR', error.toStatus());
    this.end();
  }

  onChange(change: Change): void {
    if (this.#done || !change.entry.key.startsWith(this.#prefix)) return;
    const before = change.previous === undefined ? undefined : this.#selected(change.previous);
    const now = change.type === 'DELETED' ? undefined : this.#selected(change.entry);
    if (now !== undefined) this.#send(before === undefined ? 'ADDED' : 'MODIFIED', now);
    // An object that left the selection shows its former state, at the revision at which it left.
    else if (before !== undefined)
      this.#send('DELETED', withMeta(before, { resourceVersion: String(change.revision) }));
  }

  #selected(entry: Entry): JsonObject | undefined {
    const object = this.#request.version.codec.fromStorage(entry.object);
    return matches(this.#request, object, this.#options) ? object : undefined;
  }

  #sendPast(): StatusError | undefined {
    const { host, type } = this.#request;
    const { sendInitialEvents, resourceVersion } = this.#options;
    if (sendInitialEvents === true || (sendInitialEvents === undefined && this.#revision === 0)) {
      for (const entry of host.store.range(type.bucket, this.#prefix)) {
        const object = this.#selected(entry);
        if (object !== undefined) this.#send('ADDED', object);
      }
      if (sendInitialEvents === true && this.#options.allowWatchBookmarks)
        this.#bookmark({ [INITIAL_EVENTS_END]: 'true' });
      return undefined;
    }
    if (this.#revision === 0 || resourceVersion === '') return undefined;
    try {
      for (const change of host.store.changesSince(type.bucket, this.#revision)) this.onChange(change);
      return undefined;
    } catch (error) {
      if (error instanceof CompactedError)
        return expired(`too old resource version: ${error.wanted} (${error.compacted})`);
      throw error;
    }
  }

  #timeoutMs(): number {
    const { timeoutSeconds = 0 } = this.#options;
    return timeoutSeconds > 0 ? timeoutSeconds * 1000 : MIN_TIMEOUT_MS * (1 + this.#request.host.random());
  }

  /** About every minute, and shortly before the end: the next watch can resume from there. */
  #scheduleBookmark(deadline: number): void {
    const { clock, bookmarkIntervalMs } = this.#request.host;
    const now = clock.monotonic();
    const next = Math.min(now + bookmarkIntervalMs, deadline - LAST_BOOKMARK_MS);
    if (next < now) return;
    this.#after(Math.max(next - now, 1), () => {
      this.#bookmark();
      this.#scheduleBookmark(deadline);
    });
  }

  #after(ms: number, run: () => void): void {
    const timer = this.#request.host.clock.setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#done) run();
    }, ms);
    this.#timers.add(timer);
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { host, version } = this.#request;
    const metadata: JsonObject = {
      resourceVersion: String(host.store.revision),
      ...(annotations === undefined ? {} : { annotations }),
    };
    this.#send('BOOKMARK', { kind: version.kind, apiVersion: apiVersionOf(version.group, version.version), metadata });
  }

  #send(type: EventType, object: JsonObject): void {
    this.#write(type, this.#representer.event(object, this.#first));
    this.#first = false;
  }

  #write(type: EventType | 'ERROR', object: JsonObject): void {
    if (!this.#done) this.#sink?.data(`{"type":"${type}","object":${textOfStored(object)}}\n`);
  }
}
