import { type Client } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type Finding } from '@hawser/preview';

import type { BindingView, ProviderView } from './binding-view.js';
import type { ExplainContext } from './context.js';
import type { Examination } from './examination.js';
import { reportOn } from './explain.js';
import { type RightsOptions, type SideRights, rightsFor } from './explain-rights.js';
import type { BindingReport } from './report.js';
import { viewBindings } from './view-bindings.js';
import { nameOf } from './examination-words.js';
import { providersOf } from './examine-provider.js';
import { lacks, rightsOf, ungrantedBy } from './examine-rights.js';
import { clocks, versions } from './examine-clusters.js';
import { connectionOf, secretOf } from './examine-connection.js';
import { examineOwner } from './shard-owners.js';
import { namespacesOf, objectsOf, schemasOf } from './examine-objects.js';

/** What came of an examination, with what it was made of. */
export interface Examined {
  readonly examinations: readonly Examination[];
  readonly reports: readonly BindingReport[];
  /** Of the bindings, each once. */
  readonly providers: readonly ReachedProvider[];
}

/** A provider as the credential of a binding reaches it, or does not. */
export interface ReachedProvider {
  /** For reading. */
  readonly client: Client;
  readonly server: string;
  readonly clusterNamespace: string;
  /** Holds credentials. */
  readonly config: ConnectionConfig;
}

/** Looks at everything that a binding rests on, in the order in which it does. Writes nothing. @throws ApiError if the consumer's bindings cannot be listed */
export async function examine(context: ExplainContext, options: RightsOptions): Promise<readonly Examination[]> {
  return (await examineAll(context, options)).examinations;
}

/** {@link examine}, for those who want the reports on the bindings as well. */
export async function examineAll(context: ExplainContext, options: RightsOptions): Promise<Examined> {
  const viewed = await viewBindings(context, { binding: options.binding, dryRun: false });
  if (viewed.kind === 'notServed') {
    return withoutBindings({
      area: 'schema',
      subject: 'consumer',
      state: 'failed',
      message: 'It does not serve APIServiceBindings: nothing is bound, and no konnector has run here.',
      actor: 'operator',
      remedy: 'installs the konnector, or runs hawser bind',
    });
  }
  const { views } = viewed;
  if (views.length === 0) {
    const message =
      options.binding === undefined ? 'Nothing is bound.' : `There is no APIServiceBinding "${options.binding}".`;
    return withoutBindings({
      area: 'secret',
      subject: 'consumer',
      state: options.binding === undefined ? 'ok' : 'failed',
      message,
    });
  }
  const reports = await reportOn(viewed, { dryRun: false, objects: 'all' });
  const providers = [
    ...new Map(
      views.flatMap(({ provider }) =>
        provider === undefined ? [] : [[`${provider.server} ${provider.clusterNamespace}`, provider] as const],
      ),
    ).values(),
  ];
  // Questions that store nothing are POSTs all the same.
  const asking = (provider: ProviderView): Client => context.connect(provider.config);
  const rights = await rightsFor(context, viewed, options);
  const ungranted = (view: BindingView): string | undefined => ungrantedBy(view)?.reason;
  /** The reasons for which a missing right of this binding is told already: by the provider, or by comparing rights. */
  const isTold = ({ name, connection }: BindingReport): ReadonlySet<string> =>
    new Set([
      ...(views.some((view) => view.binding.metadata.name === name && ungranted(view) !== undefined) ||
      rights.some((side) => side.side === 'provider' && side.server === connection?.server && lacks(side))
        ? [FORBIDDEN.provider]
        : []),
      ...(rights.some((side) => side.side === 'consumer' && lacks(side)) ? [FORBIDDEN.consumer] : []),
    ]);
  /** What does not work for want of a right, in the words of conditions and Events. */
  const lackOf = ({ side, server }: SideRights): Finding | undefined =>
    reports
      .filter(({ connection }) => side === 'consumer' || connection?.server === server)
      .flatMap(({ resources: bound, claimed }) =>
        [...bound, ...claimed].flatMap((resource) => [
          resource.finding,
          ...resource.objects.map(({ finding }) => finding),
        ]),
      )
      .find((finding) => finding?.reason === FORBIDDEN[side]);
  const examinations = [
    // Several bindings share a Secret, and what it leads to.
    ...distinct(views.map(secretOf)),
    ...distinct(
      views.flatMap((view) =>
        connectionOf(view, reports.find(({ name }) => name === view.binding.metadata.name)?.findings ?? []),
      ),
    ),
    ...reports.flatMap(({ name, owner }) =>
      owner === undefined ? [] : [examineOwner(`APIServiceBinding ${name}`, owner)],
    ),
    ...(await clocks(
      context,
      providers.map((provider) => ({ name: nameOf(provider), client: asking(provider) })),
    )),
    ...(await versions(viewed.context.consumer, providers, context.signal)),
    ...rights.map((side) =>
      rightsOf(
        side,
        side.side === 'consumer'
          ? undefined
          : views
              .filter(({ provider }) => provider?.server === side.server)
              .map(ungranted)
              .find((reason) => reason !== undefined),
        lackOf(side),
      ),
    ),
    ...reports.flatMap((report) => schemasOf(report, isTold(report))),
    ...views.map(namespacesOf),
    ...reports.flatMap((report) => objectsOf(report, isTold(report))),
    ...(await providersOf(context, views)),
  ];
  return {
    examinations,
    reports,
    providers: providers.map(({ client, server, clusterNamespace, config }) => ({
      client,
      server,
      clusterNamespace,
      config,
    })),
  };
}

function withoutBindings(examination: Examination): Examined {
  return { examinations: [examination], reports: [], providers: [] };
}

function distinct(examinations: readonly Examination[]): readonly Examination[] {
  return [...new Map(examinations.map((one) => [`${one.subject} ${one.message}`, one])).values()];
}

/** Consequences of missing rights. */
const FORBIDDEN = { provider: 'ForbiddenByProvider', consumer: 'ForbiddenOnConsumer' } as const;
