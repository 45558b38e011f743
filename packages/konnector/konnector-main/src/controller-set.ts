import type { ProviderConnection } from '@hawser/konnector-connection';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** One part of a set, for health pages: a controller, or something that all of them need. */
export interface ControllerState {
  readonly name: string;
  readonly phase: 'waiting' | 'starting' | 'running' | 'stopped' | 'failed';
  readonly error?: string | undefined;
}

/**
 * The controllers of one provider connection, as one thing that is started and stopped. Used once: after `stop()` a new one is made.
 */
export interface ControllerSet {
  /**
   * Makes the client and fills the caches of the connection, which proves that the credentials work. Writes nothing to either side.
   * Rejects as soon as it is clear that they do not, or when `signal` aborts.
   */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Which provider this is: the uid of its cluster namespace, read live; undefined if it may not be read. Called after `prepare`, and now and then from then
   * on: when it changes, the set is stopped. Absent: never changes.
   */
  identity?(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Goes on with another token for the same account of the same provider: proves first that it works and leads to the same cluster namespace, by uid, and uses it for everything from then on. Nothing
   * is listed anew, and no watch ends. Rejects otherwise; then nothing has changed. Called after `prepare`. Absent: a changed token is another connection.
   */
  rotate?(config: ConnectionConfig, signal: AbortSignal): Promise<void>;
  /** Starts the controllers; resolves when they work. Called once, after `prepare`. `signal` aborts only before that: `stop` ends what runs. */
  run(signal: AbortSignal): Promise<void>;
  /** Ends what is in flight, then closes everything that `prepare` and `run` opened. Idempotent; also after either has failed. */
  stop(): Promise<void>;
  readonly state: readonly ControllerState[];
  /** Settles when a controller of a running set has failed for good; the set is then stopped and made anew. Absent: that cannot happen. */
  readonly failed?: Promise<unknown>;
  /**
   * Resolves when nothing is in flight any more for a binding that has left {@link ProviderConnection.bindings} while others stay. Absent: when a
   * binding moves to another connection, the whole set is stopped and made anew, so that the binding never has two writers.
   */
  released?(binding: string): Promise<void>;
  /** The same for a bundle that has left {@link ProviderConnection.bundles}. Absent: nothing is ever in flight for bundles. */
  bundleReleased?(bundle: string): Promise<void>;
}

/** Makes a controller set for a connection. Must not do any I/O by itself. */
export type StartSet = (connection: ProviderConnection) => ControllerSet;

/** Why a connection does not work, ready for a condition. */
export interface ConnectionFailure {
  readonly reason: 'InformerSyncTimeout' | 'InformerSyncFailed' | 'ControllersFailed';
  readonly message: string;
}
