import type { Resource, UnstructuredObject } from '@hawser/client';
import { databases } from '@hawser/installation';

export const resource: Resource = { group: databases.group, version: 'v1', resource: databases.plural };
/** Resource of the raw ceiling: the same objects without a sync. */
export const rawResource: Resource = { group: 'raw.example.com', version: 'v1', resource: databases.plural };

/** Resource of the reference: the same objects. */
export const referenceResource: Resource = {
  group: 'reference.example.com',
  version: 'v1',
  resource: databases.plural,
};

/** An object of 2.5 kB as JSON, as a user would send it. */
export function sample(of: Resource, namespace: string, name: string): UnstructuredObject {
  const entries: [string, unknown][] = Array.from({ length: 24 }, (_, index) => [
    `parameter-${index}`,
    { value: `value-${name}-${'x'.repeat(24)}-${index}`, weight: index, enabled: index % 2 === 0 },
  ]);
  return {
    apiVersion: `${of.group}/${of.version}`,
    kind: databases.kind,
    metadata: { name, namespace, labels: { app: 'bench', tier: 'gold' } },
    spec: { size: 'small', replicas: 3, parameters: Object.fromEntries(entries) },
  };
}

/** A status of a few hundred bytes. */
export function sampleStatus(name: string): Record<string, unknown> {
  return {
    phase: 'Ready',
    endpoint: `${name}.databases.example.com:5432`,
    conditions: ['Ready', 'Provisioned', 'BackedUp'].map((type) => ({
      type,
      status: 'True',
      reason: 'AsExpected',
      message: 'everything is as it should be',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  };
}
