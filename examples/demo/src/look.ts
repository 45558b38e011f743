import { resources } from '@hawser/kube-bind';
import type { Cluster } from './cluster.js';
import { curlFileOf } from './embedded.js';
import { databaseResource, names } from './names.js';
import type { Timeline } from './timeline.js';
import type { View } from './user.js';

/** Prints the objects of both sides. */
export async function showBothSides(consumer: Cluster, provider: Cluster, timeline: Timeline): Promise<void> {
  const views: readonly (readonly [Cluster, View])[] = [
    [consumer, { resources: [resources.apiServiceBindings] }],
    [consumer, { resources: [databaseResource], namespace: names.userNamespace, labels: true }],
    [
      provider,
      {
        resources: [resources.clusterBindings, resources.apiServiceExports, resources.apiServiceNamespaces],
        namespace: names.clusterNamespace,
      },
    ],
    [provider, { resources: [databaseResource], namespace: names.serviceNamespace, labels: true }],
  ];
  const sights = await Promise.all(views.map(async ([{ side, user }, view]) => ({ side, ...(await user.look(view)) })));
  for (const { side, title, text } of sights) {
    timeline.plain();
    timeline.plain(`${side} ${title}`);
    timeline.plain(text.trimEnd().replace(/^(?=.)/gmu, '  '));
  }
}

export interface AfterwardsOptions {
  readonly consumer: Cluster;
  readonly provider: Cluster;
  readonly kubectl: string | undefined;
  /** The module of the `hawser` command. */
  readonly hawser: string;
  /** Folder of the demo's files. */
  readonly folder: string;
  /** Log files of the processes. */
  readonly logs: readonly string[];
  readonly timeline: Timeline;
}

/** Prints commands to try while both clusters stay up. */
export function showCommands({ consumer, provider, kubectl, hawser, folder, logs, timeline }: AfterwardsOptions): void {
  timeline.plain(`
Both clusters stay up. In another terminal:

${withHawser(consumer, provider, hawser)}

${kubectl === undefined ? withoutKubectl(consumer, provider, folder) : withKubectl(consumer, provider, kubectl)}

Logs: ${logs.join(' ')}
Ctrl-C ends it and removes everything.`);
}

/** Alias for the demo's own build of the command, for any terminal. */
export function hawserAlias(hawser: string): string {
  return `alias hawser='${process.execPath} ${hawser}'`;
}

function withHawser(
  { kubeconfigFile: consumer }: Cluster,
  { kubeconfigFile: provider }: Cluster,
  hawser: string,
): string {
  return `  ${hawserAlias(hawser)}

  # Is the object in step, and if not, who must act? Then all that is bound; everything that bindings need; and who uses the provider.
  hawser why database orders -n ${names.userNamespace} --kubeconfig ${consumer}
  hawser tree --kubeconfig ${consumer}
  hawser doctor --kubeconfig ${consumer}
  hawser bindings --side=provider --kubeconfig ${provider}
  hawser help`;
}

function withKubectl(consumer: Cluster, provider: Cluster, program: string): string {
  const alias = ({ side, kubeconfigFile }: Cluster): string =>
    `alias ${side}='${program} --kubeconfig ${kubeconfigFile}'`;
  return `  ${alias(consumer)}
  ${alias(provider)}

  consumer get databases -A                        # what the user sees
  provider get databases -A                        # what the service sees
  consumer patch database orders -n ${names.userNamespace} --type merge -p '{"spec":{"size":"medium"}}'
  provider get database orders -n ${names.serviceNamespace} -o yaml
  consumer describe apiservicebinding ${names.export}
  consumer delete database orders -n ${names.userNamespace}`;
}

/** Without kubectl only the demo's own cluster is reachable. */
function withoutKubectl(consumer: Cluster, provider: Cluster, folder: string): string {
  const pathOf = ({ group, version, resource }: typeof databaseResource, namespace?: string): string =>
    `/apis/${group}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resource}`;
  const curl = ({ side, connection }: Cluster, path: string, more = ''): string =>
    `  curl -K ${curlFileOf(folder, side)} ${more}${connection.server}${path}`;
  return `  There is no kubectl here; any tool that reads kubeconfigs can look (${consumer.kubeconfigFile}, ${provider.kubeconfigFile}), and so can curl:

${curl(consumer, pathOf(databaseResource))}
${curl(provider, pathOf(databaseResource))}
${curl(consumer, `${pathOf(databaseResource, names.userNamespace)}/orders`, `-X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"spec":{"size":"medium"}}' `)}
${curl(provider, `${pathOf(databaseResource, names.serviceNamespace)}/orders`)}
${curl(consumer, `${pathOf(resources.apiServiceBindings)}/${names.export}`)}
${curl(consumer, `${pathOf(databaseResource, names.userNamespace)}/orders`, '-X DELETE ')}`;
}
