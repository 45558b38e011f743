import type { Client } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import { createExportController, createExportRequestController, createTemplateController } from '@hawser/exportrequest';
import { createExportRbac } from '@hawser/exportrbac';
import { installCRDs, providerCRDs } from '@hawser/kube-bind';
import { createPropagationController } from '@hawser/propagation';
import { createConsumerLimitsController, createServiceNamespaceController } from '@hawser/servicenamespace';

import { clientOf } from './client-of.js';
import { clusterOf } from './cluster-of.js';
import type { Config } from './config.js';
import { consumerControllers } from './consumer-controllers.js';
import { consumerEndpoint } from './consumer-endpoint.js';
import { createElected } from './elected.js';
import { electedRole } from './elected-role.js';
import { ownConnection } from './own-connection.js';
import { persistently } from './persistently.js';
import type { ProcessContext } from './process-context.js';
import type { RunningRole } from './role.js';
import { until } from './until.js';

/** The provider: onboards consumers, answers export requests, assigns namespaces, and gives rights. */
export async function createProviderRole(config: Config['provider'], context: ProcessContext): Promise<RunningRole> {
  const connection = await ownConnection(config, context);
  const client = clientOf('provider', connection, 'provider', context, config.limits);
  const leaseClient = config.limits.qps === undefined ? client : clientOf('provider', connection, 'provider', context);
  const endpoint = consumerEndpoint(config, connection);
  let working = false;
  const work = async (guarded: Client, signal: AbortSignal): Promise<void> => {
    const provider = clusterOf('provider', guarded, 'hawser-provider', context);
    const { informerScope, isolation, requestAdmission, schemaPolicy, sharedClusterScope, consumerLimits, bounds } = config;
    const rbac = createExportRbac({ sharedClusterScope });
    const controllers: readonly Controller<'provider'>[] = [
      rbac.controller,
      createServiceNamespaceController({ isolation, rights: rbac.rights, namespacesPerConsumer: bounds.namespacesPerConsumer }),
      createExportRequestController({ informerScope, isolation, admission: requestAdmission, carriesSchemas: false, ...bounds }),
      createTemplateController({ informerScope, isolation }),
      createExportController(),
      createPropagationController({ schemaPolicy }),
      ...consumerControllers(config, endpoint),
      ...(Object.keys(consumerLimits).length === 0 ? [] : [createConsumerLimitsController(consumerLimits)]),
    ];
    try {
      await installCRDs(guarded, providerCRDs, { clock: context.clock, random: context.random, logger: context.logger, signal });
      await Promise.all(controllers.map((controller) =>
        controller.start({ clusters: { provider: provider.cluster }, logger: context.logger.child({ controller: controller.name }), metrics: context.metrics, clock: context.clock, random: context.random, signal })));
      working = true;
      context.logger.info('provider works');
      await until(signal);
    } finally {
      working = false;
      await Promise.all(controllers.map((controller) => controller.stop()));
      await provider.close();
    }
  };
  const elected = createElected({ lease: config.lease, defaultName: 'hawser-provider', client, leaseClient, context, work: persistently(work, context) });
  return electedRole({ name: 'provider', elected, clients: [client, leaseClient], working: () => working });
}
