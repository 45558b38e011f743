import { type ApiError, type Client, type KubeObject, isApiError, sentence } from '@hawser/client';
import { type AskedClaim, acceptedClaims } from '@hawser/claimedresources';
import {
  type SyncPlan,
  type ResourceSnapshot,
  planSyncs,
  readProviderScope,
  resourceNames,
} from '@hawser/apiserviceexport';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BoundSchema,
  type ClusterBinding,
  type CustomResourceDefinition,
  type NewCondition,
  type PermissionClaim,
  fixedNames,
  isOwnedByBinding,
  malformation,
  resourceGroupName,
  resources,
  servedResource,
} from '@hawser/kube-bind';
import { type Identities, decideConditions } from '@hawser/konnector-main';
import {
  type Observed,
  type ResourceAction,
  type ResourceObserved,
  type SchemaReading,
  WantedCRDs,
  act,
  conclude,
  concludeWithoutExport,
  decide,
  gateTerms,
  heldCondition,
  olderRival,
  readGate,
  sameCrdSpec,
} from '@hawser/servicebinding';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type Live, type LiveList, list, read } from '@hawser/preview';

import type { ExplainContext } from './context.js';
import { mismatchOf, readIdentities } from './identity.js';
import { type PlannedWrite, previewClient } from './preview-client.js';
import { type SecretView, readSecret } from './secret.js';

/** The provider of a binding, once reached. */
export interface ProviderView {
  /** Client for reading. */
  readonly client: Client;
  readonly server: string;
  /** Holds credentials. */
  readonly config: ConnectionConfig;
  readonly clusterNamespace: string;
  /** Identities of both clusters. */
  readonly identities: Identities;
  /** The ClusterBinding; `failed`: the provider is unreadable. */
  readonly clusterBinding: Live<ClusterBinding>;
  readonly serviceNamespaces: readonly APIServiceNamespace[];
}

/** One binding with all inputs of its konnector, read live, and the result. */
export interface BindingView {
  readonly binding: APIServiceBinding;
  readonly secret: SecretView;
  /** Undefined: hawser cannot ask the provider. */
  readonly provider: ProviderView | undefined;
  readonly export: APIServiceExport | undefined;
  readonly resources: readonly ResourceSnapshot[];
  /** Plan for each resource. */
  readonly plans: readonly SyncPlan[];
  /** Conditions that the konnector would set now. */
  readonly conditions: readonly NewCondition[];
  /** Writes to the CRDs. */
  readonly writes: readonly PlannedWrite[];
  /** Claims that the consumer accepts, and the konnector serves. */
  readonly claims: readonly AskedClaim[];
  /** The binding already records their acceptance. */
  readonly claimsRecorded: boolean;
  /** Claims that a person has to accept first. */
  readonly heldClaims: readonly PermissionClaim[];
}

