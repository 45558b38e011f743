import type { Config } from '@hawser/config';
import { type HealthServer, startHealthServer } from './health-server.js';
import { createProfiler } from './profiler.js';
import type { ProcessContext } from '@hawser/commands';
import type { RunningRole } from './role.js';
import type { RoleMakers } from './role-makers.js';

/**
 * Runs the configured roles until `signal` aborts. Rejects if a role cannot be set up, for example with a malformed
 * kubeconfig.
 */
export async function runRoles(
  config: Config,
  makers: RoleMakers,
  context: ProcessContext,
  signal: AbortSignal,
): Promise<void> {
  const roles: RunningRole[] = [];
  for (const role of config.roles) {
    switch (role) {
      case 'konnector':
        roles.push(await makers.konnector(config.konnector, context));
        break;
      case 'provider':
        roles.push(await makers.provider(config.provider, context));
        break;
      case 'gateway':
        roles.push(await makers.gateway(config.provider, context));
        break;
      case 'syncagent':
        for (const agent of config.syncagent.agents)
          roles.push(await makers.syncagent(config.syncagent, agent, context));
        break;
    }
  }
  const source = {
    checks: () => roles.flatMap((role) => role.checks()),
    ready: () => roles.every((role) => role.ready()),
  };
  const profiler = config.profiling ? createProfiler(context.clock) : undefined;
  const servers: HealthServer[] = [];
  try {
    for (const [address, paths] of [
      [config.serverAddress, 'all'],
      [config.healthAddress, 'health'],
      [config.metricsAddress, 'metrics'],
    ] as const) {
      if (address !== '') servers.push(await startHealthServer(address, source, context.metrics, { paths, profiler }));
    }
    context.logger.info('started', {
      roles: config.roles,
      version: context.version,
      ...(servers.length === 0 ? {} : { health: servers.map(({ address }) => address).join(', ') }),
    });
    await Promise.all(roles.map((role) => role.run(signal)));
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}
