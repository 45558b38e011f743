import { FakeClock } from '@hawser/clock';
import type { APIServiceBinding } from '@hawser/kube-bind';
import { createMetrics } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';

import { createBindingPolicies } from './binding-policies.js';

const binding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'databases', uid: 'u' },
} as APIServiceBinding;

it('count the copies whose deletion is held, as long as the binding is served', async () => {
  const metrics = createMetrics();
  const policies = createBindingPolicies({
    orphans: { policy: 'Delete', deletionsPerMinute: 2 },
    clock: new FakeClock(),
    metrics,
    secrets: () => [],
    changed: () => undefined,
  });
  const held = async (): Promise<string | undefined> =>
    /^hawser_sync_deletions_held\{binding="databases"\} (\d+)$/mu.exec((await metrics.expose()).body)?.[1];
  const budget = policies.budget(binding);
  for (const name of ['one', 'two']) budget.waits(name, `u-${name}`);
  expect(await held()).toBe('0');
  budget.waits('three', 'u-three');
  expect(await held()).toBe('3');
  for (const name of ['one', 'two', 'three']) budget.withdraw(name);
  expect(await held()).toBe('0');
  policies.forget('databases');
  budget.waits('late', 'u-late');
  expect(await held()).toBeUndefined();
});
