import type { Client } from '@hawser/client';
import {
  crdFromDefinition,
  type CustomResourceDefinition,
  installCRDs as install,
  type InstallOptions as Options,
  type InstallOutcome,
} from '@hawser/crd';
import { apiGroup, catalogueGroup } from './group.js';
import { appClusterBindingKind } from './kinds/app-cluster-binding.js';
import { apiServiceExportKind } from './kinds/api-service-export.js';
import { apiServiceExportRequestKind } from './kinds/api-service-export-request.js';
import { apiServiceExportTemplateKind } from './kinds/api-service-export-template.js';
import {
  apiServiceBindingKind,
  apiServiceNamespaceKind,
  clusterBindingKind,
  namespacedBindingKind,
} from './kinds/others.js';

/** The CRDs that a provider cluster needs, the catalogue included. */
export const providerCRDs: readonly CustomResourceDefinition[] = [
  ...[apiServiceExportKind, apiServiceExportRequestKind, apiServiceNamespaceKind, clusterBindingKind].map((kind) =>
    crdFromDefinition(apiGroup, kind),
  ),
  crdFromDefinition(catalogueGroup, apiServiceExportTemplateKind),
];

/** The CRD that an app cluster needs. */
export const consumerCRDs: readonly CustomResourceDefinition[] = [crdFromDefinition(apiGroup, apiServiceBindingKind)];

/** What a control plane needs besides {@link providerCRDs}. Its APIServiceBindings are namespaced, so it cannot be an app cluster as well. */
export const controlPlaneCRDs: readonly CustomResourceDefinition[] = [appClusterBindingKind, namespacedBindingKind].map(
  (kind) => crdFromDefinition(apiGroup, kind),
);

export type InstallOptions = Omit<Options, 'group'>;

/** `installCRDs` of `@hawser/crd`, for CRDs of Klutch. A CRD that Klutch installed, and that has every field and version of ours, is not written. */
export async function installCRDs(
  client: Client,
  crds: readonly CustomResourceDefinition[],
  options: InstallOptions,
): Promise<ReadonlyMap<string, InstallOutcome>> {
  const outcomes = new Map<string, InstallOutcome>();
  for (const group of [apiGroup, catalogueGroup]) {
    const some = crds.filter(({ spec }) => spec.group === group);
    for (const [name, outcome] of await install(client, some, { ...options, group })) outcomes.set(name, outcome);
  }
  return outcomes;
}
