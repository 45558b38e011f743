import type { KubeObject } from '@hawser/client';
import { apiVersion } from '../group.js';
import { boundSchemaSpec, type BoundSchema, type BoundSchemaSpec } from '../kinds/bound-schema.js';
import type { InformerScope, Isolation } from '../kinds/shared.js';
import { isRecord, prune, validateValue } from '@hawser/crd';
import { ConversionError } from './conversion-error.js';

export interface BoundSchemaOptions {
  /** {@link resourceGroupName} of the resource entry. */
  readonly name: string;
  /** The cluster namespace. */
  readonly namespace: string;
  readonly informerScope: InformerScope;
  /** With `Namespaced`, offers a namespaced resource as cluster-scoped. */
  readonly isolation: Isolation;
}

/**
 * Builds a BoundSchema from a CRD, or from anything with a spec of that shape (spec/kube-bind-api.md §8.1,
 * kube-bind-backend.md §8.2–8.3). Copies common fields, schemas untouched and with their wrapper; copies no metadata.
 * The caller adds the hash annotation and an owner.
 * @throws {ConversionError} if the API server would refuse the result.
 */
export function boundSchemaFromCRD(
  source: KubeObject & { readonly spec?: unknown },
  options: BoundSchemaOptions,
): BoundSchema {
  return {
    apiVersion,
    kind: 'BoundSchema',
    metadata: { name: options.name, namespace: options.namespace },
    spec: boundSchemaSpecFromCRD(source, options),
  };
}

/** The spec alone, to compare with an existing BoundSchema. */
export function boundSchemaSpecFromCRD(
  source: KubeObject & { readonly spec?: unknown },
  options: Pick<BoundSchemaOptions, 'informerScope' | 'isolation'>,
): BoundSchemaSpec {
  const offered = isRecord(source.spec) ? source.spec : {};
  const scope = options.isolation === 'Namespaced' && offered['scope'] === 'Namespaced' ? 'Cluster' : offered['scope'];
  const spec = prune(boundSchemaSpec.node, { ...offered, scope, informerScope: options.informerScope });
  const problems = validateValue(boundSchemaSpec.node, spec, 'spec');
  if (problems.length > 0) throw new ConversionError(`${source.kind} ${source.metadata.name}`, problems);
  return spec as BoundSchemaSpec;
}
