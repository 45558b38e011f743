import {
  createClusterBindingHealthController,
  createClusterController,
  createOtherBackendController,
} from '@hawser/clusters';
import type { Controller } from '@hawser/controller';
import { type Endpoint, createCredentialsController } from '@hawser/credentials';
import { isClusterNamespace, isServiceNamespace } from '@hawser/klutch';
import { kubeBindDialect } from '@hawser/kube-bind';
import { createAnswerController, createConsumerAccessController, createOnboardingController } from '@hawser/onboarding';

import type { Config } from '@hawser/config';

/** Controllers for consumers as such, whatever they bind: identity, access and health. */
export function consumerControllers(
  config: Config['provider'],
  endpoint: () => Endpoint,
): readonly Controller<'provider'>[] {
  const { namespacePrefix, prettyName, requestNamespaces } = config;
  const dialect = kubeBindDialect;
  return [
    createClusterController(),
    createOtherBackendController(),
    createClusterBindingHealthController({ dialect }),
    createConsumerAccessController({ dialect }),
    createCredentialsController({ dialect, endpoint, ...credentialTimes(config) }),
    createOnboardingController({
      namespacePrefix,
      prettyName,
      requestNamespaces,
      isOtherConsumers: (namespace) => isClusterNamespace(namespace) || isServiceNamespace(namespace),
    }),
    createAnswerController({ requestNamespaces }),
  ];
}

export function credentialTimes({ credentials }: Config['provider']): {
  readonly tokenLifeMs: number;
  readonly overlapMs: number;
} {
  return { tokenLifeMs: credentials.lifeSeconds * 1_000, overlapMs: credentials.overlapSeconds * 1_000 };
}
