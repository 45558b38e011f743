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

/** Where a watch is written to. */
export interface WatchSink {
  /** False: what is written from now on waits in memory until `drained` is called. */
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
  /** Empty: all that the consumer has objects in. */
  readonly namespace: string;
  readonly sink: WatchSink;
  readonly clock: Clock;
  /** Milliseconds until it ends by itself. */
  readonly lifeMs: number;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * One watch of one consumer. It reads the history at its own pace: a client that does not read holds up nobody, and is told `Expired` when what it has not read is forgotten.
 */
export class Watcher {
  readonly #parts: WatcherOptions;
  readonly #stopListening: () => void;
  readonly #timer: TimerHandle;
  #sight: Sight;
  /** Of the next change. Undefined: not before the initial events are written. */
  #position: number | undefined;
  /** Changes up to this version are known to the client. */
  #from = '';
  /** Nothing was told yet. */
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

  /** Goes on after `version`. */
  startAfter(version: string): void {
    this.#from = version;
    this.#position = this.#parts.history.positionAfter(version);
    if (this.#position === undefined) this.expire();
    else this.#pump();
  }

  /** One object of the state that the watch begins with. False: the client does not keep up, so the next is to wait for {@link Watcher.drained}. */
  initial(object: KubeObject): boolean {
    if (!this.#over) this.#tellOf('ADDED', object);
    return !this.#blocked;
  }

  get over(): boolean {
    return this.#over;
  }

  /** All of the initial state is written; it was so at `version`. */
  initialEnd(version: string): void {
    if (this.#over) return;
    if (this.#parts.options.bookmarks) this.#bookmark(version, { [INITIAL_EVENTS_END]: 'true' });
    this.startAfter(version);
  }

  /** Tells the client how far it has been told everything, if it wants to know. */
  bookmark(): void {
    const { history, options } = this.#parts;
    const version = history.resourceVersion;
    if (this.#over || this.#blocked || !options.bookmarks || version === undefined) return;
    if (this.#position !== history.end || isOlder(version, this.#from)) return;
    this.#bookmark(version);
  }

  /**
   * The consumer sees something else from now on. Where that makes a difference to objects that there are, the client has to list again: no event tells of what became visible or
   * ceased to be without changing.
   */
  see(sight: Sight): void {
    if (this.#over || this.#sight.equals(sight)) return;
    const before = this.#sight;
    this.#sight = sight;
    const { history } = this.#parts;
    // What the history has not come to, or the client has not been told, cannot be compared.
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
      if (!isNotNewer(change.version, this.#from)) this.#tell(change);
    }
  }

  #tell({ before, after, version }: Change): void {
    const was = before !== undefined && this.#shows(before);
    if (after !== undefined && this.#shows(after)) this.#tellOf(was ? 'MODIFIED' : 'ADDED', after);
    // As it was when the client might see it, at the version at which that ended.
    else if (was) this.#tellOf('DELETED', at(before, version));
  }

  #shows(object: KubeObject): boolean {
    const { namespace, options } = this.#parts;
    if (namespace !== '' && object.metadata.namespace !== namespace) return false;
    return this.#sight.sees(object) && isSelected(options, object);
  }

  #bookmark(resourceVersion: string, annotations?: Readonly<Record<string, string>>): void {
    const { resource, kind } = this.#parts.served;
    this.#tellOf('BOOKMARK', {
      kind,
      apiVersion: `${resource.group}/${resource.version}`,
      // An API server gives a bookmark no name.
      metadata: { resourceVersion, ...(annotations === undefined ? {} : { annotations }) } as KubeObject['metadata'],
    });
  }

  #tellOf(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', object: KubeObject): void {
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

/** Whether two sights see different ones of the objects that there are. */
export function differs(history: History, before: Sight, after: Sight): boolean {
  for (const object of history.objects()) if (before.sees(object) !== after.sees(object)) return true;
  return false;
}

const at = (object: KubeObject, resourceVersion: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
});
