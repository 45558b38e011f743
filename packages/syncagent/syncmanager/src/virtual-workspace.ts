import type { Client, Hosts, Recovery } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import { clusterNameOf, clusterPath, virtualWorkspaceOf, wildcardPath } from '@hawser/kcp-api';
import type { Engagement } from '@hawser/syncagent-sync';
import type { Logger, Metrics } from '@hawser/telemetry';
import { BoundWorkspaces } from './bound-workspaces.js';
import type { WorkspaceHomes } from './workspace-homes.js';

export interface VirtualWorkspaceOptions {
  readonly hosts: Hosts;
  /** Aborts when writes must stop. */
  readonly mayWrite?: AbortSignal | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Shorter than usual: parts of kcp see a new resource with a delay, and the first object should not wait long. */
const backoff = { initialMs: 200, capMs: 10_000 };

/** One endpoint of the slice, shared by all syncs. Owns its watches; the host owns the sockets. */
export class EngagedVirtualWorkspace implements Engagement {
  readonly url: string;
  readonly informers: SharedInformers;
  readonly workspaces: BoundWorkspaces;
  /** Client for all workspaces; kcp refuses writes through it. */
  readonly wildcard: Client;
  readonly #path: string;
  readonly #host: Client;
  readonly #name: string;

  /** @throws {WorkspaceURLError} @throws {RangeError} for an address that cannot or must not be used. */
  constructor(
    url: string,
    homes: WorkspaceHomes,
    { hosts, mayWrite, clock, random, logger, metrics }: VirtualWorkspaceOptions,
  ) {
    const { origin, path } = virtualWorkspaceOf(url);
    this.url = url;
    this.#path = path;
    this.#name = `kcp ${new URL(origin).host}`;
    const host = hosts.at(origin, this.#name);
    this.#host = mayWrite === undefined ? host : host.withWriteGuard(mayWrite);
    this.wildcard = this.#host.at(wildcardPath({ path }));
    this.informers = createSharedInformers({
      client: this.wildcard,
      clock,
      random,
      logger,
      metrics,
      backoff,
      clusterOf: clusterNameOf,
    });
    this.workspaces = new BoundWorkspaces(this.informers, url, homes, (error) => {
      logger.error('A listener to the workspaces of kcp failed.', { url, error });
    });
  }

  get recovery(): Recovery | undefined {
    return this.#host.recovery;
  }

  clientFor(cluster: string): Client {
    return this.#host.at(clusterPath({ path: this.#path }, cluster), `${this.#name} ${cluster}`);
  }

  close(): Promise<void> {
    return this.informers.close();
  }
}
