import type { EventMessage } from '@hawser/telemetry';
import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedClaims, openEmbeddedClaims } from './testing/embedded-claims.js';

let claims: EmbeddedClaims;
afterEach(() => claims.close());

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const lease = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'team', name, labels: { app: 'db', ...labels } },
  spec: {},
});

it('says that an object has an Event only where it has got one: before the first read, the kind of a claimed resource may not be known', async () => {
  const events: EventMessage[] = [];
  claims = await openEmbeddedClaims('test-cluster', leases, events);
  await claims.clients.consumer.create(leases, lease('undecided', { 'kube-bind.io/owner': 'provider' }));
  await claims.pass(500);
  await claims.clients.consumer.create(leases, lease('other'));
  await claims.pass(200);
  claims.sync.recheckNamespaces('team');
  await claims.pass(200);
  expect(claims.sync.problems('b')).toMatchObject([{ reason: 'ClaimedObjectUndecided', hasEvent: false }]);
  expect(events).toEqual([]);
});
