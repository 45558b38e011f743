import {
  ApiError,
  type ApiErrorCode,
  type KubeObject,
  PageSize,
  type WatchEvent,
  isOutage,
  resourceName,
} from '@hawser/client';
import { type TimerHandle, sleep } from '@hawser/clock';
import { apart } from '@hawser/telemetry';
import type { InformerState } from './informer.js';
import type { ReflectedList } from './reflected-cache.js';
import {
  type ListOutcome,
  type Listing,
  type ProbeOutcome,
  type ReflectorPolicy,
  type ReflectorState,
  START,
  type WatchOutcome,
  type Watching,
  afterList,
  afterProbe,
  afterWatch,
} from './reflector-machine.js';
import { PageReader, selectionOf } from './page-reader.js';
import { isOlder } from './resource-version.js';
import { StallTimer } from './stall-timer.js';
import { turnsOf } from './turns.js';
import { yieldToEventLoop } from './yield-to-event-loop.js';
import type { ReflectorOptions } from './reflector-options.js';

/** A watch that lived this long before it broke was healthy: the next one is opened at once. */
const HEALTHY_AFTER_MS = 10_000;

/** The server answers the request for a watch at once or not at all. */
const CONNECT_TIMEOUT_MS = 30_000;

/** Spreads retries over this time after the end of an outage. */
const SPREAD_MS = 1_000;
const LONGEST_RETRY_AFTER_MS = 600_000;

/** Limit of pages in a row without an object: a server may send some while it filters. */
const MAX_EMPTY_PAGES = 100;

/** The server sends pages without progress. */
class EndlessListError extends Error {
  override readonly name = 'EndlessListError';
}

/**
 * After this number of lists that expired half-way, the reflector lists without pages: this server forgets faster than
 * pages can be read.
 */
const PAGED_TRIES = 3;

