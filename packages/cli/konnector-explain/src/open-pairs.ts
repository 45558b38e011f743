import { type SyncConfig, heldSchemaOf } from '@hawser/apiserviceexport';
import { resources } from '@hawser/kube-bind';
import { createDeletionProver, readBindingPolicy } from '@hawser/konnector-sync';

import type { BindingView, ProviderView } from './binding-view.js';
import type { ExplainContext } from './context.js';
import { namespaceMap, readNamespace } from './namespace-map.js';
import { type Pairs, createPairs } from './pairs.js';

/** The objects of one resource of a binding, as the sync of that configuration would see them. */
export function openPairs(
  context: ExplainContext,
  { binding, secret, export: apiExport }: Pick<BindingView, 'binding' | 'secret' | 'export'>,
  provider: ProviderView,
  config: SyncConfig,
): Pairs {
  const { consumer, dialect, signal } = context;
  const owner = { apiVersion: dialect.apiVersion, name: config.bindingName, uid: config.bindingUid };
  const prover = createDeletionProver({
    consumer,
    bindings: resources.apiServiceBindings,
    customResourceDefinitions: resources.customResourceDefinitions,
    binding: owner,
    crdName: config.crdName,
  });
  return createPairs({
    resource: { group: config.group, version: config.version, resource: config.plural },
    settings: {
      dialect,
      binding: config.bindingName,
      adoptsFromProvider: context.adoptsFromProvider,
      isolation: config.isolation,
      clusterNamespace: provider.clusterNamespace,
      clusterNamespaceUid: provider.identities.provider ?? '',
      consumerCluster: provider.identities.consumer ?? '',
      statusSubresource: config.statusSubresource,
      policy: readBindingPolicy({ binding: binding.metadata, secrets: [secret], orphans: context.orphans }).policy,
      boundSince: Date.parse(binding.metadata.creationTimestamp ?? '') || undefined,
    },
    heldSchema: heldSchemaOf(config.crdName, apiExport, binding),
    everywhere: config.informerScope === 'Cluster',
    consumer,
    provider: provider.client,
    namespaces: (client) => namespaceMap(client, provider, dialect, () => context.now()),
    read: (asked, key) => readNamespace(provider, asked, key),
    exportOwner: {
      apiVersion: dialect.apiVersion,
      kind: 'APIServiceExport',
      name: config.exportName,
      uid: config.exportUid,
    },
    prove: () => prover.prove(),
    now: () => context.now(),
    signal,
  });
}
