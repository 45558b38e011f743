import { consumerStates } from '@hawser/consumer-states';
import type { BindingReport } from '@hawser/konnector-explain';
import { plain } from '@hawser/preview';
import { expect, it } from '@jest/globals';

import { consumersTable, shown } from './bindings.js';

const report: BindingReport = {
  kind: 'APIServiceBinding',
  name: 'shop',
  standing: 'held',
  findings: [{ reason: 'KubeconfigSecretInvalid', message: 'It is refused.', actor: 'consumer' }],
  secret: 'kube-bind/kubeconfig',
  resources: [],
  claims: [],
  claimed: [],
  writes: [],
};
const connection = { server: 'https://provider', clusterNamespace: 'kube-bind-x', alive: false };

it('does not say that there never was a contact, or that there are no objects, where the provider cannot be asked', () => {
  expect(shown([report], 0, 'table')).toMatch(/^shop +held +- +unknown +- +unknown +KubeconfigSecretInvalid$/mu);
  expect(shown([{ ...report, connection: { ...connection, isSilent: true } }], 0, 'table')).toMatch(
    /^shop +held +https:\/\/provider kube-bind-x +unknown +- +unknown +KubeconfigSecretInvalid$/mu,
  );
  expect(shown([{ ...report, connection }], 0, 'table')).toMatch(
    /^shop +held +https:\/\/provider kube-bind-x +never +- +0\/0 +KubeconfigSecretInvalid$/mu,
  );
});

it('says why a binding is held where only an object is', () => {
  const held = {
    kind: 'Database',
    object: 'a/b',
    copy: undefined,
    writes: [],
    standing: 'held' as const,
    finding: { reason: 'Orphaned', message: 'The copy is kept.', actor: 'consumer' as const },
  };
  const resource = {
    name: 'databases.example.com',
    names: undefined,
    version: 'v1',
    standing: 'held' as const,
    objects: [{ ...held, standing: 'inStep' as const, finding: { ...held.finding, reason: 'Rewritten' } }, held],
  };
  expect(shown([{ ...report, findings: [], connection, resources: [resource] }], 0, 'table')).toMatch(
    / 1\/2 +Orphaned$/mu,
  );
});

it('calls no consumer healthy that has stopped reporting, whatever its condition says', () => {
  const now = Date.UTC(2026, 4, 1, 12);
  const time = '2026-05-01T10:00:00Z';
  const clusterBinding = {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'ClusterBinding',
    metadata: { namespace: 'kube-bind-x', name: 'cluster' },
    spec: { providerPrettyName: 'p', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
    status: {
      lastHeartbeatTime: time,
      heartbeatInterval: '5m0s',
      conditions: [{ type: 'Healthy', status: 'True', lastTransitionTime: time }],
    },
  } as const;
  const consumer = {
    dialect: 'kube-bind',
    namespace: 'kube-bind-x',
    cluster: { identity: 'uid', prettyName: 'Acme' },
    owner: '',
    namespaceObject: undefined,
    clusterBinding,
  } as const;
  const states = consumerStates({ consumers: [{ consumer, bindings: [] }], offers: [] }, { version: 'v1.0.0', now });
  expect(consumersTable(states, now, plain)).toMatch(
    /^kube-bind-x +kube-bind +Acme +silent +2h +- +- +- +HeartbeatTimeout: The konnector has stopped reporting/mu,
  );
});
