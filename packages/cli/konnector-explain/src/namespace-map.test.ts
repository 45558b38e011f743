import type { Client, OwnerReference } from '@hawser/client';
import { type APIServiceNamespace, hawserAnnotations, kubeBindDialect } from '@hawser/kube-bind';
import { expect, it } from '@jest/globals';

import { namespaceMap, readNamespace } from './namespace-map.js';
import { type PlannedWrite, previewClient } from './preview-client.js';

const owner = (uid: string): OwnerReference => ({
  apiVersion: kubeBindDialect.apiVersion,
  kind: 'APIServiceExport',
  name: uid,
  uid,
});
const request = (
  name: string,
  owners: readonly string[],
  assigned: string | undefined,
  annotations = {},
): APIServiceNamespace => ({
  apiVersion: kubeBindDialect.apiVersion,
  kind: 'APIServiceNamespace',
  metadata: {
    name,
    namespace: 'cluster-x',
    uid: `u-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations,
    ownerReferences: owners.map(owner),
  },
  ...(assigned === undefined ? {} : { status: { namespace: assigned } }),
});
const ours = { [hawserAnnotations.consumerIdentity]: 'cc' };

function opened() {
  const writes: PlannedWrite[] = [];
  const serviceNamespaces = [
    request('shared', ['one'], 'cluster-x-shared', ours),
    request('theirs', ['one'], 'cluster-x-theirs'),
    request('waits', ['two'], undefined, ours),
  ];
  const identities = { provider: 'pp', consumer: 'cc' };
  const client = previewClient({ name: 'provider' } as Client, {
    side: 'provider',
    known: (asked, key) => readNamespace({ serviceNamespaces }, asked, key),
    planned: (write) => {
      writes.push(write);
    },
    dryRun: false,
  });
  return {
    writes,
    map: namespaceMap(client, { clusterNamespace: 'cluster-x', serviceNamespaces, identities }, kubeBindDialect, () =>
      Date.parse('2026-01-01T01:00:00Z'),
    ),
  };
}

it('knows of each namespace what the konnector knows', () => {
  const { map } = opened();
  expect([
    map.toProvider('shared'),
    map.toConsumer('cluster-x-theirs'),
    map.toProvider('waits'),
    map.toProvider('other'),
  ]).toEqual(['cluster-x-shared', 'theirs', undefined, undefined]);
  expect(map.assigned()).toEqual([
    { consumer: 'shared', provider: 'cluster-x-shared' },
    { consumer: 'theirs', provider: 'cluster-x-theirs' },
  ]);
  expect([map.pendingSince('waits'), map.pendingSince('shared')]).toEqual([
    Date.parse('2026-01-01T00:00:00Z'),
    undefined,
  ]);
});

it('plans that an export becomes an owner of the namespace that it uses, as the konnector does', async () => {
  const { map, writes } = opened();
  const two = owner('two');
  expect([map.unshared('shared', two), map.unshared('theirs', two), map.unshared('waits', two)]).toEqual([
    'ours',
    'foreign',
    undefined,
  ]);
  await map.share('shared', two, AbortSignal.timeout(1_000));
  expect(writes).toMatchObject([
    {
      verb: 'patch',
      key: { namespace: 'cluster-x', name: 'shared' },
      after: { metadata: { ownerReferences: [owner('one'), two] } },
    },
  ]);
  expect(map.toProvider('shared')).toBe('cluster-x-shared');
});

it('plans a request that says which cluster it is from', async () => {
  const { map, writes } = opened();
  expect(await map.ensure('other', owner('two'), AbortSignal.timeout(1_000))).toBe('pending');
  expect(writes).toMatchObject([{ verb: 'create', after: { metadata: { name: 'other', annotations: ours } } }]);
});
