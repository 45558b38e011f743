import { describe, expect, it } from '@jest/globals';
import type { ConditionStatus, PublishedResource, PublishedResourceStatus } from '@hawser/syncagent-api';
import { withSummary } from './summary.js';

const AT = '2026-01-01T00:00:00Z';
const object = (metadata: object = {}): PublishedResource => ({
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name: 'databases', ...metadata },
  spec: { resource: { apiGroup: 'example.com', kind: 'Database' } },
});
const status = (
  conditions: Readonly<Record<string, ConditionStatus>>,
  resourceSchemaName = 'v1.databases.example.com',
): PublishedResourceStatus => ({
  resourceSchemaName,
  conditions: Object.entries(conditions).map(([type, value]) => ({
    type,
    status: value,
    lastTransitionTime: AT,
    reason: `${type}Reason`,
    message: `${type} message`,
  })),
});
const summary = (
  given: PublishedResourceStatus,
  metadata = {},
): { phase: string | undefined; ready: string; lastError: string | undefined } => {
  const { phase, conditions, lastError } = withSummary(given, object(metadata), Date.parse(AT));
  const ready = conditions?.find(({ type }) => type === 'Ready');
  return { phase, ready: `${ready?.status ?? ''} ${ready?.reason ?? ''}`, lastError: lastError?.reason };
};

describe('the summary of a publication', () => {
  it.each<[string, PublishedResourceStatus, string, string, string | undefined]>([
    ['nothing yet', {}, 'Pending', 'False Pending', undefined],
    ['a schema that no export has', status({ SchemaPublished: 'True' }), 'Pending', 'False Pending', undefined],
    [
      'a schema in the export',
      status({ SchemaPublished: 'True', Exported: 'True' }),
      'Published',
      'True Published',
      undefined,
    ],
    [
      'a running sync',
      status({ SchemaPublished: 'True', Exported: 'True', ObjectsInSync: 'True' }),
      'Syncing',
      'True Published',
      undefined,
    ],
    [
      'objects not in step',
      status({ Exported: 'True', ObjectsInSync: 'False' }),
      'Syncing',
      'False ObjectsInSyncReason',
      'ObjectsInSyncReason',
    ],
    [
      'a held schema',
      status({ Exported: 'True', SchemaUpdateHeld: 'True', ObjectsInSync: 'True' }),
      'Held',
      'True Published',
      undefined,
    ],
    [
      'an export that refuses',
      status({ SchemaPublished: 'True', Exported: 'False' }),
      'Failed',
      'False ExportedReason',
      'ExportedReason',
    ],
    [
      'two troubles: the first to be mended',
      status({ Exported: 'False', Valid: 'False' }),
      'Failed',
      'False ValidReason',
      'ValidReason',
    ],
    [
      'no schema',
      status({ SchemaPublished: 'False' }, ''),
      'Failed',
      'False SchemaPublishedReason',
      'SchemaPublishedReason',
    ],
  ])('%s', (_title, given, phase, ready, lastError) => {
    expect(summary(given)).toEqual({ phase, ready, lastError });
  });

  it('tells that the publication ends', () => {
    expect(summary(status({ Exported: 'True' }), { deletionTimestamp: AT }).phase).toBe('Draining');
  });

  it('does not change by being made again, and forgets an error that is over', () => {
    const once = withSummary(status({ Exported: 'False' }), object(), Date.parse(AT));
    expect(withSummary(once, object(), Date.parse(AT) + 99_000)).toEqual(once);
    const conditions = once.conditions?.map((condition) =>
      condition.type === 'Exported' ? { ...condition, status: 'True' as const } : condition,
    );
    expect(withSummary({ ...once, conditions }, object(), Date.parse(AT)).lastError).toBeUndefined();
  });
});
