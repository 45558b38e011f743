import type { Client } from '@hawser/client';
import { type Clock, type Random, backoffDelay } from '@hawser/clock';
import { type Queue, type Result, createQueue, done } from '@hawser/controller';
import { labels } from '@hawser/syncagent-api';
import type { Logger, Metrics } from '@hawser/telemetry';
import type { ServiceNamespaces } from './service-namespaces.js';
import type { Vanished } from './vanished.js';

/** Interval of looks at a deleted workspace; each deletes a limited number of state Secrets. */
const FORGET_MS = 60_000;
/**
 * Interval of checks whether a namespace is empty, each of which lists every type; also of looks at what may be
 * forgotten.
 */
const OCCUPIED_BACKOFF = { initialMs: 5_000, capMs: 3_600_000 };

export interface LeftoversOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly namespaces: ServiceNamespaces;
  /** Whether a copy is known in this namespace. */
  readonly isUsed: (namespace: string) => boolean;
  /** Called at each look. Absent: deleted workspaces are never detected, so their state Secrets stay. */
  readonly vanished: (() => Vanished) | undefined;
  /** Namespace of the state Secrets. */
  readonly stateNamespace: string;
}

/** Cleans up remains: namespaces that may be empty after a copy has left, and state Secrets of deleted workspaces. */
export class Leftovers {
  readonly #options: LeftoversOptions;
  readonly #namespaces: Queue;
  readonly #workspaces: Queue | undefined;
  /** Namespace → times it was found occupied. */
  readonly #occupied = new Map<string, number>();
  /** Deleted or unseen logical cluster → times its state was kept. */
  readonly #kept = new Map<string, number>();

  constructor(options: LeftoversOptions) {
    const { client, clock, random, logger, metrics, vanished } = options;
    this.#options = options;
    const common = { concurrency: 1, clock, random, logger, metrics, recoveries: [client.recovery] };
    this.#namespaces = createQueue({
      ...common,
      name: 'syncagent-sync-namespaces',
      reconcile: (namespace, signal) => this.#lookAtNamespace(namespace, signal),
    });
    this.#workspaces =
      vanished === undefined
        ? undefined
        : createQueue({
            ...common,
            name: 'syncagent-sync-vanished',
            reconcile: (cluster, signal) => this.#lookAtWorkspace(cluster, vanished(), signal),
          });
  }

  /** A copy has left this namespace. */
  namespaceLeft(namespace: string): void {
    this.#namespaces.add(namespace);
  }

  /** No endpoint shows this logical cluster. */
  workspaceUnseen(cluster: string): void {
    this.#workspaces?.add(cluster, { priority: 'background' });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#namespaces.stop(), this.#workspaces?.stop()]);
  }

  async #lookAtNamespace(namespace: string, signal: AbortSignal): Promise<Result> {
    const { namespaces, isUsed } = this.#options;
    if ((await namespaces.left(namespace, () => isUsed(namespace), signal)) === 'settled') {
      this.#occupied.delete(namespace);
      return done;
    }
    return this.#later(this.#occupied, namespace);
  }

  async #lookAtWorkspace(cluster: string, vanished: Vanished, signal: AbortSignal): Promise<Result> {
    const { logger, stateNamespace } = this.#options;
    switch (await vanished.look(cluster, signal)) {
      case 'settled':
        this.#kept.delete(cluster);
        return done;
      case 'more':
        return { kind: 'requeue', afterMs: FORGET_MS, priority: 'background' };
      case 'kept':
        if (!this.#kept.has(cluster))
          logger.info(
            'No endpoint shows a workspace of which state Secrets are left. They stay, unless kcp says that it does not exist any more and nothing of it is left on the service cluster. If it was deleted, delete them by label.',
            { workspace: cluster, namespace: stateNamespace, selector: `${labels.remoteCluster}=${cluster}` },
          );
        return this.#later(this.#kept, cluster);
    }
  }

  /** Each look comes later than the one before. */
  #later(looks: Map<string, number>, key: string): Result {
    const count = (looks.get(key) ?? 0) + 1;
    looks.set(key, count);
    return {
      kind: 'requeue',
      afterMs: backoffDelay(OCCUPIED_BACKOFF, count, this.#options.random),
      priority: 'background',
    };
  }
}
