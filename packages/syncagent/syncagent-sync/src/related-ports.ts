import { type Client, getIfExists, type KubeObject } from '@hawser/client';

import type { PairPorts, PairSide } from './act.js';
import { creatorOf } from './creator.js';
import type { PairSettings } from './observed.js';
import type { PairRecord } from './pair-record.js';
import type { PairHow, RelatedOptions, RelatedRun } from './related-run.js';
import { NotReady } from './related-unknown.js';
import { namespaces } from './service-namespaces.js';
import type { SnapshotOwner } from './state-draft.js';

/** Key under which a state Secret remembers the pushed content of a related object. */
export function ownerOfRelated(
  cluster: string,
  { identifier, origin, kcp, service, kind, source: { namespace, name } }: PairRecord,
): SnapshotOwner {
  const { group, version } = origin === 'kcp' ? kcp : service;
  return {
    cluster: origin === 'kcp' ? cluster : '',
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    namespace,
    name,
    identifier,
  };
}

export function relatedSettings(
  { adoption, maker }: RelatedOptions,
  { letGo, identity }: RelatedRun,
  record: PairRecord,
  destination: PairSettings['destination'],
  { forcedDeletion, rule }: PairHow,
): PairSettings {
  const { origin } = record;
  const syncStatus = rule?.syncStatus === true;
  return {
    origin,
    destination,
    marks: undefined,
    creator: creatorOf(maker, identity.cluster, record),
    subresources: syncStatus ? ['status'] : [],
    status: syncStatus ? 'forward' : 'none',
    finalizer: forcedDeletion || origin === 'kcp',
    forcedDeletion,
    letGo,
    mutations: rule?.mutations,
    adoption,
  };
}

/** @throws {NotReady} */
export function relatedPorts(
  { kcp, service, namespaces: made, maker }: RelatedOptions,
  { identity: { cluster }, draft }: RelatedRun,
  record: PairRecord,
): PairPorts {
  const client = kcp.clientFor(cluster);
  if (client === undefined) throw new NotReady(`workspace ${cluster} is not bound`);
  const inKcp: PairSide = {
    client,
    resource: record.kcp,
    observe: (object) => {
      kcp.cache(record.kcp, cluster)?.observe(object);
    },
  };
  const onService: PairSide = { client: service, resource: record.service, observe: () => undefined };
  const [from, to] = record.origin === 'kcp' ? [inKcp, onService] : [onService, inKcp];
  return {
    source: from,
    sourceKey: record.source,
    destination: to,
    search: (_key, signal) => getIfExists(to.client, to.resource, record.destination, { signal }),
    isCopy: () => true,
    creator: creatorOf(maker, cluster, record),
    makeNamespace: (namespace, signal) =>
      record.origin === 'kcp' ? made.make(namespace, signal) : makeInKcp(client, namespace, signal),
    within: record.origin === 'kcp' ? (namespace, work) => made.within(namespace, work) : undefined,
    store: (snapshot) => {
      draft.store(ownerOfRelated(cluster, record), snapshot);
    },
    forget: () => {
      draft.forget(ownerOfRelated(cluster, record));
      return Promise.resolve();
    },
  };
}

async function makeInKcp(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
  if ((await getIfExists<KubeObject>(client, namespaces, { name: namespace }, { signal })) === undefined)
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
}
