import {
  annotations,
  type Binding,
  type Connection,
  connectionOf,
  type ConsumerCRD,
  consumerCRD,
  objectSelector,
} from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import type { ProviderLink } from '@hawser/kbind-connection';
import { equal } from '@hawser/json';
import type { Action } from './actions.js';
import { titleOf } from './coverage.js';
import type { APIObserved, SyncConfig } from './observed.js';

/** State of one API, and the steps it needs first. */
export type APIVerdict =
  /** Steps towards a served API. */
  | { readonly kind: 'steps'; readonly actions: readonly Action[] }
  | { readonly kind: 'waits'; readonly reason: WaitingReason; readonly message: string }
  | {
      readonly kind: 'serves';
      readonly hash: string | undefined;
      /** The Connection that owns the CRD and sets its schema, if this provider offers another one. */
      readonly schemaOf?: string | undefined;
    };

/** Why an API is not served. */
export type WaitingReason =
  | 'APINotExported'
  | 'OverlappingBinding'
  | 'InvalidSelector'
  | 'ClusterScopedAPI'
  | 'NoServedVersion'
  | 'NotInstalled'
  | 'ForeignCustomResourceDefinition'
  | 'CustomResourceDefinitionTerminating'
  | 'CustomResourceDefinitionNotEstablished'
  | 'Forbidden'
  | 'Pending';

export interface APIContext {
  readonly key: string;
  readonly binding: Binding;
  readonly connection: Connection;
  readonly link: ProviderLink;
}

/** Decides about one API to serve. Pure; a waiting API does not block others. */
export function decideAPI(api: APIObserved, context: APIContext): APIVerdict {
  const { name, exported, provided, rival, sync } = api;
  const { binding } = context;
  const selector = objectSelector(binding);
  if (selector.kind === 'invalid')
    return keepRunning(
      api,
      context,
      'InvalidSelector',
      `The annotation ${annotations.objectSelector} is no label selector: ${selector.message}. It selects nothing; what is synced already goes on. Correct it, or take it away to select all objects.`,
    );
  if (rival !== undefined)
    return keepRunning(
      api,
      context,
      'OverlappingBinding',
      `${titleOf(binding)} leaves ${name} to ${rival.title}, which comes first and selects some of the same objects. Give each the annotation ${annotations.objectSelector} with selectors that never meet, delete one of the two, or take the API out of one.`,
    );
  if (exported === undefined || provided === undefined)
    return waits('APINotExported', `The provider does not offer ${name}. It has to label the CRD.`);
  if (exported.scope === 'Cluster' && context.binding.metadata.namespace !== undefined)
    return waits('ClusterScopedAPI', `${name} is cluster-scoped: it needs a ClusterBinding.`);
  const crd = decideCRD(api, provided, context.connection, 'shared');
  // Another party owns its objects now, even those that this binding served before (spec/kbind-v2.md §27.5, K53).
  if (crd.kind === 'waits' && crd.reason === 'ForeignCustomResourceDefinition')
    return stopped(api, context, crd.reason, crd.message);
  if (crd.kind !== 'stands') return crd;
  const config = configOf(crd.live, api, context, false);
  if (config === undefined)
    return waits(
      'NoServedVersion',
      `No version of ${name} is served both by the CRD of this cluster and by the provider.`,
    );
  if (sync === undefined || !sameConfig(sync.config, config))
    return { kind: 'steps', actions: [{ type: 'startSync', key: context.key, binding, config }] };
  const [trouble] = sync.troubles;
  if (trouble !== undefined) return waits('Forbidden', `${name} cannot be watched: ${trouble.message}`);
  const hash = crd.live.metadata.annotations?.[annotations.schemaHash];
  const owner = connectionOf(crd.live);
  const isOther = owner !== context.connection.metadata.name && consumerCRD(provided, '')?.hash !== hash;
  return { kind: 'serves', hash, ...(isOther ? { schemaOf: owner } : {}) };
}

/** Starts nothing new. What runs continues, unless another binding has taken all of it over. */
function keepRunning(api: APIObserved, context: APIContext, reason: WaitingReason, message: string): APIVerdict {
  const { crd, rival, sync } = api;
  if (rival?.takesAll === true) return stopped(api, context, reason, message);
  const stands = crd !== undefined && connectionOf(crd) !== undefined && established(api.name, crd).kind === 'stands';
  const config = stands ? configOf(crd, api, context, false) : undefined;
  if (config === undefined || (sync !== undefined && sameConfig(sync.config, config))) return waits(reason, message);
  return { kind: 'steps', actions: [{ type: 'startSync', key: context.key, binding: context.binding, config }] };
}

/** State of an API's CRD, and the steps it needs first. */
export type CRDVerdict =
  | Extract<APIVerdict, { kind: 'steps' | 'waits' }>
  | { readonly kind: 'stands'; readonly live: CustomResourceDefinition };

/**
 * Decides about the CRD of one API (spec/kbind-v2.md §12). Pure; never writes a CRD of another owner. `use`: whether
 * the CRD of another Connection is acceptable.
 */
