import { boundSchemaSpecOf } from '@hawser/klutch';
import { type CustomResourceDefinition, schemaHash } from '@hawser/kube-bind';
import { type SchemaStamper, servedVersionsOf, type SourceSchema, servingOf, type Stamp } from '../source-schema.js';
import { createInlineSources, type InlineSource } from './inline-source.js';

/** Stamps CRDs for exports that carry them, in the form of a BoundSchema, with the hash that konnectors report. */
export function createInlineStamper(): SchemaStamper {
  const sourceOf = createInlineSources();
  // Cached objects are replaced when they change, so their identity is a version.
  const known = new WeakMap<InlineSource, Map<string, SourceSchema>>();
  return {
    stamp(crd, stamp) {
      const source = sourceOf(crd);
      if (source.kind === 'unusable') return source;
      const perScope = known.get(source) ?? new Map<string, SourceSchema>();
      known.set(source, perScope);
      const schema = perScope.get(stamp.informerScope) ?? stamped(crd, source, stamp);
      perScope.set(stamp.informerScope, schema);
      return schema;
    },
  };
}

function stamped(
  crd: CustomResourceDefinition,
  { spec }: Extract<InlineSource, { kind: 'offered' }>,
  { informerScope }: Stamp,
): SourceSchema {
  const bound = boundSchemaSpecOf({
    apiVersion: crd.apiVersion,
    kind: crd.kind,
    metadata: crd.metadata,
    spec: { ...spec, informerScope },
  });
  return {
    kind: 'offered',
    scope: crd.spec.scope,
    serving: servingOf(crd),
    servedVersions: servedVersionsOf(crd),
    spec: bound,
    hash: schemaHash(bound),
  };
}
