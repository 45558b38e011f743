import type { Client } from '@hawser/client';
import { exportHash, inlineSpecFromBoundSchema } from '@hawser/klutch';
import { type BoundSchema, type BoundSchemaSpec, type Dialect, hawserAnnotations, resources } from '@hawser/kube-bind';
import { hashOf, type WantedSchema } from './assess.js';
import { encodeSnapshot } from './snapshot.js';

const fieldManager = 'hawser-propagation';

/** A snapshot is the same for every consumer, and costs more than the rest. */
export type Snapshots = (hash: string, spec: BoundSchemaSpec) => string;

export function createSnapshots(): Snapshots {
  const known = new Map<string, string>();
  return (hash, spec) => {
    const text = known.get(hash) ?? encodeSnapshot(hash, spec);
    if (known.size > 32) known.clear();
    known.set(hash, text);
    return text;
  };
}

/**
 * The one write that changes what a consumer gets: the whole spec, so that what the CRD no longer says goes, with the schema before it kept beside. Refused if the BoundSchema
 * is not the one that was decided about. The annotation of the export, which makes konnectors look, follows from it (`createExportController`).
 */
export function replaceSchema(
  client: Client,
  dialect: Dialect,
  boundSchema: BoundSchema & { readonly spec: BoundSchemaSpec },
  wanted: WantedSchema,
  snapshots: Snapshots,
  signal: AbortSignal,
): Promise<BoundSchema> {
  const { namespace, name, uid, resourceVersion, annotations: current } = boundSchema.metadata;
  const { operations, hash } = replacement(dialect, wanted);
  const annotations = {
    ...current,
    [dialect.annotations.sourceSpecHash]: hash,
    [hawserAnnotations.previousSchema]: snapshots(hashOf(boundSchema), boundSchema.spec),
  };
  return client.patch<BoundSchema>(
    resources.boundSchemas,
    { namespace, name },
    {
      type: 'json',
      operations: [
        { op: 'test', path: '/metadata/uid', value: uid },
        // Unlike a test, this makes a change in between a conflict, which is tried again.
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/metadata/annotations', value: annotations },
        ...operations,
      ],
    },
    { fieldManager, signal },
  );
}

/** What says the schema, and the hash that goes with it. An export that carries its schema says more than that in its spec; group and scope are never others. */
function replacement(
  { schema }: Dialect,
  { spec, hash }: WantedSchema,
): { readonly operations: readonly object[]; readonly hash: string } {
  if (schema === 'BoundSchemas') return { operations: [{ op: 'add', path: '/spec', value: spec }], hash };
  const inline = inlineSpecFromBoundSchema(`${spec.names.plural}.${spec.group}`, spec);
  return {
    operations: [
      { op: 'add', path: '/spec/names', value: inline.names },
      { op: 'add', path: '/spec/versions', value: inline.versions },
    ],
    hash: exportHash(inline),
  };
}
