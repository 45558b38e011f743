import type { CustomResourceDefinition } from '@hawser/crd';
import { compareBytes } from '@hawser/json';
import type { ExportedAPI } from './kinds/connection.js';

/**
 * The APIs that a provider offers: CRDs with its label `core.kbind.io/exported` that serve a version (spec/kbind-v2.md
 * §11.2). Sorted by name. Leaves out groups that no provider may bring to a consumer.
 */
export function exportedAPIs(
  crds: readonly CustomResourceDefinition[],
  isRefused: (group: string) => boolean,
): readonly ExportedAPI[] {
  return crds
    .flatMap(({ metadata, spec }) => {
      const versions = [...new Set(spec.versions.filter(({ served }) => served).map(({ name }) => name))];
      if (versions.length === 0 || isRefused(spec.group)) return [];
      return [{ name: metadata.name, group: spec.group, resource: spec.names.plural, scope: spec.scope, versions }];
    })
    .sort((a, b) => compareBytes(a.name, b.name));
}