export function decideCRD(
  { name, crd: live, hold, abandoned }: Pick<APIObserved, 'name' | 'crd' | 'hold' | 'abandoned'>,
  provided: CustomResourceDefinition,
  { metadata: { name: connection }, spec }: Connection,
  use: 'own' | 'shared',
): CRDVerdict {
  const { pullPolicy = 'Bound', updatePolicy = 'Always' } = spec.schema ?? {};
  const wanted = consumerCRD(provided, connection, live);
  if (wanted === undefined)
    return waits('NoServedVersion', `The provider serves no version of ${name} that has a schema.`);
  if (live === undefined)
    return pullPolicy === 'None'
      ? waits('NotInstalled', `There is no CRD ${name}, and the Connection's pull policy is None. Install it.`)
      : { kind: 'steps', actions: [{ type: 'createCRD', crd: wanted.crd }] };
  if (live.metadata.deletionTimestamp !== undefined)
    return waits(
      'CustomResourceDefinitionTerminating',
      `The CRD ${name} is being deleted. It is made anew when it is gone.`,
    );
  const owner = connectionOf(live);
  if (owner === undefined && pullPolicy === 'None')
    return { kind: 'steps', actions: [{ type: 'markCRD', live, connection }] };
  if (owner !== undefined && owner !== connection && use === 'shared') {
    if (abandoned) return { kind: 'steps', actions: [{ type: 'claimCRD', live, connection }] };
    if (isSameKind(live, provided)) return established(name, live);
  }
  if (owner !== connection)
    return waits(
      'ForeignCustomResourceDefinition',
      owner === undefined
        ? `The CRD ${name} was not installed by this konnector; it is left as it is, and none of its objects is synced; those that have copies cannot go. Delete it, or set the Connection's pull policy None to use it.`
        : `The CRD ${name} belongs to Connection ${owner}, and this provider offers another kind or scope by that name. Unbind it there first.`,
    );
  const follows = pullPolicy !== 'None' && updatePolicy === 'Always' && isOtherCRD(live, wanted) && hold === undefined;
  if (follows) return { kind: 'steps', actions: [{ type: 'updateCRD', live, wanted: wanted.crd }] };
  return established(name, live);
}

/** Whether objects of one CRD are objects of the other, regardless of their schemas. */
function isSameKind({ spec: a }: CustomResourceDefinition, { spec: b }: CustomResourceDefinition): boolean {
  return (
    a.group === b.group && a.scope === b.scope && a.names.kind === b.names.kind && a.names.plural === b.names.plural
  );
}

/**
 * Whether the provider's offer differs from the installed CRD, or a version kept for stored objects is no longer
 * needed.
 */
export function isOtherCRD({ metadata, spec }: CustomResourceDefinition, { hash, crd }: ConsumerCRD): boolean {
  return (
    metadata.annotations?.[annotations.schemaHash] !== hash ||
    spec.versions.some(({ name }) => !crd.spec.versions.some((version) => version.name === name))
  );
}

function established(name: string, live: CustomResourceDefinition): CRDVerdict {
  const of = (type: string): { readonly status: string; readonly message?: string | undefined } | undefined =>
    live.status?.conditions?.find((condition) => condition.type === type);
  if (of('Established')?.status === 'True') return { kind: 'stands', live };
  const serverMessage =
    of('NamesAccepted')?.status === 'False' ? ` It says: ${of('NamesAccepted')?.message ?? ''}` : '';
  return waits('CustomResourceDefinitionNotEstablished', `The API server does not serve ${name} yet.${serverMessage}`);
}

/** Parameters of an API's sync. Of the versions that both sides serve, picks the one stored here, else the first. */
export function configOf(
  { spec }: CustomResourceDefinition,
  { name, provided }: Pick<APIObserved, 'name' | 'provided'>,
  { binding, link }: Pick<APIContext, 'binding' | 'link'>,
  draining: SyncConfig['draining'],
): SyncConfig | undefined {
  const served = spec.versions.filter((version) => version.served && isServed(provided, version.name));
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (version === undefined) return undefined;
  return {
    bindingUID: binding.metadata.uid,
    api: name,
    group: spec.group,
    version: version.name,
    plural: spec.names.plural,
    statusSubresource: version.subresources?.status !== undefined,
    namespace: binding.metadata.namespace,
    draining,
    link,
  };
}

/** If the provider's CRD is unknown, as when a binding goes, assume that it still serves the version. */
function isServed(provided: CustomResourceDefinition | undefined, name: string): boolean {
  return provided?.spec.versions.some((version) => version.name === name && version.served) !== false;
}

export function sameConfig({ link: a, ...one }: SyncConfig, { link: b, ...other }: SyncConfig): boolean {
  return a === b && equal(one, other);
}

function waits(reason: WaitingReason, message: string): Extract<APIVerdict, { kind: 'waits' }> {
  return { kind: 'waits', reason, message };
}

/** Stops a running sync first: only one binding may win. */
function stopped(api: APIObserved, { key }: APIContext, reason: WaitingReason, message: string): APIVerdict {
  return api.sync === undefined
    ? waits(reason, message)
    : { kind: 'steps', actions: [{ type: 'stopSync', key, api: api.name }] };
}
