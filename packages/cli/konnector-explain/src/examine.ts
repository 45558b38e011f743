import { type Client, isApiError } from '@hawser/client';
import { GRANT_ON_CONSUMER, GRANT_ON_PROVIDER } from '@hawser/konnector-sync';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  conditionTypes,
  getCondition,
  isWithdrawn,
  resources,
} from '@hawser/kube-bind';
import { type Finding, read } from '@hawser/preview';
import { findReason } from '@hawser/reasons';
import type { ServingReason } from '@hawser/servicebinding';

import type { BindingView, ProviderView } from './binding-view.js';
import type { ExplainContext } from './context.js';
import type { Area, Examination } from './examination.js';
import { reportOn } from './explain.js';
import { findingOf } from './finding.js';
import { type RightsOptions, type SideRights, rightsFor } from './explain-rights.js';
import { isAlive } from './heartbeat.js';
import type { BindingReport } from './report.js';
import { viewBindings } from './view-bindings.js';

/** Looks at everything that a binding rests on, in the order in which it does. Writes nothing. @throws ApiError if the consumer's bindings cannot be listed */
export async function examine(context: ExplainContext, options: RightsOptions): Promise<readonly Examination[]> {
  const viewed = await viewBindings(context, { binding: options.binding, dryRun: false });
  if (viewed.kind === 'notServed') {
    return [
      {
        area: 'schema',
        subject: 'consumer',
        state: 'failed',
        message: 'It does not serve APIServiceBindings: nothing is bound, and no konnector has run here.',
        actor: 'operator',
        remedy: 'installs the konnector, or runs hawser bind',
      },
    ];
  }
  const { views } = viewed;
  if (views.length === 0) {
    const message =
      options.binding === undefined ? 'Nothing is bound.' : `There is no APIServiceBinding "${options.binding}".`;
    return [{ area: 'secret', subject: 'consumer', state: options.binding === undefined ? 'ok' : 'failed', message }];
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
  return [
    // Several bindings share a Secret, and what it leads to.
    ...distinct(views.map(secretOf)),
    ...distinct(
      views.flatMap((view) =>
        connectionOf(view, reports.find(({ name }) => name === view.binding.metadata.name)?.findings ?? []),
      ),
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
}

function distinct(examinations: readonly Examination[]): readonly Examination[] {
  return [...new Map(examinations.map((one) => [`${one.subject} ${one.message}`, one])).values()];
}

const subjectOf = ({ metadata }: APIServiceBinding): string => `APIServiceBinding ${metadata.name}`;
const nameOf = ({ server, clusterNamespace }: ProviderView): string =>
  `provider ${server}, cluster namespace ${clusterNamespace}`;
const wrong = (area: Area, subject: string, { reason, message, actor, remedy }: Finding): Examination => ({
  area,
  subject,
  state: actor === 'nobody' ? 'warning' : 'failed',
  message: `${reason}: ${message}`,
  actor,
  remedy,
});

/** In the words of the condition, so that doctor, why, conditions and Events say the same of one fault. */
function secretOf({ binding, secret, conditions }: BindingView): Examination {
  const subject = secret.ref === undefined ? subjectOf(binding) : `Secret ${secret.ref.namespace}/${secret.ref.name}`;
  if (secret.reading.kind === 'valid')
    return { area: 'secret', subject, state: 'ok', message: 'It holds a kubeconfig that may be used.' };
  const said = conditions.find(({ type, status }) => type === conditionTypes.secretValid && status === 'False');
  return said === undefined
    ? { area: 'secret', subject, state: 'unknown', message: 'It has not been looked at.' }
    : wrong('secret', subject, findingOf(said, binding));
}

/** What is seen from outside; where nothing is wrong, what the konnector says of it. */
function connectionOf(view: BindingView, findings: readonly Finding[]): readonly Examination[] {
  const seen = connectionSeen(view);
  const said =
    seen.state === 'ok'
      ? findings.filter(({ condition }) => condition !== undefined && OF_CONNECTION.has(condition))
      : [];
  return said.length === 0 ? [seen] : said.map((finding) => wrong('connection', seen.subject, finding));
}

function connectionSeen({ binding, provider, conditions }: BindingView): Examination {
  const subject = provider === undefined ? subjectOf(binding) : nameOf(provider);
  if (provider === undefined)
    return {
      area: 'connection',
      subject,
      state: 'unknown',
      message: 'Without a kubeconfig there is no way to ask the provider.',
    };
  switch (provider.clusterBinding.kind) {
    case 'failed': {
      const said = conditions.find(({ type, status }) => type === conditionTypes.informersSynced && status === 'False');
      if (said !== undefined) return wrong('connection', subject, findingOf(said, binding));
      const { error } = provider.clusterBinding;
      const refused = isApiError(error, 'Unauthorized', 'Forbidden');
      return {
        area: 'connection',
        subject,
        state: 'failed',
        message: error.message,
        actor: refused ? 'provider' : 'operator',
        remedy: refused
          ? 'hands out a credential that is valid'
          : 'sees to the network between the clusters, and to the address in the kubeconfig',
      };
    }
    case 'missing':
      return {
        area: 'connection',
        subject,
        state: 'failed',
        message: "There is no ClusterBinding: the namespace is no consumer's.",
        actor: 'provider',
        remedy: 'onboards the consumer',
      };
    case 'found':
      return { area: 'connection', subject, state: 'ok', message: 'It answers, and knows this consumer.' };
  }
}

/** More than this, and leases, heartbeats and tokens are misjudged. */
const MAX_SKEW_MS = 5_000;

/** Clocks are compared by the time that API servers give to what they have just made. */
async function clocks(
  context: ExplainContext,
  providers: readonly { readonly name: string; readonly client: Client }[],
): Promise<readonly Examination[]> {
  const found: Examination[] = [];
  for (const { name, client } of [{ name: 'consumer', client: context.consumer }, ...providers])
    found.push(await clockOf(context, name, client));
  return found;
}

async function clockOf(context: ExplainContext, subject: string, client: Client): Promise<Examination> {
  try {
    const before = context.now();
    const answer = (await client.raw(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      { signal: context.signal, timeoutMs: 10_000 },
    )) as { readonly metadata?: { readonly creationTimestamp?: string | null } } | undefined;
    const after = context.now();
    const stamp = Date.parse(answer?.metadata?.creationTimestamp ?? '');
    if (Number.isNaN(stamp))
      return { area: 'clock', subject, state: 'unknown', message: 'The API server does not say what time it is.' };
    // Its stamp has whole seconds, and was made somewhere between asking and answer.
    const skew = stamp > after ? stamp - after : stamp + 1_000 < before ? before - stamp - 1_000 : 0;
    if (skew <= MAX_SKEW_MS) return { area: 'clock', subject, state: 'ok', message: 'Its clock is right.' };
    return {
      area: 'clock',
      subject,
      state: 'failed',
      message: `Its clock differs by ${Math.round(skew / 1_000)} s from the one here.`,
      actor: subject === 'consumer' ? 'operator' : 'provider',
      remedy: 'sets the clocks of the machines by NTP',
    };
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return { area: 'clock', subject, state: 'unknown', message: error.message };
  }
}

async function versions(
  consumer: Client,
  providers: readonly ProviderView[],
  signal: AbortSignal,
): Promise<readonly Examination[]> {
  const found: Examination[] = [];
  const sides = [
    { subject: 'consumer', client: consumer, konnector: undefined },
    ...providers.map((provider) => ({
      subject: nameOf(provider),
      client: provider.client,
      konnector:
        provider.clusterBinding.kind === 'found' ? provider.clusterBinding.object.status?.konnectorVersion : undefined,
    })),
  ];
  for (const { subject, client, konnector } of sides) {
    try {
      const answer = (await client.raw('GET', '/version', undefined, { signal })) as
        { readonly gitVersion?: string } | undefined;
      found.push({
        area: 'version',
        subject,
        state: 'ok',
        message: `Kubernetes ${answer?.gitVersion ?? 'of an unknown version'}${konnector === undefined ? '' : `, konnector ${konnector}`}.`,
      });
    } catch (error) {
      if (!isApiError(error) || error.code === 'Aborted') throw error;
      found.push({ area: 'version', subject, state: 'unknown', message: error.message });
    }
  }
  return found;
}

const lacks = ({ roles, refusal }: SideRights): boolean =>
  refusal === undefined && roles.some(({ missing }) => missing.length > 0);

/** What the provider says of rights that it could not give. */
function ungrantedBy({ export: exported }: BindingView): { readonly reason?: string | undefined } | undefined {
  const granted = getCondition(exported?.status?.conditions, conditionTypes.rightsGranted);
  return granted?.status === 'False' ? granted : undefined;
}

/** `cause`: the reason that the provider gives itself, with the cure. `lack`: what does not work. */
function rightsOf(
  { side, server, who, roles, refusal }: SideRights,
  cause: string | undefined,
  lack: Finding | undefined,
): Examination {
  const subject = server === undefined ? side : `${side} ${server}`;
  if (refusal !== undefined) return { area: 'rights', subject, state: 'unknown', message: refusal };
  // Several bindings need the same.
  const missing = new Set(
    roles.flatMap((role) =>
      role.missing.map(
        ({ verbs, apiGroups = [], resources: kinds = [] }) =>
          `${verbs.join(',')} ${kinds.join(',')}${apiGroups.join('') === '' ? '' : `.${apiGroups.join(',')}`}${role.namespace === undefined ? '' : ` in ${role.namespace}`}`,
      ),
    ),
  );
  if (missing.size === 0)
    return { area: 'rights', subject, state: 'ok', message: `${capital(who)} may do all that is needed.` };
  const message = `${capital(who)} may not: ${[...missing].join('; ')}.`;
  // One cause is told once.
  if (cause !== undefined)
    return {
      area: 'rights',
      subject,
      state: 'unknown',
      message: `${message} The provider says why: ${cause}, see below.`,
    };
  if (lack !== undefined) {
    const said = wrong('rights', subject, lack);
    return { ...said, message: `${said.message} ${message}` };
  }
  return side === 'consumer'
    ? {
        area: 'rights',
        subject,
        state: 'failed',
        message,
        actor: 'operator',
        remedy: `grants it: ${GRANT_ON_CONSUMER}`,
      }
    : {
        area: 'rights',
        subject,
        state: 'failed',
        message,
        actor: 'provider',
        remedy: `grants it: ${GRANT_ON_PROVIDER}`,
      };
}

function schemasOf(
  { name, findings, resources: bound }: BindingReport,
  told: ReadonlySet<string>,
): readonly Examination[] {
  const subject = `APIServiceBinding ${name}`;
  const found = [
    ...findings.filter(
      ({ condition, reason }) => (condition === undefined || !OF_CONNECTION.has(condition)) && !OF_PROVIDER.has(reason),
    ),
    ...bound.flatMap(({ finding }) => (finding === undefined || told.has(finding.reason) ? [] : [finding])),
  ];
  if (found.length > 0) return found.map((finding) => wrong('schema', subject, finding));
  if (bound.length === 0)
    return [{ area: 'schema', subject, state: 'unknown', message: 'What is bound is not known.' }];
  return [
    {
      area: 'schema',
      subject,
      state: 'ok',
      message: `${bound.map((resource) => `${resource.name}${resource.version === undefined ? '' : ` ${resource.version}`}`).join(', ')} ${bound.length === 1 ? 'is' : 'are'} served.`,
    },
  ];
}

/** Consequences of missing rights. */
const FORBIDDEN = { provider: 'ForbiddenByProvider', consumer: 'ForbiddenOnConsumer' } as const;

/** What the provider says of its own export, and is told there. */
const OF_PROVIDER: ReadonlySet<string> = new Set<ServingReason>(['ExportWithdrawn', 'RightsMissing']);

/** Conditions of a binding that say something of its connection. With a Secret that can be used, `SecretValid` tells to which clusters it is bound. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  conditionTypes.secretValid,
  conditionTypes.informersSynced,
  conditionTypes.heartbeating,
]);

function namespacesOf({ binding, provider }: BindingView): Examination {
  const subject = subjectOf(binding);
  if (provider === undefined || provider.clusterBinding.kind === 'failed')
    return { area: 'namespaces', subject, state: 'unknown', message: 'The provider cannot be asked.' };
  const waiting = provider.serviceNamespaces
    .filter(({ status }) => (status?.namespace ?? '') === '')
    .map(({ metadata }) => metadata.name);
  if (waiting.length > 0)
    return {
      area: 'namespaces',
      subject,
      state: 'failed',
      message: `No namespace is assigned to ${waiting.slice(0, 3).join(', ')}${waiting.length > 3 ? ` and ${waiting.length - 3} more` : ''}.`,
      actor: 'provider',
      remedy: 'looks at the Events of these APIServiceNamespaces, and whether its controllers run',
    };
  return {
    area: 'namespaces',
    subject,
    state: 'ok',
    message: `${provider.serviceNamespaces.length} ${provider.serviceNamespaces.length === 1 ? 'is' : 'are'} assigned.`,
  };
}

function objectsOf(
  { name, findings, resources: bound, claimed }: BindingReport,
  told: ReadonlySet<string>,
): readonly Examination[] {
  const subject = `APIServiceBinding ${name}`;
  const unserved = findings.find(({ reason }) => OF_PROVIDER.has(reason));
  if (unserved !== undefined)
    return [
      {
        area: 'objects',
        subject,
        state: 'unknown',
        message: `They wait for the provider: ${unserved.reason}, see below.`,
      },
    ];
  const unread = bound.filter(
    ({ standing, finding, objects: seen }) => seen.length === 0 && (standing === 'unknown' || finding !== undefined),
  );
  if (bound.length === 0 || unread.length > 0)
    return [
      {
        area: 'objects',
        subject,
        state: 'unknown',
        message: `${unread.length === 0 ? 'They' : `Objects of ${unread.map((resource) => resource.name).join(', ')}`} could not be looked at: what is wrong above comes first.`,
      },
    ];
  const objects = [...bound, ...claimed].flatMap((resource) => resource.objects);
  const held = objects.filter(({ standing }) => standing === 'held' || standing === 'unknown');
  const [first] = held;
  if (first === undefined)
    return [
      {
        area: 'objects',
        subject,
        state: 'ok',
        message: objects.length === 0 ? 'There are none.' : `${objects.length} looked at, all in step or on their way.`,
      },
    ];
  if (held.every(({ finding }) => finding !== undefined && told.has(finding.reason)))
    return [
      {
        area: 'objects',
        subject,
        state: 'unknown',
        message: `${held.length} of ${objects.length} wait for rights, which are told of elsewhere.`,
      },
    ];
  return [
    {
      area: 'objects',
      subject,
      state: 'failed',
      actor: first.finding?.actor,
      remedy: first.finding?.remedy ?? 'hawser why --all lists all of them',
      message: `${held.length} of ${objects.length} are held; the first: ${first.kind} ${first.object}: ${first.finding?.reason ?? 'unknown'}: ${first.finding?.message ?? ''}`,
    },
  ];
}

/** What the provider itself says about the consumer and its exports. */
async function providersOf(context: ExplainContext, views: readonly BindingView[]): Promise<readonly Examination[]> {
  const found: Examination[] = [];
  for (const { binding, provider, export: exported } of views) {
    const subject = subjectOf(binding);
    if (provider === undefined || provider.clusterBinding.kind === 'failed') {
      found.push({ area: 'provider', subject, state: 'unknown', message: 'The provider cannot be asked.' });
      continue;
    }
    const { clusterBinding } = provider;
    if (clusterBinding.kind === 'found' && !isAlive(clusterBinding.object, context.now())) {
      const last = clusterBinding.object.status?.lastHeartbeatTime;
      found.push({
        area: 'provider',
        subject,
        state: 'failed',
        message: `The konnector has not reported ${last === undefined ? 'ever' : `since ${last}`}.`,
        actor: 'operator',
        remedy: 'looks whether the konnector runs, and at its log',
      });
    }
    found.push(await exportOf(provider, binding, exported, context.signal));
  }
  return found;
}

async function exportOf(
  provider: ProviderView,
  binding: APIServiceBinding,
  exported: APIServiceExport | undefined,
  signal: AbortSignal,
): Promise<Examination> {
  const subject = `APIServiceExport ${provider.clusterNamespace}/${binding.metadata.name}`;
  if (exported === undefined) {
    const request = await read<APIServiceExportRequest>(
      provider.client,
      resources.apiServiceExportRequests,
      { namespace: provider.clusterNamespace, name: binding.metadata.name },
      { signal },
    );
    const status = request.kind === 'found' ? request.object.status : undefined;
    const message =
      status === undefined
        ? 'It is not there, and nobody asks for it.'
        : `It is not there; the request for it is ${status.phase ?? 'Pending'}${status.terminalMessage === undefined ? '' : `: ${status.terminalMessage}`}.`;
    return {
      area: 'provider',
      subject,
      state: 'failed',
      message,
      actor: status === undefined ? 'consumer' : 'provider',
      remedy: status === undefined ? 'asks for it; hawser bind does' : 'answers the request',
    };
  }
  const conditions = exported.status?.conditions;
  if (isWithdrawn(exported.metadata))
    return {
      area: 'provider',
      subject,
      state: 'failed',
      message: 'The provider has withdrawn it: nothing of it is synced.',
      actor: 'consumer',
      remedy: 'asks for it again; hawser bind does',
    };
  const first = [conditionTypes.providerInSync, conditionTypes.rightsGranted]
    .map((type) => getCondition(conditions, type))
    .find((condition) => condition?.status === 'False');
  if (first !== undefined)
    return {
      area: 'provider',
      subject,
      state: 'failed',
      message: `${first.reason ?? first.type}: ${first.message ?? ''}`,
      actor: 'provider',
      remedy: findReason('APIServiceExport', first.reason ?? '', first.type)?.remedy,
    };
  const held = getCondition(conditions, conditionTypes.schemaUpdateHeld);
  if (held?.status === 'True')
    return {
      area: 'provider',
      subject,
      state: 'warning',
      message: `${held.reason ?? 'SchemaUpdateHeld'}: ${held.message ?? ''}`,
      actor: 'provider',
      remedy: 'approves the change, or takes it back',
    };
  return { area: 'provider', subject, state: 'ok', message: 'It is offered.' };
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
