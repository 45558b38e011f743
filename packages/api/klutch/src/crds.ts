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

/** CRDs of a provider cluster, the catalogue included. */
export const providerCRDs: readonly CustomResourceDefinition[] = [
  ...[apiServiceExportKind, apiServiceExportRequestKind, apiServiceNamespaceKind, clusterBindingKind].map((kind) =>
    crdFromDefinition(apiGroup, kind),
  ),
  crdFromDefinition(catalogueGroup, apiServiceExportTemplateKind),
];

/** The CRD of an app cluster. */
export const consumerCRDs: readonly CustomResourceDefinition[] = [crdFromDefinition(apiGroup, apiServiceBindingKind)];

/**
 * CRDs of a control plane, besides {@link providerCRDs}. Its APIServiceBindings are namespaced, so it cannot also be an
 * app cluster.
 */
export const controlPlaneCRDs: readonly CustomResourceDefinition[] = [appClusterBindingKind, namespacedBindingKind].map(
  (kind) => crdFromDefinition(apiGroup, kind),
);

export type InstallOptions = Omit<Options, 'group'>;

/**
 * `installCRDs` of `@hawser/crd`, for CRDs of Klutch. Does not write a CRD that Klutch installed and that has every
 * field and version of ours.
 */
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
