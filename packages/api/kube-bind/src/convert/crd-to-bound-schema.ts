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
  /** With `Namespaced`, a namespaced resource is offered as a cluster-scoped one. */
  readonly isolation: Isolation;
}

/**
 * A BoundSchema out of a CRD, or of anything whose spec is shaped like one (spec/kube-bind-api.md §8.1, kube-bind-backend.md §8.2–8.3): fields
 * that both have are taken over as they are, schemas untouched and with their wrapper; of the metadata nothing.
 * The hash annotation and an owner are the caller's to add.
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

/** The spec alone, for comparing with an existing BoundSchema. */
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
