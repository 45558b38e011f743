import type { BindingReport } from '@hawser/konnector-explain';
import { expect, it } from '@jest/globals';

import { shown } from './bindings.js';

const report: BindingReport = {
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
