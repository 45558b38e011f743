import { type KubeObject, isTerminating } from '@hawser/client';
import type { APIServiceExportSpec as InlineExportSpec } from '@hawser/klutch';
import {
  type APIServiceExportSpec,
  type Conditions,
  isWithdrawn,
  type Isolation,
  resourceGroupName,
} from '@hawser/kube-bind';

/** An APIServiceExport of any dialect. */
export interface ExportObject extends KubeObject {
  readonly spec: APIServiceExportSpec | InlineExportSpec;
  readonly status?: { readonly conditions?: Conditions | undefined } | undefined;
}

/** `<plural>.<group>`, the names of CRDs. */
export function resourcesOf({ spec }: ExportObject): readonly string[] {
  if ('names' in spec) return [resourceGroupName({ group: spec.group, resource: spec.names.plural })];
  return spec.resources.map(resourceGroupName);
}

/** How cluster-scoped objects of several consumers are kept apart. */
export function isolationOf({ spec }: ExportObject): Isolation {
  return 'names' in spec ? (spec.clusterScopedIsolation ?? 'Prefixed') : spec.isolation;
}

/** Whether an export has ended, by fields that only the provider can write. */
export function hasEnded(found: ExportObject): boolean {
  return isTerminating(found) || isWithdrawn(found.metadata);
}

/**
 * The resources of one consumer that no export covers: with the ended export, or undefined without one. Pure.
 * @param exports all of one consumer
 * @param offered names of CRDs that the provider exports: which of them a deleted export covered is unknown
 */
export function endedResources(
  exports: readonly ExportObject[],
  offered: Iterable<string>,
): ReadonlyMap<string, ExportObject | undefined> {
  const standing = new Set(exports.filter((one) => !hasEnded(one)).flatMap(resourcesOf));
  const ended = new Map<string, ExportObject | undefined>();
  for (const resource of offered) if (!standing.has(resource)) ended.set(resource, undefined);
  for (const one of exports) {
    if (hasEnded(one)) for (const resource of resourcesOf(one)) if (!standing.has(resource)) ended.set(resource, one);
  }
  return ended;
}
