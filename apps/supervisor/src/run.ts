import type { Config } from './config.js';
import { type HealthServer, startHealthServer } from './health-server.js';
import { createKonnectorRole } from './konnector-role.js';
import type { ProcessContext } from './process-context.js';
import { createProviderRole } from './provider-role.js';
import type { RunningRole } from './role.js';

/** Runs the configured roles until `signal` aborts. Rejects if one cannot even be set up, as with a kubeconfig that is not one. */
export async function run(config: Config, context: ProcessContext, signal: AbortSignal): Promise<void> {
  const roles: RunningRole[] = [];
  for (const role of config.roles) {
    switch (role) {
      case 'konnector':
        roles.push(await createKonnectorRole(config.konnector, context));
        break;
      case 'provider':
        roles.push(await createProviderRole(config.provider, context));
        break;
    }
  }
  const source = { checks: () => roles.flatMap((role) => role.checks()), ready: () => roles.every((role) => role.ready()) };
  const health: HealthServer | undefined = config.serverAddress === '' ? undefined : await startHealthServer(config.serverAddress, source, context.metrics);
  context.logger.info('started', { roles: config.roles, version: context.version, ...(health === undefined ? {} : { health: health.address }) });
  try {
    await Promise.all(roles.map((role) => role.run(signal)));
  } finally {
    await health?.close();
  }
}
