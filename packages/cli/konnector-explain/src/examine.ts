import { type Client } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type Finding } from '@hawser/preview';

import type { BindingView } from './binding-view.js';
import type { ExplainContext } from './context.js';
import type { Examination } from './examination.js';
import { reportOn } from './explain.js';
import { type RightsOptions, type SideRights, rightsFor } from './explain-rights.js';
import type { BindingReport } from './report.js';
import { type Viewed, viewBindings } from './view-bindings.js';
import { viewCoreKbind } from './core-kbind/explain.js';
import { connectionSecrets, connectionStates, connectionsOf } from './core-kbind/examine.js';
import { nameOf } from './examination-words.js';
import { providersOf } from './examine-provider.js';
import { lacks, rightsOf, ungrantedBy } from './examine-rights.js';
import { clocks, versions } from './examine-clusters.js';
import { connectionOf, secretOf } from './examine-connection.js';
import { examineOwner } from './shard-owners.js';
import { namespacesOf, objectsOf, schemasOf } from './examine-objects.js';

/** Result of an examination, with its inputs. */
export interface Examined {
  readonly examinations: readonly Examination[];
  readonly reports: readonly BindingReport[];
  /** Providers of the bindings, each once. */
  readonly providers: readonly ReachedProvider[];
}

/** A provider as the credential of a binding reaches it, or fails to. */
export interface ReachedProvider {
  /** Client for reading. */
  readonly client: Client;
  readonly server: string;
  /** Undefined: in `core.kbind.io`, a consumer has none. */
  readonly clusterNamespace?: string | undefined;
  /** Holds credentials. */
  readonly config: ConnectionConfig;
}

/**
 * Examines everything that a binding depends on, in order of dependency. Writes nothing. @throws ApiError if the
 * consumer's bindings cannot be listed
 */
export async function examine(context: ExplainContext, options: RightsOptions): Promise<readonly Examination[]> {
  return (await examineAll(context, options)).examinations;
}

/** {@link examine}, with the reports on the bindings as well. */
export async function examineAll(context: ExplainContext, options: RightsOptions): Promise<Examined> {
  const found = await viewBindings(context, { binding: options.binding, dryRun: false });
  const coreKbind = await viewCoreKbind(context, { binding: options.binding, dryRun: false, objects: 'all' });
  if (found.kind === 'notServed' && coreKbind.reports.length === 0) {
    return withoutBindings({
      area: 'schema',
      subject: 'consumer',
      state: 'failed',
      message: 'It does not serve APIServiceBindings: nothing is bound, and no konnector has run here.',
      actor: 'operator',
      remedy: 'installs the konnector, or runs hawser bind',
    });
  }
  const viewed: Extract<Viewed, { kind: 'viewed' }> =
    found.kind === 'viewed' ? found : { kind: 'viewed', all: [], views: [], context };
  const { views } = viewed;
  if (views.length + coreKbind.reports.length === 0) {
    const message = options.binding === undefined ? 'Nothing is bound.' : `There is no binding "${options.binding}".`;
    return withoutBindings({
      area: 'secret',
      subject: 'consumer',
      state: options.binding === undefined ? 'ok' : 'failed',
      message,
    });
  }
  const reports = [...(await reportOn(viewed, { dryRun: false, objects: 'all' })), ...coreKbind.reports];
  const scene: Scene = {
    viewed,
    coreKbind,
    reports,
    providers: providersSeen(views),
    connections: connectionsOf(coreKbind),
    rights: await rightsFor(context, viewed, coreKbind, options),
  };
  return {
    examinations: [
      ...credentialsOf(scene),
      ...connectionStates(coreKbind),
      ...(await clustersOf(context, scene)),
      ...contentsOf(scene),
      ...(await providersOf(context, views)),
    ],
    reports,
    providers: [
      ...scene.providers.map(({ client, server, clusterNamespace, config }) => ({
        client,
        server,
        clusterNamespace,
        config,
      })),
      ...scene.connections.map(({ client, config }) => ({ client, server: config.server, config })),
    ],
  };
}

/** Inputs of an examination. */
interface Scene {
  readonly viewed: Extract<Viewed, { kind: 'viewed' }>;
  readonly coreKbind: Awaited<ReturnType<typeof viewCoreKbind>>;
  readonly reports: readonly BindingReport[];
  readonly providers: readonly SeenProvider[];
  readonly connections: ReturnType<typeof connectionsOf>;
  readonly rights: readonly SideRights[];
}

type SeenProvider = NonNullable<BindingView['provider']>;

