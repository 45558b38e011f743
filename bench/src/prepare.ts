import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';

import { spawnHawser } from './hawser.js';
import type { Installation } from './installation.js';
import { sample } from './sample.js';
import { startProvider } from './subject.js';

/** On a slow machine, with many bindings. */
const WITHIN = { timeoutMs: 300_000, intervalMs: 250 };

/**
 * Binds once with the real konnector and provider: every measurement then finds the same installation, with only
 * objects left to sync.
 */
export async function prepare(installation: Installation, root: string): Promise<void> {
  const {
    targets,
    target: { consumerNamespace, providerNamespace },
    consumer,
  } = installation;
  const provider = installation.dialect.name === 'v1' ? startProvider(installation.folder, root) : undefined;
  const konnector = await spawnHawser(installation, root);
  for (const target of targets) {
    await eventually(() => consumer.list(target.resource, { limit: 1 }), WITHIN);
    await consumer.create(target.resource, sample(target.resource, consumerNamespace, 'first'));
    await eventually(
      () => target.provider.get(target.resource, { namespace: target.providerNamespace, name: 'first' }),
      WITHIN,
    );
    await consumer.delete(target.resource, { namespace: consumerNamespace, name: 'first' });
    await eventually(
      async () => (await consumer.list(target.resource, { namespace: consumerNamespace })).items.length === 0,
      WITHIN,
    );
  }
  await Promise.all([provider?.stop(), konnector.stop()]);
  writeFileSync(
    join(installation.folder, 'reference.json'),
    JSON.stringify({
      consumer: installation.planes.consumer.connection,
      provider: installation.planes.provider.connection,
      dialect: installation.dialect.name,
      clusterNamespace: installation.clusterNamespace,
      clusterUID: (await consumer.get(resources.namespaces, { name: 'kube-system' })).metadata.uid ?? '',
      consumerNamespace,
      providerNamespace,
    }),
    { mode: 0o600 },
  );
}
