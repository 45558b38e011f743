import type { BindingReport } from '@hawser/konnector-explain';
import { expect, it } from '@jest/globals';

import { shown } from './bindings.js';

const report: BindingReport = { name: 'shop', standing: 'held', findings: [{ reason: 'KubeconfigSecretInvalid', message: 'It is refused.', actor: 'consumer' }], secret: 'kube-bind/kubeconfig', resources: [], claims: [], claimed: [], writes: [] };
const connection = { server: 'https://provider', clusterNamespace: 'kube-bind-x', alive: false };

it('does not say that there never was a contact, or that there are no objects, where the provider cannot be asked', () => {
  expect(shown([report], 0, 'table')).toMatch(/^shop +held +- +unknown +- +unknown +KubeconfigSecretInvalid$/mu);
  expect(shown([{ ...report, connection }], 0, 'table')).toMatch(/^shop +held +https:\/\/provider kube-bind-x +never +- +0\/0 +KubeconfigSecretInvalid$/mu);
});
