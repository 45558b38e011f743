import type { Cluster } from './cluster.js';
import { names } from './names.js';
import type { Timeline } from './timeline.js';

/** Shows in kubectl's words what stands on both sides. */
export async function showBothSides(consumer: Cluster, provider: Cluster, timeline: Timeline): Promise<void> {
  const views: readonly (readonly [Cluster, readonly string[]])[] = [
    [consumer, ['get', 'apiservicebindings']],
    [consumer, ['get', 'databases', '-n', names.userNamespace, '--show-labels']],
    [provider, ['get', 'clusterbindings,apiserviceexports,apiservicenamespaces', '-n', names.clusterNamespace]],
    [provider, ['get', 'databases', '-n', names.serviceNamespace, '--show-labels']],
  ];
  const outputs = await Promise.all(views.map(([cluster, args]) => cluster.kubectl(args)));
  for (const [index, [cluster, args]] of views.entries()) {
    timeline.plain();
    timeline.plain(`${cluster.side} $ kubectl ${args.join(' ')}`);
    timeline.plain((outputs[index] ?? '').trimEnd().replace(/^/gmu, '  '));
  }
}

/** Commands to copy. */
export function showCommands(consumer: Cluster, provider: Cluster, logs: readonly string[], timeline: Timeline): void {
  const alias = ({ side, kubectlProgram, kubeconfigFile }: Cluster): string => `alias ${side}='${kubectlProgram} --kubeconfig ${kubeconfigFile}'`;
  timeline.plain(`
Both clusters stay up. In another terminal:

  ${alias(consumer)}
  ${alias(provider)}

  consumer get databases -A                        # what the user sees
  provider get databases -A                        # what the service sees
  consumer patch database orders -n ${names.userNamespace} --type merge -p '{"spec":{"size":"medium"}}'
  provider get database orders -n ${names.serviceNamespace} -o yaml
  consumer describe apiservicebinding ${names.export}
  consumer delete database orders -n ${names.userNamespace}

Logs: ${logs.join(' ')}
Ctrl-C ends it and removes everything.`);
}