/**
 * Keeps a cache equal to the server: list, watch, and resume or relist after a failure. `reflector-machine.ts` has the
 * transitions; this class performs each state. At most one request is open at any time.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #policy: ReflectorPolicy;
  readonly #lifetime = new AbortController();
  readonly #pages: PageReader;
  #state: InformerState = { phase: 'idle' };
  #running: Promise<void> | undefined;
  /** A list was requested and has not begun yet. */
  #asked = false;
  /** Ends the open watch in favour of that list. */
  #interrupt: (() => void) | undefined;
  #isCurrent = false;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#pages = new PageReader({
      ...options,
      signal: this.#signal,
      malformed: (problem) => this.#error('list', 'Malformed', problem),
    });
    this.#policy = {
      backoff: options.backoff,
      random: options.random,
      healthyAfterMs: HEALTHY_AFTER_MS,
      longestRetryAfterMs: LONGEST_RETRY_AFTER_MS,
      describe: (code, message) => this.#error('watch', code, message),
    };
  }

  get state(): InformerState {
    return this.#state.phase === 'watching'
      ? { phase: 'watching', resourceVersion: this.#options.cache.resourceVersion ?? '' }
      : this.#state;
  }

  /** See {@link Informer.isCurrent}. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  start(): void {
    this.#running ??= apart(() => this.#run());
  }

  /** Lists again as soon as possible, and compares contents. */
  relist(): void {
    this.#asked = true;
    this.#interrupt?.();
  }

  /** Stops. Resolves when the open request has ended and no timer is left. */
  stop(): Promise<void> {
    this.#lifetime.abort(this.#error('watch', 'Aborted', 'the informer was stopped'));
    this.#enter({ phase: 'stopped' });
    return this.#running ?? Promise.resolve();
  }

  get #signal(): AbortSignal {
    return this.#lifetime.signal;
  }

  #isStopped(): boolean {
    return this.#signal.aborted;
  }

  async #run(): Promise<void> {
    let state: ReflectorState = START;
    while (!this.#isStopped()) state = await this.#advance(state);
  }

  async #advance(state: ReflectorState): Promise<ReflectorState> {
    switch (state.kind) {
      case 'listing':
        return afterList(state, await this.#list(state), this.#policy);
      case 'probing':
        return afterProbe(state, await this.#probe(), this.#policy);
      case 'watching':
        return afterWatch(state, await this.#watch(state), this.#policy);
      case 'waiting':
        this.#enter({ phase: 'waiting', failures: state.failures, error: state.error });
        await this.#wait(state);
        return state.next;
    }
  }

  /**
   * Waits for the next try. The end of an outage shortens the wait. Retries are spread: each resource has a reflector.
   */
  async #wait({ delayMs, error }: Extract<ReflectorState, { kind: 'waiting' }>): Promise<void> {
    const { client, clock, random } = this.#options;
    const early = new AbortController();
    let timer: TimerHandle | undefined;
    const subscription = isOutage(error)
      ? client.recovery?.onRecovered(() => {
          timer ??= clock.setTimeout(() => {
            early.abort();
          }, SPREAD_MS * random());
        })
      : undefined;
    try {
      await sleep(clock, delayMs, AbortSignal.any([this.#signal, early.signal])).catch(() => undefined);
    } finally {
      subscription?.close();
      timer?.cancel();
    }
  }

  async #list(state: Listing): Promise<ListOutcome> {
    const { cache, observer } = this.#options;
    if (cache.synced) observer.onRelist(state.reason);
    // Until a retry has worked, the state keeps the error.
    if (state.error === undefined) this.#enter({ phase: 'listing' });
    const size = state.expired < PAGED_TRIES ? new PageSize(this.#options.pageSize) : undefined;
    const contents = this.#asked;
    this.#asked = false;
    this.#isCurrent = false;
    const pass = cache.beginList(contents);
    let next: string | undefined;
    let pages = 0;
    let emptyPages = 0;
    try {
      do {
        const page = await this.#pages.read(size, next, pass);
        if (this.#isStopped()) break;
        if (pages++ === 0) {
          pass.open(page.metadata.resourceVersion);
          this.#enter({ phase: 'listing' });
        }
        observer.onHeard();
        await this.#eachInTurns(page.items, (object) => {
          this.#use(object, () => {
            pass.take(object);
          });
        });
        emptyPages = page.items.length === 0 && !page.passedOver ? emptyPages + 1 : 0;
        if ((next !== undefined && next !== '' && next === page.metadata.continue) || emptyPages > MAX_EMPTY_PAGES)
          throw new EndlessListError('the list does not end');
        next = page.metadata.continue;
      } while (next !== undefined && next !== '' && !this.#isStopped());
      await this.#endList(pass);
    } catch (error) {
      this.#asked ||= contents;
      return { kind: 'failed', error: this.#asApiError('list', error), continued: pages > 0 };
    }
    return { kind: 'listed', resourceVersion: pass.resourceVersion };
  }

  /** Takes in one object: its defects must not stop its neighbours. */
  #use(object: KubeObject, take: () => void): void {
    try {
      take();
    } catch (error) {
      this.#options.observer.onUnusable(object, error);
    }
  }

  async #endList(pass: ReflectedList): Promise<void> {
    await this.#eachInTurns(pass.missing(), (key) => {
      pass.drop(key);
    });
    if (this.#isStopped()) return;
    this.#options.cache.endList(pass);
    this.#isCurrent = true;
    this.#options.observer.onListed();
  }

  /** Requests the smallest possible list. It reads the storage, not a cache of the server. */
  async #probe(): Promise<ProbeOutcome> {
    const { client, spec, cache } = this.#options;
    // Before the request: later observations may be newer than its answer.
    const known = cache.newestKnown;
    try {
      const page = await client.list<KubeObject>(spec.resource, {
        ...selectionOf(spec, this.#signal),
        representation: 'metadata',
        limit: 1,
        onUnusable: () => undefined,
      });
      return { kind: 'probed', behind: isOlder(page.metadata.resourceVersion, known) };
    } catch (error) {
      return { kind: 'failed', error: this.#asApiError('list', error) };
    }
  }

  async #watch(state: Watching): Promise<WatchOutcome> {
    if (this.#asked) return { kind: 'asked', resourceVersion: state.resourceVersion, livedMs: 0 };
    const outcome = await this.#openWatch(state);
    if (!this.#isStopped()) {
      this.#options.observer.onWatchEnd(outcome.kind === 'failed' ? outcome.error.code : outcome.kind);
      this.#log(outcome);
    }
    return outcome;
  }

  async #openWatch(state: Watching): Promise<WatchOutcome> {
    const { client, spec, clock, stallTimeoutMs, random } = this.#options;
    const startedAt = clock.monotonic();
    const connection = new AbortController();
    const abort = (): void => {
      connection.abort(this.#signal.reason);
    };
    this.#interrupt = () => {
      connection.abort(this.#error('watch', 'Aborted', 'a list was asked for'));
    };
    const saw = { answer: false, stall: false };
    const timer = new StallTimer(clock, Math.min(CONNECT_TIMEOUT_MS, stallTimeoutMs), () => {
      saw.stall = true;
      connection.abort(this.#error('watch', 'Timeout', 'the watch went silent'));
    });
    const ended = (): { resourceVersion: string | undefined; livedMs: number } => ({
      resourceVersion: this.#options.cache.resourceVersion,
      livedMs: clock.monotonic() - startedAt,
    });
    this.#signal.addEventListener('abort', abort, { once: true });
    try {
      const stream = await client.watch<KubeObject>(spec.resource, {
        ...selectionOf(spec, this.#signal),
        signal: connection.signal,
        resourceVersion: state.resourceVersion,
        allowBookmarks: true,
        known: this.#options.cache.beginWatch(),
        onUnusable: ({ object, problem }) => {
          this.#options.observer.onUnusable(object, this.#error('watch', 'Malformed', problem));
        },
        // Spread: the watches of a restarted server must not end together from then on. A timer detects silent watches,
        // not this.
        timeoutSeconds: 1_200 + Math.floor(random() * 1_200),
      });
      saw.answer = true;
      timer.heard(stallTimeoutMs);
      if (!connection.signal.aborted) this.#enter({ phase: 'watching', resourceVersion: state.resourceVersion ?? '' });
      const regressed = await this.#consume(stream, timer);
      if (this.#asked) return { kind: 'asked', ...ended() };
      if (regressed) return { kind: 'regressed', ...ended() };
      return { kind: saw.stall ? 'silent' : 'ended', ...ended() };
    } catch (error) {
      if (this.#asked) return { kind: 'asked', ...ended() };
      if (saw.stall && saw.answer) return { kind: 'silent', ...ended() };
      const reason = saw.stall
        ? this.#error('watch', 'Timeout', 'the server did not answer the request for a watch')
        : this.#asApiError('watch', error);
      return { kind: 'failed', error: reason, opened: saw.answer, ...ended() };
    } finally {
      timer.cancel();
      this.#isCurrent = false;
      this.#interrupt = undefined;
      this.#signal.removeEventListener('abort', abort);
      connection.abort(this.#error('watch', 'Aborted', 'the watch has ended'));
    }
  }

  /** Takes in events until the watch ends. True: gave up, because the versions went backwards. */
  async #consume(stream: AsyncIterable<WatchEvent<KubeObject>>, timer: StallTimer): Promise<boolean> {
    const { cache, observer } = this.#options;
    const turn = turnsOf(this.#options.clock);
    for await (const event of stream) {
      if (this.#isStopped()) return false;
      timer.heard();
      const { resourceVersion } = event.object.metadata;
      if (!cache.follows(resourceVersion)) return true;
      switch (event.type) {
        case 'ADDED':
        case 'MODIFIED':
        case 'DELETED':
          this.#use(event.object, () => {
            cache.event(event.type, event.object);
          });
          break;
        case 'BOOKMARK':
          break;
      }
      cache.advance(resourceVersion);
      this.#isCurrent = true;
      observer.onHeard();
      if (turn.isOver()) await yieldToEventLoop();
    }
    return false;
  }

  async #eachInTurns<T>(items: Iterable<T>, take: (item: T) => void): Promise<void> {
    const turn = turnsOf(this.#options.clock);
    for (const item of items) {
      if (this.#isStopped()) return;
      take(item);
      if (turn.isOver()) await yieldToEventLoop();
    }
    await yieldToEventLoop();
  }

  #enter(state: InformerState): void {
    if (this.#state.phase === 'stopped') return;
    const unchanged = this.#state.phase === state.phase && state.phase !== 'waiting';
    this.#state = state;
    if (!unchanged) this.#options.observer.onState(state);
  }

  #log(outcome: WatchOutcome): void {
    const { logger } = this.#options;
    const { kind, livedMs, resourceVersion } = outcome;
    if (kind !== 'ended' && kind !== 'asked')
      logger.info('a watch broke off', {
        reason: kind,
        livedMs,
        resourceVersion,
        error: kind === 'failed' ? outcome.error : undefined,
      });
    else if (logger.isEnabled('debug')) logger.debug('a watch ended', { livedMs, resourceVersion });
  }

  /** Converts anything thrown while reading: its cause is the content, and nothing may end the reflector. */
  #asApiError(verb: 'list' | 'watch', error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    return this.#error(verb, 'Malformed', 'the server’s answer could not be used', error);
  }

  #error(verb: 'list' | 'watch', code: ApiErrorCode, message: string, cause?: unknown): ApiError {
    const { client, spec } = this.#options;
    return new ApiError(
      code,
      message,
      { cluster: client.name, verb, resource: resourceName(spec.resource), namespace: spec.namespace },
      { cause },
    );
  }
}
