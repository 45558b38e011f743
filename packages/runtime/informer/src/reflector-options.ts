import type { Client, KubeObject } from '@hawser/client';
import type { BackoffOptions, Clock, Random } from '@hawser/clock';
import type { Logger } from '@hawser/telemetry';
import type { ReflectedCache } from './reflected-cache.js';
import type { InformerSpec, InformerState } from './informer.js';
import type { RelistReason } from './reflector-machine.js';

export interface ReflectorOptions {
  readonly client: Client;
  readonly spec: InformerSpec;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly pageSize: number;
  readonly stallTimeoutMs: number;
  readonly backoff: BackoffOptions;
  readonly cache: ReflectedCache;
  readonly observer: ReflectorObserver;
}

/** Receives the events of a reflector. Must not throw. */
export interface ReflectorObserver {
  onState(state: InformerState): void;
  /** A complete list has been delivered. */
  onListed(): void;
  /** A list begins, and it is not the first. */
  onRelist(reason: RelistReason): void;
  /** A watch has ended. */
  onWatchEnd(reason: string): void;
  /** An event, a bookmark or a list has arrived. */
  onHeard(): void;
  /** An object could not be taken in; the cache keeps its old state. Undefined: it has no name. */
  onUnusable(object: KubeObject | undefined, error: unknown): void;
}