/** Reads one binding of `all`. Rejects only if the consumer does not answer at all. */
export async function viewBinding(
  context: ExplainContext,
  binding: APIServiceBinding,
  all: readonly APIServiceBinding[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<BindingView> {
  const { consumer, policy, signal } = context;
  const secret = await readSecret(consumer, binding, policy, signal);
  const provider = await openProvider(context, secret);
  const mismatch =
    provider === undefined ? undefined : mismatchOf(binding, provider.identities, provider.clusterNamespace);
  const served = provider !== undefined && provider.clusterBinding.kind !== 'failed' && mismatch === undefined;
  const failure = provider?.clusterBinding.kind === 'failed' ? unreachable(provider.clusterBinding.error) : undefined;
  const connecting = decideConditions({
    ref: secret.ref,
    secret: secret.reading,
    connection: provider === undefined ? undefined : { serves: served, failure },
    served,
    mismatch,
  });
  const claimsOf = context.claims?.claimsOf;
  const recorded = (claimsOf ?? acceptedClaims)(binding);
  const nothing = {
    binding,
    secret,
    provider,
    export: undefined,
    resources: [],
    plans: [],
    conditions: connecting,
    writes: [],
    claims: recorded,
    claimsRecorded: recorded.length > 0,
    heldClaims: [],
  };
  if (!served) return nothing;

  const { observed, snapshots } = await observe(context, provider, binding, all);
  const decision = decide(observed);
  const apiExport = observed.export.kind === 'found' ? observed.export.export : undefined;
  const plans = apiExport === undefined ? [] : planSyncs({ export: apiExport, binding, resources: snapshots });
  const view = { ...nothing, export: apiExport, resources: snapshots, plans };
  switch (decision.kind) {
    case 'leave':
      return view;
    case 'noExport':
      return { ...view, conditions: [...connecting, ...concludeWithoutExport(decision.problem).set] };
    case 'bind': {
      const { results, writes } = await preview(context, binding, decision.resources, dryRun);
      const held = heldCondition(binding, results);
      return {
        ...view,
        conditions: [...connecting, ...conclude(results, decision.serving).set, ...(held === undefined ? [] : [held])],
        writes,
        claims: claimsOf === undefined ? (decision.status.permissionClaims ?? recorded) : recorded,
        heldClaims: decision.heldClaims,
      };
    }
  }
}

/** Any refusal except a missing ClusterBinding means that all other reads fail too. */
async function openProvider(context: ExplainContext, { reading }: SecretView): Promise<ProviderView | undefined> {
  const fromSecret = reading.kind === 'valid' ? reading : undefined;
  const config = context.provider ?? fromSecret?.config;
  // An administrator's kubeconfig need not name the consumer's namespace; the Secret does.
  const clusterNamespace = fromSecret?.clusterNamespace ?? config?.namespace;
  if (config === undefined || clusterNamespace === undefined) return undefined;
  const client = context.connect(config);
  const { signal } = context;
  const clusterBinding = await read<ClusterBinding>(
    client,
    resources.clusterBindings,
    { namespace: clusterNamespace, name: fixedNames.clusterBinding },
    { signal },
  );
  const serviceNamespaces: LiveList<APIServiceNamespace> =
    clusterBinding.kind === 'failed'
      ? { kind: 'listed', items: [] }
      : await list<APIServiceNamespace>(client, resources.apiServiceNamespaces, {
          namespace: clusterNamespace,
          signal,
        });
  return {
    client,
    config,
    server: config.server,
    clusterNamespace,
    identities:
      clusterBinding.kind === 'failed'
        ? { provider: undefined, consumer: undefined }
        : await readIdentities(context.consumer, client, clusterNamespace, signal),
    clusterBinding: serviceNamespaces.kind === 'failed' ? serviceNamespaces : clusterBinding,
    serviceNamespaces: serviceNamespaces.kind === 'failed' ? [] : serviceNamespaces.items,
  };
}

function unreachable(error: ApiError): { readonly reason: 'InformerSyncFailed'; readonly message: string } {
  return { reason: 'InformerSyncFailed', message: sentence(error.message) };
}

async function observe(
  context: ExplainContext,
  provider: ProviderView,
  binding: APIServiceBinding,
  all: readonly APIServiceBinding[],
): Promise<{ readonly observed: Observed; readonly snapshots: readonly ResourceSnapshot[] }> {
  const { signal } = context;
  const { client, clusterNamespace: namespace, clusterBinding } = provider;
  const { name } = binding.metadata;
  const prettyName: Observed['prettyName'] = {
    kind: 'known',
    value: clusterBinding.kind === 'found' ? clusterBinding.object.spec.providerPrettyName : '',
  };
  const live = await read<APIServiceExport>(client, resources.apiServiceExports, { namespace, name }, { signal });
  const nowMs = context.now();
  const unbound = (reading: Observed['export']): Awaited<ReturnType<typeof observe>> => ({
    observed: { binding, export: reading, resources: [], prettyName, nowMs, time: nowMs },
    snapshots: [],
  });
  if (live.kind === 'failed') return unbound({ kind: 'unreadable', error: live.error });
  if (live.kind === 'missing')
    return unbound({ kind: 'missing', failedRequest: await failedRequestOf(provider, name, signal) });
  const apiExport = live.object;
  const malformed = malformation('APIServiceExport', apiExport);
  if (malformed !== undefined) return unbound({ kind: 'malformed', ...malformed });
  const wanted = new WantedCRDs(context.crds);
  const parts = new Map<
    string,
    Pick<ResourceObserved, 'schema' | 'crd' | 'gate'> & { readonly snapshot: ResourceSnapshot }
  >();
  for (const resource of resourceNames(apiExport))
    parts.set(resource, await observeResource(context, client, namespace, resource, wanted, binding));
  // Of other bindings, only the resources in their status are known here.
  const claimants = all.map((other) => ({
    binding: other,
    wants: (resource: string) =>
      (other.metadata.name === name ? apiExport.spec.resources : (other.status?.boundSchemas ?? [])).some(
        (one) => resourceGroupName(one) === resource,
      ),
  }));
  const observed: Observed = {
    binding,
    export: { kind: 'found', export: apiExport },
    resources: apiExport.spec.resources.flatMap((resource) => {
      const resourceName = resourceGroupName(resource);
      const part = parts.get(resourceName);
      return part === undefined
        ? []
        : [
            {
              name: resourceName,
              resource,
              schema: part.schema,
              crd: part.crd,
              gate: part.gate,
              olderRival: olderRival(binding, resourceName, claimants),
            },
          ];
    }),
    prettyName,
    nowMs,
    time: nowMs,
  };
  return { observed, snapshots: [...parts.values()].map(({ snapshot }) => snapshot) };
}

/** Why the provider refused the request for an export, if it did. */
async function failedRequestOf(
  { client, clusterNamespace: namespace }: ProviderView,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const request = await read<APIServiceExportRequest>(
    client,
    resources.apiServiceExportRequests,
    { namespace, name },
    { signal },
  );
  return request.kind === 'found' && request.object.status?.phase === 'Failed'
    ? (request.object.status.terminalMessage ?? 'it gave no reason')
    : undefined;
}

async function observeResource(
  context: ExplainContext,
  provider: Client,
  namespace: string,
  name: string,
  wanted: WantedCRDs,
  binding: APIServiceBinding,
): Promise<Pick<ResourceObserved, 'schema' | 'crd' | 'gate'> & { readonly snapshot: ResourceSnapshot }> {
  const { consumer, signal } = context;
  const live = await read<BoundSchema>(provider, resources.boundSchemas, { namespace, name }, { signal });
  const crd = await read<CustomResourceDefinition>(consumer, resources.customResourceDefinitions, { name }, { signal });
  const found = crd.kind === 'found' ? crd.object : undefined;
  const spec = live.kind === 'found' ? live.object.spec : undefined;
  const served = spec === undefined ? undefined : servedResource(spec);
  const providerScope =
    found === undefined || served === undefined ? 'unknown' : await readProviderScope(provider, served, signal);
  const schema: SchemaReading =
    live.kind === 'found'
      ? wanted.of(live.object)
      : live.kind === 'missing'
        ? { kind: 'missing' }
        : { kind: 'unreadable', error: live.error };
  return {
    schema,
    gate: await readGateOf(context, schema, found, binding),
    crd:
      crd.kind === 'found'
        ? {
            kind: 'present',
            object: crd.object,
            ...(isOwnedByBinding(crd.object, binding) ? { full: crd.object } : {}),
          }
        : crd.kind === 'missing'
          ? { kind: 'absent' }
          : { kind: 'unreadable', error: crd.error },
    snapshot: {
      name,
      crd: found,
      providerScope,
      schema:
        live.kind === 'found'
          ? { kind: 'found', schema: live.object }
          : live.kind === 'missing'
            ? { kind: 'missing' }
            : { kind: 'unreadable', message: live.error.message },
    },
  };
}

/** Whether a changed schema would have to wait. */
async function readGateOf(
  { consumer, schemaPolicy = 'Safe', signal }: ExplainContext,
  schema: SchemaReading,
  crd: CustomResourceDefinition | undefined,
  binding: APIServiceBinding,
): Promise<ResourceObserved['gate']> {
  if (schema.kind !== 'found') return undefined;
  const terms = gateTerms(binding, schema.wanted, schemaPolicy);
  const changed = crd !== undefined && isOwnedByBinding(crd, binding) && !sameCrdSpec(crd.spec, schema.wanted.spec);
  return { terms, hold: changed ? await readGate(consumer, crd, schema.wanted, terms, signal) : undefined };
}

/** Runs the konnector's handling of CRDs with a client that does not write. */
async function preview(
  { consumer, signal, ...context }: ExplainContext,
  binding: APIServiceBinding,
  actions: readonly ResourceAction[],
  dryRun: boolean,
): Promise<{ readonly results: Awaited<ReturnType<typeof act>>['results']; readonly writes: readonly PlannedWrite[] }> {
  const writes: PlannedWrite[] = [];
  const crds = new Map<string, KubeObject>();
  for (const action of actions) {
    if (action.kind !== 'updateCRD') continue;
    const live = await read(consumer, resources.customResourceDefinitions, { name: action.name }, { signal });
    if (live.kind === 'found') crds.set(action.name, live.object);
  }
  const client = previewClient(consumer, {
    side: 'consumer',
    known: (_, { name }) => crds.get(name) as never,
    planned: (write) => {
      writes.push(write);
    },
    dryRun,
  });
  try {
    const { results } = await act(
      {
        consumer: client,
        crds: { observe: () => undefined },
        attempts: new Map(),
        now: () => context.now(),
        undone: () => undefined,
      },
      binding,
      actions,
      signal,
    );
    return { results, writes };
  } catch (error) {
    // The cluster changed just now: keep the state as read.
    if (error instanceof Error && !isApiError(error, 'Aborted')) return { results: [], writes };
    throw error;
  }
}
