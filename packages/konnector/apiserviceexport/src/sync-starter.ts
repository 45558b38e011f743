import type { OwnerReference } from '@hawser/client';
import type { ControllerContext } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type APIServiceBinding, type APIServiceExport, resources } from '@hawser/kube-bind';
import {
  type ServiceNamespaces,
  type Sync,
  type SyncOptions,
  type WriterShares,
  createDeletionProver,
  createSync,
} from '@hawser/konnector-sync';

import type { BindingPolicies } from './binding-policies.js';
import type { ConnectionIdentities } from './connection-identities.js';
import type { APIServiceExportOptions } from './export-controller.js';
import { heldSchemaOf } from './held-schema.js';
import type { SyncConfig } from './plan-syncs.js';

/** Shared by the syncs of a connection. */
export interface SyncStarterContext {
  readonly ctx: ControllerContext<'consumer' | 'provider'>;
  readonly options: APIServiceExportOptions;
  readonly exports: InformerHandle<APIServiceExport>;
  readonly bindings: InformerHandle<APIServiceBinding>;
  readonly namespaces: ServiceNamespaces;
  readonly writers: WriterShares;
  readonly policies: BindingPolicies;
  readonly identities: ConnectionIdentities;
  /** Called when the problems of a sync change. */
  readonly problemsChanged: (config: SyncConfig) => void;
}

/** Creates the syncs of a connection. */
export class SyncStarter {
  readonly #context: SyncStarterContext;

  constructor(context: SyncStarterContext) {
    this.#context = context;
  }

  start(config: SyncConfig): Sync {
    const { ctx, options, exports, bindings, namespaces, writers, policies, identities, problemsChanged } =
      this.#context;
    const {
      clock,
      random,
      logger,
      metrics,
      clusters: { consumer, provider },
    } = ctx;
    const { apiVersion } = options.dialect;
    const namespace = options.connection.clusterNamespace;
    const serving = bindings.get(config.bindingName);
    const exportOwner: OwnerReference = {
      apiVersion,
      kind: 'APIServiceExport',
      name: config.exportName,
      uid: config.exportUid,
    };
    const binding = { apiVersion, name: config.bindingName, uid: config.bindingUid };
    const prover = createDeletionProver({
      consumer: consumer.client,
      bindings: resources.apiServiceBindings,
      customResourceDefinitions: resources.customResourceDefinitions,
      binding,
      crdName: config.crdName,
    });
    return createSync({
      name: config.bindingName,
      resource: { group: config.group, version: config.version, resource: config.plural },
      settings: this.#settingsOf(config, serving),
      heldSchema: () =>
        heldSchemaOf(
          config.crdName,
          exports.get({ namespace, name: config.exportName }),
          bindings.get(config.bindingName),
        ),
      deletions: serving === undefined ? undefined : policies.budget(serving),
      informerScope: config.informerScope,
      consumer,
      provider,
      namespaces,
      exportOwner,
      prove: () => prover.prove(),
      confirmProvider: identities.confirmProvider,
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
      writers,
      clock,
      random,
      logger,
      metrics,
      onProblems: () => {
        problemsChanged(config);
      },
    });
  }

  #settingsOf(config: SyncConfig, serving: APIServiceBinding | undefined): SyncOptions['settings'] {
    const { options, policies, identities } = this.#context;
    const identity = identities.known;
    const made = Date.parse(serving?.metadata.creationTimestamp ?? '');
    return {
      dialect: options.dialect,
      binding: config.bindingName,
      adoptsFromProvider: options.adoptsFromProvider,
      isolation: config.isolation,
      clusterNamespace: options.connection.clusterNamespace,
      clusterNamespaceUid: identity.clusterNamespaceUid,
      consumerCluster: identity.consumerCluster,
      statusSubresource: config.statusSubresource,
      namespaceGraceMs: options.namespaceGraceMs,
      policy: serving === undefined ? undefined : policies.read(serving).policy,
      boundSince: Number.isNaN(made) ? undefined : made,
      orphanGraceMs: policies.orphans.graceMs,
      contestedAfter: options.contestedAfter,
    };
  }
}
