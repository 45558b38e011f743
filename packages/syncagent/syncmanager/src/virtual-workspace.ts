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
  /** Aborts when nothing may be written any more. */
  readonly mayWrite?: AbortSignal | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A resource that kcp has just begun to serve is not there for everybody at once: shorter than usual, so that the first object does not wait for long. */
const backoff = { initialMs: 200, capMs: 10_000 };

/** One endpoint of the slice, as all syncs share it. Owns its watches, but no socket: those are the host's. */
export class EngagedVirtualWorkspace implements Engagement {
  readonly url: string;
  readonly informers: SharedInformers;
  readonly workspaces: BoundWorkspaces;
  /** For everything over all workspaces; writes through it are refused by kcp. */
  readonly wildcard: Client;
  readonly #path: string;
  readonly #host: Client;
  readonly #name: string;

  /** @throws {WorkspaceURLError} @throws {RangeError} for an address that cannot or must not be asked. */
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
