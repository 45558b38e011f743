import type { Client, Hosts, UnstructuredObject } from '@hawser/client';
import { annotations, isLogicalClusterName, workspaceOfURL } from '@hawser/kcp-api';
import { RehearsedClient, RehearsedWorld, type RehearsedWrite as AnyWrite } from '@hawser/preview';

import { type Place, placeId, placeOfPath, service } from './place.js';

/** What a write is for: one object of a PublishedResource, as the queue of its sync calls it. */
export interface Purpose {
  readonly publishedResource: string;
  /** `cluster|namespace/name`, or `cluster|name`. */
  readonly object: string;
}

/** A write that the agent would send. Without `purpose`: for the agent as a whole, such as its APIExport. */
export type RehearsedWrite = AnyWrite<Place, Purpose>;

export interface RehearsalOptions {
  /** Of the kcp kubeconfig: where requests without a path go. */
  readonly kcpServer: string;
  /** Ask the API servers what they would make of each write, by a dry run. */
  readonly dryRun: boolean;
  /** Told of every request that begins (1) and ends (-1), watches apart. */
  readonly onRequest: (by: 1 | -1) => void;
}

/**
 * Clients for an agent that is to do everything that it always does, and change nothing: they read, note each write in place of sending it, answer it as
 * the server would, and show what was written to whoever reads it afterwards.
 */
export interface Rehearsal {
  service(client: Client): Client;
  hosts(hosts: Hosts): Hosts;
  /** In their order. Events are not among them. */
  readonly writes: readonly RehearsedWrite[];
  /** What is written during `work` is for this. */
  during<T>(purpose: Purpose, work: () => Promise<T>): Promise<T>;
}

export function createRehearsal({ kcpServer, dryRun, onRequest }: RehearsalOptions): Rehearsal {
  const world = new RehearsedWorld<Place, Purpose>(placeId);
  const rehearse = (real: Client, side: Place): Client =>
    new RehearsedClient(real, { side, world, dryRun, onRequest, sideOf: placeOfPath, made: saysWhere });
  return {
    service: (client) => rehearse(client, service),
    hosts: (hosts) => ({
      home: rehearse(hosts.home, { kind: 'kcp', workspace: workspaceOfURL(kcpServer) }),
      at: (url, name) => rehearse(hosts.at(url, name), placeOfPath(new URL(url).pathname)),
      close: () => hosts.close(),
    }),
    writes: world.writes,
    during: (purpose, work) => world.during(purpose, work),
  };
}

/** kcp says of each object where it is. */
function saysWhere(object: UnstructuredObject, place: Place): UnstructuredObject {
  if (place.kind !== 'kcp' || !isLogicalClusterName(place.workspace)) return object;
  const says = { ...object.metadata.annotations, [annotations.cluster]: place.workspace };
  return { ...object, metadata: { ...object.metadata, annotations: says } };
}
