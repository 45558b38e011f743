import { type BackoffOptions, type Clock, type Random, backoffDelay, sleep } from '@hawser/clock';
import {
  type MutableServedBindings,
  type ProviderConnection,
  createServedBindings,
} from '@hawser/konnector-connection';
import type { Logger } from '@hawser/telemetry';
import type { ConnectionFailure, ControllerSet, ControllerState, StartSet } from './controller-set.js';
import { type ConnectionObserved, type ConnectionPhase, type Member, bindingOf, bundleOf } from './observed.js';
import { causeOf, isOver, prepareInTime, startInTime, whenAborted } from './in-time.js';
import type { ValidSecret } from './secret-reading.js';

export interface ConnectionRunnerOptions {
  /** Stable identity of the connection; survives a changed kubeconfig. */
  readonly key: string;
  /** First kubeconfig. */
  readonly secret: ValidSecret;
  /** Creates the connection from the current kubeconfig, and the bindings and bundles that it serves. */
  readonly connection: (
    secret: () => ValidSecret,
    bindings: MutableServedBindings,
    bundles: MutableServedBindings,
    members: () => readonly Member[],
  ) => ProviderConnection;
  readonly startSet: StartSet;
  readonly prepareTimeoutMs: number;
  readonly backoff: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called after each change of phase, failure or draining members. */
  readonly onChange: () => void;
}

/** Maximum number of replaced kubeconfigs that are remembered. */
const MAX_ACCEPTED = 16;

/** Time for a token to prove that it works. */
const ROTATION_MS = 30_000;

/** Maximum wait after a try that took its whole time. */
const AFTER_TIMEOUT_MS = 10_000;

/** Period for checking a connection's provider. */
const IDENTITY_EVERY_MS = 60_000;

/** How the life of a controller set ended. */
type Ending = { readonly kind: 'interrupted' } | { readonly kind: 'failed'; readonly failure: ConnectionFailure };

/**
 * Keeps the controller set of one connection alive. Prepares it, runs it when told, recreates it with back-off after a
 * failure, and drains it when stopped. At most one set of the connection exists at any time.
 */
export class ConnectionRunner {
  readonly connection: ProviderConnection;
  /** Stable identity of the connection; survives a changed kubeconfig. */
  readonly key: string;
  readonly #options: ConnectionRunnerOptions;
  readonly #bindings = createServedBindings();
  readonly #bundles = createServedBindings();
  readonly #members = new Set<Member>();
  readonly #draining = new Set<Member>();
  #allowed = Promise.withResolvers<undefined>();
  readonly #life: Promise<void>;
  #secret: ValidSecret;
  /** Hashes of kubeconfigs whose members it serves: the current one, replaced ones, and the next. */
  readonly #accepted: Set<string>;
  /** Hashes of kubeconfigs that cannot replace it without a new connection. */
  readonly #unfit = new Set<string>();
  #rotating: string | undefined;
  #phase: ConnectionPhase = 'preparing';
  #sinceMs: number;
  #failure: ConnectionFailure | undefined;
  #identity: string | undefined;
  #failures = 0;
  #stopping = false;
  #set: ControllerSet | undefined;
  /** Ends the life of the current set: aborts preparation, drains a running set. */
  #interrupt = new AbortController();
  #ended = Promise.withResolvers<undefined>();

