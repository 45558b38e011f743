import { createAppClusterBindingController } from '@hawser/appclusterbinding';
import type { Client } from '@hawser/client';
import { createClusterBindingHealthController } from '@hawser/clusters';
import type { Controller } from '@hawser/controller';
import { createCredentialsController, type Endpoint } from '@hawser/credentials';
import {
  createCollectionController,
  createExportController,
  createExportRequestController,
  createInlineExportControllers,
  createTemplateController,
} from '@hawser/exportrequest';
import { type ClusterReads, createExportRbac } from '@hawser/exportrbac';
import {
  controlPlaneCRDs,
  installCRDs as installKlutchCRDs,
  klutchDialect,
  providerCRDs as klutchCRDs,
} from '@hawser/klutch';
import { type Dialect, installCRDs, type InstallOptions, kubeBindDialect, providerCRDs } from '@hawser/kube-bind';
import { createConsumerAccessController } from '@hawser/onboarding';
import { createPropagationController } from '@hawser/propagation';
import { createServiceNamespaceController } from '@hawser/servicenamespace';
import { type WithdrawnObjectsOptions, createWithdrawnObjectsController } from '@hawser/withdrawnobjects';

import type { Config } from '@hawser/config';
import { consumerControllers, credentialTimes } from './consumer-controllers.js';

/** The provider role's controllers for consumers of one dialect. */
export interface SpokenDialect {
  readonly controllers: readonly Controller<'provider'>[];
  /** Ensures that the CRDs exist before anything starts. */
  install(client: Client, options: InstallOptions): Promise<unknown>;
}

/** @param endpoint how consumers reach the provider. */
export function spokenDialect(
  name: Dialect['name'],
  config: Config['provider'],
  endpoint: () => Endpoint,
): SpokenDialect {
  switch (name) {
    case 'kube-bind':
      return kubeBind(config, endpoint);
    case 'klutch':
      return klutch(config, endpoint);
  }
}

function clusterReadsOf({ gateway, sharedClusterScope }: Config['provider']): ClusterReads {
  if (gateway !== undefined) return 'gateway';
  return sharedClusterScope ? 'shared' : 'refused';
}

function withdrawalsOf({ withdrawnObjects }: Config['provider']): Omit<WithdrawnObjectsOptions, 'dialect'> {
  const { policy, deletionsPerMinute, graceSeconds } = withdrawnObjects;
  return { policy, deletionsPerMinute, graceMs: graceSeconds * 1_000 };
}

function kubeBind(config: Config['provider'], endpoint: () => Endpoint): SpokenDialect {
  const {
    informerScope,
    isolation,
    requestAdmission: admission,
    schemaPolicy,
    bounds,
    consumerNamespaces,
    namespacePrefix,
  } = config;
  const { namespacesPerConsumer } = bounds;
  const dialect = kubeBindDialect;
  const rbac = createExportRbac({ dialect, clusterReads: clusterReadsOf(config) });
  return {
    controllers: [
      rbac.controller,
      createServiceNamespaceController({
        dialect,
        isolation,
        rights: rbac.rights,
        namespacesPerConsumer,
        consumerNamespaces,
        ownPrefixes: [namespacePrefix],
      }),
      createExportRequestController({ informerScope, isolation, admission, carriesSchemas: false, ...bounds }),
      createTemplateController({ informerScope, isolation, admission }),
      createCollectionController(),
      createExportController({ admission }),
      createPropagationController({ dialect, schemaPolicy }),
      createWithdrawnObjectsController({ ...withdrawalsOf(config), dialect }),
      ...consumerControllers(config, endpoint),
    ],
    install: (client, options) => installCRDs(client, providerCRDs, options),
  };
}

function klutch(config: Config['provider'], endpoint: () => Endpoint): SpokenDialect {
  const { informerScope, requestAdmission: admission, schemaPolicy, bounds, controlPlaneMode } = config;
  const { namespacesPerConsumer } = bounds;
  const dialect = klutchDialect;
  const rbac = createExportRbac({ dialect, clusterReads: clusterReadsOf(config) });
  return {
    controllers: [
      rbac.controller,
      // Prefixed: Klutch knows no other namespaces, and other names of cluster-scoped objects do not work.
      createServiceNamespaceController({
        dialect,
        isolation: 'Prefixed',
        rights: rbac.rights,
        namespacesPerConsumer,
      }),
      ...createInlineExportControllers({ informerScope, admission }),
      createPropagationController({ dialect, schemaPolicy }),
      createWithdrawnObjectsController({ ...withdrawalsOf(config), dialect }),
      createClusterBindingHealthController({ dialect }),
      createConsumerAccessController({ dialect }),
      createCredentialsController({ dialect, endpoint, ...credentialTimes(config) }),
      ...(controlPlaneMode.enabled
        ? [
            createAppClusterBindingController({
              konnectorImage: controlPlaneMode.konnectorImage === '' ? undefined : controlPlaneMode.konnectorImage,
              prettyName: config.prettyName,
            }),
          ]
        : []),
    ],
    install: (client, options) =>
      installKlutchCRDs(client, controlPlaneMode.enabled ? [...klutchCRDs, ...controlPlaneCRDs] : klutchCRDs, options),
  };
}
