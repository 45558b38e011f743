import type { KubeObject } from '@hawser/client';
import type { Clock, TimerHandle } from '@hawser/clock';
import { isOlder, isNotNewer } from '@hawser/informer';
import { stringify } from '@hawser/json';
import type { Change, History } from './history.js';
import { type ListOptions, isSelected } from './options.js';
import type { Printer } from './printer.js';
import { type Refused, expired } from './refused.js';
import type { Sight } from './sight.js';
import type { Served } from './source.js';

/** Where a watch writes. */
export interface WatchSink {
  /** False: further writes wait in memory until `drained` is called. */
  write(text: string): boolean;
  onDrain(drained: () => void): void;
  end(): void;
}

export interface WatcherOptions {
  readonly served: Served;
  readonly history: History;
  readonly options: ListOptions;
  readonly printer: Printer;
  readonly sight: Sight;
  /** Empty: all namespaces of the consumer, and cluster-scoped objects. */
  readonly namespace: string;
  readonly sink: WatchSink;
  readonly clock: Clock;
  /** Milliseconds until the watch ends by itself. */
  readonly lifeMs: number;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * One watch of one consumer. It reads the history at its own pace. A slow client does not block others; it gets
 * `Expired` once the changes that it has not read are forgotten.
 */
export class Watcher {
  readonly #parts: WatcherOptions;
  readonly #stopListening: () => void;
  readonly #timer: TimerHandle;
  #sight: Sight;
  /** Position of the next change. Undefined until the initial events are written. */
  #position: number | undefined;
  /** The client knows all changes up to this version. */
  #from = '';
  /** No event was sent yet. */
  #first = true;
  #blocked = false;
  #over = false;

  constructor(parts: WatcherOptions) {
    const { history, sink, clock, lifeMs } = parts;
    this.#parts = parts;
    this.#sight = parts.sight;
    this.#stopListening = history.listen({
      advanced: () => {
        this.#pump();
      },
      reset: () => {
        this.expire();
      },
    });
    this.#timer = clock.setTimeout(() => {
      this.end();
    }, lifeMs);
    sink.onDrain(() => {
      this.#blocked = false;
      this.#pump();
    });
  }

  /** Continues after `version`. */
  startAfter(version: string): void {
    this.#from = version;
    this.#position = this.#parts.history.positionAfter(version);
    if (this.#position === undefined) this.expire();
    else this.#pump();
  }

  /**
   * Sends one object of the initial state. False: the client is slow, so wait for {@link Watcher.drained} before the
   * next.
   */
  initial(object: KubeObject): boolean {
    if (!this.#over) this.#sendObject('ADDED', object);
    return !this.#blocked;
  }

  get over(): boolean {
    return this.#over;
  }

  /** The initial state is complete, as of `version`. */
  initialEnd(version: string): void {
    if (this.#over) return;
    if (this.#parts.options.bookmarks) this.#bookmark(version, { [INITIAL_EVENTS_END]: 'true' });
    this.startAfter(version);
  }

  /** Tells the client up to which version it has everything, if it asked for bookmarks. */
  bookmark(): void {
    const { history, options } = this.#parts;
    const version = history.resourceVersion;
    if (this.#over || this.#blocked || !options.bookmarks || version === undefined) return;
    if (this.#position !== history.end || isOlder(version, this.#from)) return;
    this.#bookmark(version);
  }

  /**
   * Changes the consumer's view. If that affects existing objects, the client has to list again: no event reports
   * objects that became visible, or ceased to be, without a change.
   */
  see(sight: Sight): void {
    if (this.#over || this.#sight.equals(sight)) return;
    const before = this.#sight;
    this.#sight = sight;
    const { history } = this.#parts;
    // Changes that the history lacks, or the client has not received, cannot be compared.
    const isBehind = this.#position !== history.end || isOlder(history.resourceVersion, this.#from);
    if (isBehind || differs(history, before, sight))
      this.#fail(expired('What this consumer may see has changed, please list again.'));
  }

  /** Tells the client to list again, and ends. */
  expire(): void {
    this.#fail(expired('The provided version is too old, please list again.'));
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopListening();
    this.#timer.cancel();
    this.#parts.sink.end();
  }

  #pump(): void {
    const { history } = this.#parts;
    while (!this.#over && !this.#blocked && this.#position !== undefined) {
      const change = history.at(this.#position);
      if (change === undefined) return;
      if (change === 'forgotten') {
        this.#fail(expired('The client reads too slowly, please list again.'));
        return;
      }
      this.#position++;
      if (!isNotNewer(change.version, this.#from)) this.#sendChange(change);
    }
  }

  #sendChange({ before, after, version }: Change): void {
    const was = before !== undefined && this.#shows(before);
    if (after !== undefined && this.#shows(after)) this.#sendObject(was ? 'MODIFIED' : 'ADDED', after);
    // The object as the client last could see it, at the version at which that ended.
    else if (was) this.#sendObject('DELETED', at(before, version));
  }

  #shows(object: KubeObject): boolean {
    const { namespace, options } = this.#parts;
    if (namespace !== '' && object.metadata.namespace !== namespace) return false;
    return this.#sight.sees(object) && isSelected(options, object);
  }

  #bookmark(resourceVersion: string, annotations?: Readonly<Record<string, string>>): void {
    const { resource, kind } = this.#parts.served;
    this.#sendObject('BOOKMARK', {
      kind,
      apiVersion: `${resource.group}/${resource.version}`,
      // An API server gives a bookmark no name.
      metadata: { resourceVersion, ...(annotations === undefined ? {} : { annotations }) } as KubeObject['metadata'],
    });
  }

  #sendObject(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', object: KubeObject): void {
    this.#send(type, this.#parts.printer.event(object, this.#first));
    this.#first = false;
  }

  #fail(refused: Refused): void {
    if (this.#over) return;
    this.#send('ERROR', refused.status);
    this.end();
  }

  #send(type: string, object: unknown): void {
    this.#blocked = !this.#parts.sink.write(`${stringify({ type, object })}\n`) || this.#blocked;
  }
}

/** Whether two views differ for the existing objects. */
export function differs(history: History, before: Sight, after: Sight): boolean {
  for (const object of history.objects()) if (before.sees(object) !== after.sees(object)) return true;
  return false;
}

const at = (object: KubeObject, resourceVersion: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
});
