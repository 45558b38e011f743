import type { ProviderConnection } from '@hawser/konnector-connection';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** One part of a set, for health pages: a controller, or a resource shared by all. */
export interface ControllerState {
  readonly name: string;
  readonly phase: 'waiting' | 'starting' | 'running' | 'stopped' | 'failed';
  readonly error?: string | undefined;
}

/**
 * The controllers of one provider connection, started and stopped together. Used once: after `stop()` create a new one.
 */
export interface ControllerSet {
  /**
   * Creates the client and fills the caches of the connection, which proves the credentials. Writes nothing to either
   * side. Rejects as soon as they are known to fail, or when `signal` aborts.
   */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Reads the provider's identity live: the uid of its cluster namespace; undefined if the read is refused. Called
   * after `prepare`, then regularly: a change stops the set. Absent: never changes.
   */
  identity?(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Switches to another token for the same account of the same provider. Proves first that it works and leads to the
   * same cluster namespace, by uid, then uses it everywhere. No relist, and no watch ends. Rejects otherwise, with
   * nothing changed. Called after `prepare`. Absent: a changed token needs another connection.
   */
  rotate?(config: ConnectionConfig, signal: AbortSignal): Promise<void>;
  /**
   * Starts the controllers; resolves when they work. Called once, after `prepare`. `signal` aborts only before that:
   * `stop` ends running ones.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Waits for work in flight, then closes everything opened by `prepare` and `run`. Idempotent; also after a failure of
   * either.
   */
  stop(): Promise<void>;
  readonly state: readonly ControllerState[];
  /**
   * Settles when a controller of a running set has failed for good; the set is then stopped and recreated. Absent: that
   * cannot happen.
   */
  readonly failed?: Promise<unknown>;
  /**
   * Resolves when nothing is in flight for a binding that left {@link ProviderConnection.bindings} while others stay.
   * Absent: moving a binding to another connection stops and recreates the whole set, so a binding never has two
   * writers.
   */
  released?(binding: string): Promise<void>;
  /**
   * The same for a bundle that left {@link ProviderConnection.bundles}. Absent: nothing is ever in flight for bundles.
   */
  bundleReleased?(bundle: string): Promise<void>;
}

/** Creates a controller set for a connection. Must not do any I/O itself. */
export type StartSet = (connection: ProviderConnection) => ControllerSet;

/** Why a connection does not work, ready for a condition. */
export interface ConnectionFailure {
  readonly reason: 'InformerSyncTimeout' | 'InformerSyncFailed' | 'ControllersFailed';
  readonly message: string;
}
