import { type Client, createClient, getIfExists, listAll } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { consumerRoles } from '@hawser/exportrbac';
import { type CustomResourceDefinition, type GroupResource, labels, resources } from '@hawser/kube-bind';
import { type SideRights, compareRightsOf, lacksNothing, rbacText, reading } from '@hawser/preview';
import { type Role, differenceOf } from '@hawser/rbac';
import { noMetrics, silentLogger } from '@hawser/telemetry';

import { type CommandDescription, type Config, readConfigFile, parseConfig, type Flag, helpFlag } from '@hawser/config';
import {
  ownConnection,
  type ProcessContext,
  reportedVersion,
  readExplainFlags,
  readAccount,
  serviceAccountFlag,
  type Task,
} from '@hawser/commands';
import { policiesText, providerPolicies } from './own-policies.js';
import { providerRoles, spokenDialects } from './provider-rights.js';

const ABOUT = `Prints the rights that the provider role needs on its cluster, for what is exported there, and the ClusterRoles that consumers are given, as Roles and ClusterRoles that
kubectl takes, and how that differs from what is there: of the role's ServiceAccount, or of the user of the kubeconfig. 0: nothing is missing. What the control plane mode of Klutch
needs is not in it. It also prints the admission policies for consumers, and with --service-account those that keep the role from becoming another user.`;

const FOR_CONSUMERS =
  'What RBAC cannot say about consumers. With --service-account also what keeps the provider role from becoming another user.';
const FOR_ALL =
  'What RBAC cannot say, about consumers and about the provider role. Without the policy hawser-provider the rights above amount to cluster-admin.';

/** Flags that select the cluster. */
export const providerFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the provider; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
];

const flags: readonly Flag[] = [
  ...providerFlags,
  {
    name: 'config',
    kind: 'string',
    help: 'config file of the provider role, for its limits, dialects, Lease and namespaces of requests',
  },
  { name: 'namespace', kind: 'string', help: 'namespace of the provider role, for its Lease', default: 'hawser' },
  {
    name: 'replace-backend',
    kind: 'boolean',
    help: 'with what it needs to remove the rights that a Go backend gave',
    default: 'false',
  },
  serviceAccountFlag('the provider role'),
  helpFlag,
];

type Side = 'provider' | 'consumers';

/** Help text of the command. */
export const providerRbacCommand: CommandDescription = {
  name: 'rbac',
  about: ABOUT,
  usage: ['hawser rbac --roles provider [flags]'],
  examples: [
    {
      purpose: 'what the provider role needs, and what is missing',
      line: 'hawser rbac --roles provider --kubeconfig provider.kubeconfig',
    },
    {
      purpose: 'of the ServiceAccount that it runs with',
      line: 'hawser rbac --roles provider --kubeconfig provider.kubeconfig --service-account hawser/hawser-provider',
    },
  ],
  flags,
};

/** Reads the flags of `hawser rbac --roles provider`. */
export function readProviderRbac(args: readonly string[]): Task | string {
  const parsed = readRbacFlags(providerRbacCommand, args);
  if (typeof parsed === 'string') return parsed;
  const { values, serviceAccount, config } = parsed;
  return (terminal) =>
    onProvider(values, config, terminal, async (client) => {
      const { signal, out } = terminal;
      const exported = await exportedBy(client, signal);
      const roles = providerRoles({
        config,
        exported,
        namespace: serviceAccount?.namespace ?? values.get('namespace') ?? 'hawser',
        replacesBackend: values.get('replace-backend') === 'true',
      });
      const ofRole = await compareRightsOf<Side>(
        { client, account: serviceAccount, reader: reading(client), signal },
        'provider',
        roles,
      );
      const wanted = spokenDialects(config).flatMap((dialect) => consumerRoles(exported, dialect));
      const sides = [await inNamespacesThatAre(client, ofRole, signal), await rolesOfConsumers(client, wanted, signal)];
      const text = rbacText(sides, ({ side }) =>
        side === 'provider'
          ? 'What the provider role needs on its cluster.'
          : 'What consumers can be given: the provider role binds these ClusterRoles, and makes none.',
      );
      out(
        `${text}\n---\n${policiesText(providerPolicies(config, serviceAccount), serviceAccount === undefined ? FOR_CONSUMERS : FOR_ALL)}`,
      );
      return lacksNothing(sides) ? 0 : 1;
    });
}

