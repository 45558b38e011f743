import type { Client, Hosts, UnstructuredObject } from '@hawser/client';
import { annotations, isLogicalClusterName, workspaceOfURL } from '@hawser/kcp-api';
import { RehearsedClient, RehearsedWorld, type RehearsedWrite as AnyWrite } from '@hawser/preview';

import { type RequestTarget, targetId, targetOfPath, service } from './request-target.js';

/** Purpose of a write: one object of a PublishedResource, under its name in the queue of its sync. */
export interface Purpose {
  readonly publishedResource: string;
  /** `cluster|namespace/name`, or `cluster|name`. */
  readonly object: string;
}

/** A write that the agent would send. Without `purpose`: for the agent as a whole, such as its APIExport. */
export type RehearsedWrite = AnyWrite<RequestTarget, Purpose>;

export interface RehearsalOptions {
  /** Server of the kcp kubeconfig: requests without a path go there. */
  readonly kcpServer: string;
  /** Asks the API servers by a dry run what they would make of each write. */
  readonly dryRun: boolean;
  /** Called for every request that begins (1) and ends (-1), except watches. */
  readonly onRequest: (by: 1 | -1) => void;
}

/**
 * Clients for an agent that works as always and changes nothing. They read, and note each write instead of sending it.
 * They answer as the server would, and later reads show the noted writes.
 */
export interface Rehearsal {
  service(client: Client): Client;
  hosts(hosts: Hosts): Hosts;
  /** In order, without Events. */
  readonly writes: readonly RehearsedWrite[];
  /** Assigns all writes during `work` to this purpose. */
  during<T>(purpose: Purpose, work: () => Promise<T>): Promise<T>;
}

export function createRehearsal({ kcpServer, dryRun, onRequest }: RehearsalOptions): Rehearsal {
  const world = new RehearsedWorld<RequestTarget, Purpose>(targetId);
  const rehearse = (real: Client, side: RequestTarget): Client =>
    new RehearsedClient(real, { side, world, dryRun, onRequest, sideOf: targetOfPath, made: withWorkspace });
  return {
    service: (client) => rehearse(client, service),
    hosts: (hosts) => ({
      home: rehearse(hosts.home, { kind: 'kcp', workspace: workspaceOfURL(kcpServer) }),
      at: (url, name) => rehearse(hosts.at(url, name), targetOfPath(new URL(url).pathname)),
      close: () => hosts.close(),
    }),
    writes: world.writes,
    during: (purpose, work) => world.during(purpose, work),
  };
}

/** kcp notes on each object where it is. */
function withWorkspace(object: UnstructuredObject, target: RequestTarget): UnstructuredObject {
  if (target.kind !== 'kcp' || !isLogicalClusterName(target.workspace)) return object;
  const marked = { ...object.metadata.annotations, [annotations.cluster]: target.workspace };
  return { ...object, metadata: { ...object.metadata, annotations: marked } };
}