/** Each once. */
function providersSeen(views: readonly BindingView[]): readonly SeenProvider[] {
  const seen = views.flatMap(({ provider }) =>
    provider === undefined ? [] : [[`${provider.server} ${provider.clusterNamespace}`, provider] as const],
  );
  return [...new Map(seen).values()];
}

function credentialsOf({ viewed: { views }, coreKbind, reports }: Scene): readonly Examination[] {
  const findingsOf = (view: BindingView): readonly Finding[] =>
    reports.find(({ kind, name }) => kind === 'APIServiceBinding' && name === view.binding.metadata.name)?.findings ??
    [];
  return [
    // Several bindings share a Secret, and what it leads to.
    ...distinct([...views.map(secretOf), ...connectionSecrets(coreKbind)]),
    ...distinct(views.flatMap((view) => connectionOf(view, findingsOf(view)))),
    ...reports.flatMap(({ kind, name, owner }) =>
      owner === undefined ? [] : [examineOwner(`${kind} ${name}`, owner)],
    ),
  ];
}

async function clustersOf(
  context: ExplainContext,
  { viewed, providers, connections }: Scene,
): Promise<readonly Examination[]> {
  // Questions that store nothing are nevertheless POSTs.
  const asking = ({ config }: { readonly config: ConnectionConfig }): Client => context.connect(config);
  const versionOf = ({ clusterBinding: found }: SeenProvider): string | undefined =>
    found.kind === 'found' ? found.object.status?.konnectorVersion : undefined;
  return [
    ...(await clocks(context, [
      ...providers.map((provider) => ({ name: nameOf(provider), client: asking(provider) })),
      ...connections.map((connection) => ({ name: connection.subject, client: asking(connection) })),
    ])),
    ...(await versions(
      viewed.context.consumer,
      [
        ...providers.map((provider) => ({
          subject: nameOf(provider),
          client: provider.client,
          konnector: versionOf(provider),
        })),
        ...connections,
      ],
      context.signal,
    )),
  ];
}

/** Rights, schemas, namespaces and objects. */
function contentsOf({ viewed: { views }, reports, rights }: Scene): readonly Examination[] {
  const ungranted = (view: BindingView): string | undefined => ungrantedBy(view)?.reason;
  /** Reasons for which a missing right of this binding is already reported: by the provider, or by comparing rights. */
  const reportedReasons = ({ name, connection }: BindingReport): ReadonlySet<string> =>
    new Set([
      ...(views.some((view) => view.binding.metadata.name === name && ungranted(view) !== undefined) ||
      rights.some((side) => side.side === 'provider' && isOf(side, connection) && lacks(side))
        ? [FORBIDDEN.provider]
        : []),
      ...(rights.some((side) => side.side === 'consumer' && lacks(side)) ? [FORBIDDEN.consumer] : []),
    ]);
  const ungrantedAt = ({ side, server }: SideRights): string | undefined =>
    side === 'consumer'
      ? undefined
      : views
          .filter(({ provider }) => provider?.server === server)
          .map(ungranted)
          .find((reason) => reason !== undefined);
  const bindings = reports.filter(({ kind }) => kind !== 'Connection');
  return [
    ...rights.map((side) => rightsOf(side, ungrantedAt(side), lackOf(side, reports))),
    ...bindings.flatMap((report) => schemasOf(report, reportedReasons(report))),
    ...views.map(namespacesOf),
    ...bindings.flatMap((report) => objectsOf(report, reportedReasons(report))),
  ];
}

/** What fails for lack of a right, in the terms of conditions and Events. */
function lackOf({ side, server }: SideRights, reports: readonly BindingReport[]): Finding | undefined {
  return reports
    .filter(({ connection }) => side === 'consumer' || isOf({ server }, connection))
    .flatMap(({ resources: bound, claimed }) =>
      [...bound, ...claimed].flatMap((resource) => [
        resource.finding,
        ...resource.objects.map(({ finding }) => finding),
      ]),
    )
    .find((finding) => finding?.reason === FORBIDDEN[side]);
}

/** Reports of rights name a Connection. */
function isOf({ server = '' }: Pick<SideRights, 'server'>, connection: BindingReport['connection']): boolean {
  if (connection === undefined) return false;
  return (
    server ===
    (connection.name === undefined ? connection.server : `${connection.server}, Connection ${connection.name}`)
  );
}

function withoutBindings(examination: Examination): Examined {
  return { examinations: [examination], reports: [], providers: [] };
}

function distinct(examinations: readonly Examination[]): readonly Examination[] {
  return [...new Map(examinations.map((one) => [`${one.subject} ${one.message}`, one])).values()];
}

/** Consequences of missing rights. */
const FORBIDDEN = { provider: 'ForbiddenByProvider', consumer: 'ForbiddenOnConsumer' } as const;