/** Parsed arguments of a command about rights on the provider. */
interface RbacFlags {
  readonly values: Pick<ReadonlyMap<string, string>, 'get'>;
  /** The ServiceAccount to compare; undefined: the user of the kubeconfig. */
  readonly serviceAccount: ReturnType<typeof readAccount> | undefined;
  /** From the config file, or the defaults. */
  readonly config: Config['provider'];
}

/**
 * Parses the flags of a command about rights on the provider, and their config file. Returns problems with the flags as
 * text.
 */
export function readRbacFlags(command: CommandDescription, args: readonly string[]): RbacFlags | string {
  const parsed = readExplainFlags(command, 0, args);
  if (typeof parsed === 'string') return parsed;
  const { values } = parsed;
  const account = values.get('service-account');
  const file = values.get('config');
  return {
    values,
    serviceAccount: account === undefined ? undefined : readAccount(account),
    config: parseConfig(file === undefined ? {} : readConfigFile(file), file ?? 'flags').provider,
  };
}

/** Runs `work` with a client for the cluster of {@link providerFlags} or the config. */
export async function onProvider<T>(
  values: Pick<ReadonlyMap<string, string>, 'get'>,
  config: Pick<Config['provider'], 'kubeconfig' | 'context'>,
  { env }: Parameters<Task>[0],
  run: (client: Client) => Promise<T>,
): Promise<T> {
  const context: ProcessContext = {
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
    version: reportedVersion(),
    env,
  };
  const connection = await ownConnection(
    { kubeconfig: values.get('kubeconfig') ?? config.kubeconfig, context: values.get('context') ?? config.context },
    context,
  );
  const client = createClient({ name: 'provider', connection, userAgent: `hawser-explain/${context.version}` });
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

/** Leaves out Roles of missing namespaces, which would fail `kubectl apply`, and reports them. */
async function inNamespacesThatAre(
  client: Client,
  side: SideRights<Side>,
  signal: AbortSignal,
): Promise<SideRights<Side>> {
  const absent = new Set<string>();
  for (const namespace of new Set(side.roles.flatMap((role) => role.namespace ?? []))) {
    if (
      (await getIfExists(client, resources.namespaces, { name: namespace }, { signal, representation: 'metadata' })) ===
      undefined
    )
      absent.add(namespace);
  }
  const isAbsent = (namespace: string | undefined): boolean => namespace !== undefined && absent.has(namespace);
  return {
    ...side,
    roles: side.roles.filter(({ namespace }) => !isAbsent(namespace)),
    absent: side.roles.flatMap(({ name, namespace }) =>
      namespace !== undefined && isAbsent(namespace)
        ? [
            `Role ${name} is left out: there is no namespace ${namespace}. Create it, or name that of the provider role with --namespace or the config file.`,
          ]
        : [],
    ),
  };
}

/** Exported resources, from the labels of the CRDs. */
export async function exportedBy(client: Client, signal: AbortSignal): Promise<readonly GroupResource[]> {
  const crds = await listAll<CustomResourceDefinition>(reading(client), resources.customResourceDefinitions, {
    labelSelector: `${labels.exported}=true`,
    signal,
  });
  return crds
    .map(({ spec }) => ({ group: spec.group, resource: spec.names.plural }))
    .toSorted((one, other) => `${one.group} ${one.resource}`.localeCompare(`${other.group} ${other.resource}`));
}

/**
 * Compares these roles exactly, since no account holds them: the provider role refuses to bind one that grants more or
 * less.
 */
async function rolesOfConsumers(
  client: Client,
  wanted: ReturnType<typeof consumerRoles>,
  signal: AbortSignal,
): Promise<SideRights<Side>> {
  const found = new Map(
    (
      await listAll<Role & { readonly apiVersion: string; readonly kind: string }>(
        reading(client),
        resources.clusterRoles,
        { signal },
      )
    ).map((role) => [role.metadata.name, role.rules ?? []]),
  );
  const compared = wanted.map(({ metadata: { name }, rules }) => ({
    side: 'consumers' as const,
    name,
    rules: rules ?? [],
    ...differenceOf(found.get(name) ?? [], rules ?? []),
  }));
  return {
    side: 'consumers',
    who: 'The cluster',
    roles: compared,
    excess: compared.filter(({ excess }) => excess.length > 0).map(({ excess }) => ({ rules: excess })),
  };
}