  constructor(options: ConnectionRunnerOptions) {
    this.#options = options;
    this.#sinceMs = options.clock.now();
    this.key = options.key;
    this.#secret = options.secret;
    this.#accepted = new Set([options.secret.hash]);
    this.connection = options.connection(
      () => this.#secret,
      this.#bindings,
      this.#bundles,
      () => [...this.#members],
    );
    this.#life = this.#live();
  }

  get phase(): ConnectionPhase {
    return this.#phase;
  }
  /** Start of the phase, in milliseconds since the epoch. */
  get sinceMs(): number {
    return this.#sinceMs;
  }
  /** Why it does not work; absent while it does, and before the first failure. */
  get failure(): ConnectionFailure | undefined {
    return this.#failure;
  }
  /** The provider it leads to, if known. */
  get identity(): string | undefined {
    return this.#identity;
  }
  get failures(): number {
    return this.#failures;
  }
  get members(): readonly Member[] {
    return [...this.#members];
  }
  get controllers(): readonly ControllerState[] {
    return this.#set?.state ?? [];
  }

  get observed(): ConnectionObserved {
    return {
      hash: this.key,
      phase: this.#phase,
      members: this.members,
      draining: [...this.#draining],
      identity: this.#identity,
    };
  }

  /** Whether it serves members that want this kubeconfig. */
  accepts(hash: string): boolean {
    return this.#accepted.has(hash);
  }

  /**
   * Whether the kubeconfig may replace the current one: only the token differs, for the same account, and it has not
   * failed before.
   */
  mayRotateTo({ hash, fingerprint }: ValidSecret): boolean {
    const works = this.#phase === 'running' || this.#phase === 'prepared';
    return (
      works &&
      this.#rotating === undefined &&
      fingerprint !== undefined &&
      fingerprint === this.#secret.fingerprint &&
      hash !== this.#secret.hash &&
      !this.#unfit.has(hash) &&
      this.#set?.rotate !== undefined
    );
  }

  /**
   * Switches to another token without a new connection. A token without proof changes nothing and gets its own
   * connection, even if it was used here before. So does one that returns while this connection does not work.
   */
  rotate(secret: ValidSecret): void {
    const set = this.#set;
    if (this.#failure !== undefined && !this.#stopping && secret.hash !== this.#secret.hash)
      this.#accepted.delete(secret.hash);
    if (set?.rotate === undefined || !this.mayRotateTo(secret)) return;
    const known = this.#accepted.has(secret.hash);
    this.#rotating = secret.hash;
    this.#accepted.delete(secret.hash);
    this.#accepted.add(secret.hash);
    const { clock, logger, onChange } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimeout(() => {
      late.abort();
    }, ROTATION_MS);
    void set
      .rotate(secret.config, AbortSignal.any([this.#interrupt.signal, late.signal]))
      .then(() => {
        // A set recreated meanwhile began with the old one, and is asked again.
        if (this.#set === set) this.#secret = secret;
        // No Secret has the oldest any more, or they return as new ones.
        for (const hash of [...this.#accepted].slice(0, -MAX_ACCEPTED)) this.#accepted.delete(hash);
        logger.info('A connection goes on with another token');
      })
      .catch((error: unknown) => {
        const isRefused = this.#set === set && !this.#stopping;
        if (isRefused) this.#unfit.add(secret.hash);
        // It stays known only if it returns and was not refused: the next set then tries it.
        if (isRefused || !known) this.#accepted.delete(secret.hash);
        logger.warn(
          'Another token cannot take the place of the one that is used; it is tried as a connection of its own',
          { error },
        );
      })
      .finally(() => {
        timer.cancel();
        this.#rotating = undefined;
        onChange();
      });
  }

  join(member: Member): void {
    this.#members.add(member);
    const binding = bindingOf(member);
    if (binding !== undefined) this.#bindings.join(binding);
    const bundle = bundleOf(member);
    if (bundle !== undefined) this.#bundles.join(bundle);
  }

  /**
   * `gone`: no other connection will serve it. `stopping`: the whole connection stops next, which drains the member
   * too.
   */
  leave(member: Member, { gone, stopping }: { readonly gone: boolean; readonly stopping: boolean }): void {
    this.#members.delete(member);
    const binding = bindingOf(member);
    if (binding !== undefined) this.#bindings.leave(binding);
    const bundle = bundleOf(member);
    if (bundle !== undefined) this.#bundles.leave(bundle);
    if (this.#set === undefined) return;
    this.#draining.add(member);
    if (stopping) return;
    void (bundle === undefined ? this.#drain(binding, gone) : this.#drainBundle(bundle)).then(() => {
      this.#draining.delete(member);
      this.#options.onChange();
    });
  }

  /** Runs this set and its successors as soon as they are prepared. Idempotent. */
  run(): void {
    this.#allowed.resolve(undefined);
  }

  /** Drains and stops. Idempotent. */
  stop(): Promise<void> {
    if (!this.#stopping) {
      this.#stopping = true;
      this.#enter('stopping');
      this.#interrupt.abort();
    }
    return this.#life;
  }

  async #drain(binding: string | undefined, gone: boolean): Promise<void> {
    if (binding === undefined) return;
    const set = this.#set;
    if (set?.released === undefined) {
      // One member that no other connection serves must not delay the others.
      if (!gone) await this.#restart();
      return;
    }
    try {
      await set.released(binding);
    } catch (error) {
      this.#options.logger.warn('A binding could not be drained; its connection is made anew', { binding, error });
      await this.#restart();
    }
  }

  async #drainBundle(bundle: string): Promise<void> {
    try {
      await this.#set?.bundleReleased?.(bundle);
    } catch (error) {
      this.#options.logger.warn('A bundle could not be drained; its connection is made anew', { bundle, error });
      await this.#restart();
    }
  }

  /** Resolves when the current set has stopped. */
  async #restart(): Promise<void> {
    if (!this.#stopping) this.#enter('preparing');
    this.#interrupt.abort();
    await this.#ended.promise;
  }

  async #live(): Promise<void> {
    // Nothing happens before the caller has this object.
    await Promise.resolve();
    while (!this.#stopping) {
      this.#interrupt = new AbortController();
      this.#ended = Promise.withResolvers();
      const startedMs = this.#options.clock.monotonic();
      const ending = await this.#once(this.#interrupt.signal);
      this.#set = undefined;
      this.#ended.resolve(undefined);
      if (ending.kind === 'interrupted') continue;
      // A long-working set resets the back-off.
      if (this.#options.clock.monotonic() - startedMs > this.#options.prepareTimeoutMs + this.#options.backoff.capMs)
        this.#failures = 0;
      this.#failures++;
      this.#failure = ending.failure;
      this.#enter('preparing');
      // Its caches have asked the server all the time: another wait would only delay the recovery.
      const backoff =
        ending.failure.reason === 'InformerSyncTimeout'
          ? { ...this.#options.backoff, capMs: Math.min(this.#options.backoff.capMs, AFTER_TIMEOUT_MS) }
          : this.#options.backoff;
      const waitMs = backoffDelay(backoff, this.#failures, this.#options.random);
      this.#options.logger.warn('A provider connection does not work; it is made anew', {
        ...ending.failure,
        failures: this.#failures,
        waitMs: Math.round(waitMs),
      });
      await sleep(this.#options.clock, waitMs, this.#interrupt.signal).catch(() => undefined);
    }
    this.#draining.clear();
    this.#options.onChange();
  }

  /** Runs one set, from creation to end. */
  async #once(interrupted: AbortSignal): Promise<Ending> {
    let set: ControllerSet | undefined;
    let ending: Ending;
    try {
      set = this.#options.startSet(this.connection);
      this.#set = set;
      ending = await this.#keep(set, interrupted);
    } catch (error) {
      ending = isOver(interrupted)
        ? { kind: 'interrupted' }
        : { kind: 'failed', failure: { reason: 'ControllersFailed', message: causeOf(error) } };
    }
    try {
      await set?.stop();
    } catch (error) {
      this.#options.logger.error('A controller set did not stop properly', { error });
    }
    return ending;
  }

  async #keep(set: ControllerSet, interrupted: AbortSignal): Promise<Ending> {
    const { clock, prepareTimeoutMs } = this.#options;
    const failure = await prepareInTime((signal) => this.#fill(set, signal), { clock, prepareTimeoutMs, interrupted });
    if (isOver(interrupted)) return { kind: 'interrupted' };
    if (failure !== undefined) return { kind: 'failed', failure };
    this.#failure = undefined;
    this.#enter('prepared');
    const over = new AbortController();
    try {
      void this.#watchIdentity(set, AbortSignal.any([interrupted, over.signal]));
      return await this.#work(set, interrupted);
    } finally {
      over.abort();
    }
  }

  async #work(set: ControllerSet, interrupted: AbortSignal): Promise<Ending> {
    await Promise.race([this.#allowed.promise, whenAborted(interrupted)]);
    if (isOver(interrupted)) return { kind: 'interrupted' };
    const { clock, prepareTimeoutMs } = this.#options;
    await startInTime((signal) => set.run(signal), { clock, prepareTimeoutMs, interrupted });
    if (isOver(interrupted)) return { kind: 'interrupted' };
    this.#enter('running');
    const { failed } = set;
    const cause = await Promise.race([
      whenAborted(interrupted),
      ...(failed === undefined ? [] : [failed.catch((error: unknown) => error)]),
    ]);
    if (isOver(interrupted)) return { kind: 'interrupted' };
    return { kind: 'failed', failure: { reason: 'ControllersFailed', message: causeOf(cause) } };
  }

  async #fill(set: ControllerSet, signal: AbortSignal): Promise<void> {
    await set.prepare(signal);
    const identity = await set.identity?.(signal);
    if (identity === undefined) return;
    // The approval was for another provider.
    if (this.#identity !== undefined && this.#identity !== identity) this.#allowed = Promise.withResolvers();
    this.#identity = identity;
  }

  /** Stops a set at once if its provider changes, and recreates it: then its members decide. */
  async #watchIdentity(set: ControllerSet, signal: AbortSignal): Promise<void> {
    while (set.identity !== undefined && !isOver(signal)) {
      try {
        await sleep(this.#options.clock, IDENTITY_EVERY_MS, signal);
        const identity = await set.identity(signal);
        if (identity === undefined || identity === this.#identity || isOver(signal)) continue;
        this.#options.logger.error('A kubeconfig leads to another provider than before; its connection is stopped', {
          before: this.#identity,
          now: identity,
        });
        void this.#restart();
      } catch {
        // Out of reach: this proves nothing, and others report it.
      }
    }
  }

  #enter(phase: ConnectionPhase): void {
    if (this.#stopping && phase !== 'stopping') return;
    if (this.#phase !== phase) {
      this.#phase = phase;
      this.#sinceMs = this.#options.clock.now();
    }
    this.#options.onChange();
  }
}
