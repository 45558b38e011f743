import {
  type Binding,
  type Connection,
  type ConnectionStatus,
  conditionFalse,
  conditionTrue,
  conditionTypes,
  conditionUnknown,
  finalizers,
  isConditionTrue,
  type NewCondition,
  setConditions,
} from '@hawser/core-kbind';
import type { Decision as AnyDecision } from '@hawser/controller';
import { equal } from '@hawser/json';
import { type Secret, hawserAnnotations } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type AutoBindingChange, decideAutoBinding, isOfAutoBind } from './auto-binding.js';
import type { OffersSource } from './links.js';
import type { IdentityReading, Observed, WayReading } from './observed.js';

/** One step for a Connection. */
export type Action =
  | { readonly type: 'addFinalizer'; readonly connection: Connection }
  | { readonly type: 'removeFinalizer'; readonly connection: Connection }
  /** The kubeconfig must outlive the Connection. */
  | { readonly type: 'holdSecret'; readonly secret: Secret }
  | { readonly type: 'releaseSecret'; readonly secret: Secret; readonly connection: Connection }
  | {
      readonly type: 'try';
      readonly name: string;
      readonly hash: string;
      readonly config: ConnectionConfig;
      readonly source: OffersSource;
    }
  | { readonly type: 'use'; readonly name: string; readonly localUID: string; readonly remoteUID: string }
  /** Ends the trial: the Secret has changed. */
  | { readonly type: 'abandon'; readonly name: string }
  /** Ends the link in use; the trial continues. */
  | { readonly type: 'suspend'; readonly name: string }
  | { readonly type: 'close'; readonly name: string }
  /** Creates or widens the ClusterBinding of `autoBind`. */
  | { readonly type: 'autoBind'; readonly change: AutoBindingChange }
  | { readonly type: 'deleteAutoBinding'; readonly binding: Binding; readonly connection: Connection }
  /** The provider no longer needs the Lease of this cluster. */
  | { readonly type: 'endHeartbeat'; readonly connection: Connection }
  | { readonly type: 'writeStatus'; readonly connection: Connection; readonly facts: StatusFacts };

/** Fields for the status. Absent fields stay as they are. */
export interface StatusFacts {
  readonly fields: Pick<
    ConnectionStatus,
    'activeSchemaSource' | 'exportedAPIs' | 'localClusterUID' | 'remoteClusterUID'
  >;
  readonly conditions: readonly NewCondition[];
}

export type Decision = AnyDecision<Action>;

/** Interval between identity checks of a working provider. */
const RECHECK_MS = 60_000;
/** Interval between checks of a failing provider. */
const RETRY_MS = 10_000;

/** Decides the next steps for a Connection. Pure. */
export function decide(observed: Observed): Decision {
  const { connection, name, current, trial } = observed;
  if (connection === undefined)
    return { actions: current === undefined && trial === undefined ? [] : [{ type: 'close', name }] };
  const { deletionTimestamp, finalizers: held = [] } = connection.metadata;
  if (deletionTimestamp !== undefined) return decideEnd(observed, connection);
  if (observed.malformed !== undefined) return report(observed, connection, [malformed(observed.malformed)]);
  if (!held.includes(finalizers.cleanup)) return { actions: [{ type: 'addFinalizer', connection }] };
  const before = stepsBefore(observed);
  if (before.length > 0) return { actions: before };
  return conclude(observed, connection);
}

/** Steps that come before any status. */
function stepsBefore(observed: Observed): readonly Action[] {
  const { connection, name, secret, kubeconfig, current, trial, local } = observed;
  const isHeld = secret?.metadata.finalizers?.includes(finalizers.cleanup) === true;
  // A Secret with a deletion timestamp accepts no new finalizer (spec/kbind-v2.md §27.2, K18).
  if (secret !== undefined && !isHeld && secret.metadata.deletionTimestamp === undefined)
    return [{ type: 'holdSecret', secret }];
  const source = sourceOf(connection);
  if (kubeconfig.kind === 'valid' && ![trial, current].some((way) => isOf(kubeconfig, source, way)))
    return [{ type: 'try', name, hash: kubeconfig.hash, config: kubeconfig.config, source }];
  if (trial !== undefined && kubeconfig.kind !== 'unknown' && !isOf(kubeconfig, source, trial))
    return [{ type: 'abandon', name }];
  const isWrong = [current, trial].some((way) => way !== undefined && isOtherProvider(connection, way.identity));
  if (current !== undefined && (isWrong || isOtherConsumer(connection, local))) return [{ type: 'suspend', name }];
  return trial !== undefined && isOf(kubeconfig, source, trial) ? useTrial(observed, trial) : [];
}

function isOf(kubeconfig: Observed['kubeconfig'], source: OffersSource, way: WayReading | undefined): boolean {
  return kubeconfig.kind === 'valid' && kubeconfig.hash === way?.hash && source === way.source;
}

/** `Auto` means labelled CRDs: a provider without labelled CRDs offers nothing (spec/kbind-v2.md §27.3, K22). */
function sourceOf(connection: Connection | undefined): OffersSource {
  return connection?.spec.schema?.source === 'OpenAPI' ? 'OpenAPI' : 'CRD';
}

function useTrial({ connection, name, local }: Observed, { identity, offers }: WayReading): readonly Action[] {
  if (identity.kind !== 'known' || local.kind !== 'known' || offers.kind !== 'known') return [];
  if (isOtherProvider(connection, identity) || isOtherConsumer(connection, local)) return [];
  return [{ type: 'use', name, localUID: local.uid, remoteUID: identity.uid }];
}

/**
 * Bindings go first, over the existing link; then the Secret is released, then the Connection (spec/kbind-v2.md §20.2).
 */
function decideEnd(observed: Observed, connection: Connection): Decision {
  const { name, secret, secretIsShared, users, current, trial } = observed;
  if (connection.metadata.finalizers?.includes(finalizers.cleanup) !== true)
    return { actions: current === undefined && trial === undefined ? [] : [{ type: 'close', name }] };
  const { autoBinding, providerIsShared, heartbeatEnded } = observed;
  // Its owner reference would make it wait for the Connection, which waits for it.
  if (
    connection.spec.autoBind === true &&
    autoBinding !== undefined &&
    autoBinding.metadata.deletionTimestamp === undefined &&
    isOfAutoBind(autoBinding, connection)
  )
    return { actions: [{ type: 'deleteAutoBinding', binding: autoBinding, connection }] };
  if (users > 0) {
    const message = `${users === 1 ? '1 ClusterBinding or Binding names' : `${users} ClusterBindings and Bindings name`} this Connection. It goes when they are gone: delete them. To keep the copies of their objects, annotate them with ${hawserAnnotations.unbindPolicy}=Orphan first.`;
    const steps = stepsBefore({ ...observed, secret: undefined });
    if (steps.length > 0) return { actions: steps };
    // Until then its bindings continue, and need its state and offers.
    const standing = (standingOf(observed, connection) ?? []).filter(({ type }) => type !== conditionTypes.ready);
    const draining = conditionFalse(conditionTypes.ready, 'DrainingBindings', message);
    return report(observed, connection, [...standing, draining]);
  }
  const isHeld = secret?.metadata.finalizers?.includes(finalizers.cleanup) === true;
  if (secret !== undefined && isHeld && !secretIsShared)
    return { actions: [{ type: 'releaseSecret', secret, connection }] };
  if (current !== undefined && !providerIsShared && !heartbeatEnded)
    return { actions: [{ type: 'endHeartbeat', connection }] };
  return { actions: [{ type: 'removeFinalizer', connection }] };
}

/** Reports the state, and maintains the ClusterBinding of `autoBind`. */
function conclude(observed: Observed, connection: Connection): Decision {
  const standing = standingOf(observed, connection);
  if (standing === undefined)
    return observed.kubeconfig.kind === 'unknown' ? { actions: [] } : { actions: [], requeueAfterMs: RETRY_MS };
  const { current, trial, autoBinding } = observed;
  const works = standing.some(({ type, status }) => type === conditionTypes.ready && status === 'True');
  if (!works || trial !== undefined || current?.offers.kind !== 'known') return report(observed, connection, standing);
  const { change, conditions } = decideAutoBinding(connection, autoBinding, current.offers.apis);
  if (change !== undefined) return { actions: [{ type: 'autoBind', change }] };
  return report(observed, connection, [...standing, ...conditions]);
}

/** State of the Connection; undefined: before the first answer after a start. */
function standingOf(
  { kubeconfig, current, trial, local }: Observed,
  connection: Connection,
): readonly NewCondition[] | undefined {
  const way = trial ?? current;
  switch (kubeconfig.kind) {
    case 'unknown':
      return undefined;
    case 'refused':
      return [
        conditionFalse(conditionTypes.secretValid, kubeconfig.reason, kubeconfig.message),
        ...(current === undefined
          ? [conditionUnknown(conditionTypes.connected, kubeconfig.reason, 'There is no kubeconfig to connect with.')]
          : []),
        conditionFalse(conditionTypes.ready, kubeconfig.reason, withOldOne(kubeconfig.message, current)),
      ];
    case 'valid':
      if (way?.offers.kind === 'listing' && way.identity.kind === 'known') return undefined;
  }
  const connected = connectedConditions(connection, local, way);
  const isReady = !connected.some(({ type, status }) => type === conditionTypes.ready && status === 'False');
  return [
    conditionTrue(conditionTypes.secretValid, 'AsExpected'),
    ...connected,
    ...(isReady ? offersConditions(way) : []),
  ];
}

/** Whether both clusters are still the pinned ones. */
function connectedConditions(
  connection: Connection,
  local: IdentityReading,
  way: WayReading | undefined,
): readonly NewCondition[] {
  const both = (reason: string, message: string): readonly NewCondition[] => [
    conditionFalse(conditionTypes.connected, reason, message),
    conditionFalse(conditionTypes.ready, reason, message),
  ];
  const denied = (message: string): readonly NewCondition[] => [
    conditionTrue(conditionTypes.permissionDenied, 'Forbidden', message),
    conditionFalse(conditionTypes.ready, 'Forbidden', message),
  ];
  if (way === undefined) return both('Pending', 'The provider has not been asked yet.');
  const { identity } = way;
  if (identity.kind === 'refused')
    return denied(
      `The provider does not let this kubeconfig read who it is: ${identity.message}. The provider has to allow get of namespace kube-system.`,
    );
  if (identity.kind === 'unreachable') return both('Pending', `The provider does not answer: ${identity.message}`);
  if (local.kind !== 'known') return both('Pending', `It cannot be read which cluster this is: ${local.message}`);
  const { remoteClusterUID, localClusterUID } = connection.status ?? {};
  if (isOtherProvider(connection, identity))
    return both(
      'ClusterIdentityChanged',
      `The kubeconfig leads to cluster ${identity.uid}, and this Connection is bound to ${remoteClusterUID ?? ''}. Nothing is written there. Put the right kubeconfig into the Secret, or take status.remoteClusterUID away to accept the other cluster.`,
    );
  if (isOtherConsumer(connection, local))
    return both(
      'ClusterIdentityChanged',
      `This cluster is ${local.uid}, and this Connection was made in ${localClusterUID ?? ''}: it is a copy, or the cluster was restored. Nothing is written to the provider. Take status.localClusterUID away if this cluster has taken the place of the other.`,
    );
  return [conditionTrue(conditionTypes.connected, 'AsExpected')];
}

function offersConditions(way: WayReading | undefined): readonly NewCondition[] {
  const offers = way?.offers ?? { kind: 'listing' };
  switch (offers.kind) {
    case 'refused': {
      const message = `The provider does not let this kubeconfig read what it offers: ${offers.message}. The provider has to allow get, list and watch of customresourcedefinitions, or get of /apis and /openapi/v3 where the schema source is OpenAPI.`;
      return [
        conditionTrue(conditionTypes.permissionDenied, 'Forbidden', message),
        conditionFalse(conditionTypes.ready, 'Forbidden', message),
      ];
    }
    case 'listing':
      return [conditionFalse(conditionTypes.ready, 'Pending', 'What the provider offers is not known yet.')];
    case 'unreachable':
      return [
        conditionFalse(conditionTypes.ready, 'Pending', `What the provider offers is not known: ${offers.message}`),
      ];
    case 'known':
      return [
        conditionFalse(conditionTypes.permissionDenied, 'AsExpected', ''),
        conditionTrue(conditionTypes.ready, 'AsExpected'),
      ];
  }
}

function report(observed: Observed, connection: Connection, conditions: readonly NewCondition[]): Decision {
  const facts: StatusFacts = { conditions, fields: fieldsOf(observed, connection, conditions) };
  const ready = conditions.find(({ type }) => type === conditionTypes.ready);
  const isWritten = statusOf(connection.status ?? {}, connection, facts, observed.now) === connection.status;
  const works = ready?.status === 'True';
  return {
    actions: isWritten ? [] : [{ type: 'writeStatus', connection, facts }],
    requeueAfterMs: works ? RECHECK_MS : RETRY_MS,
    ...(works || ready === undefined || passing.has(ready.reason)
      ? {}
      : { event: { type: 'Warning', reason: ready.reason, message: ready.message } as const }),
  };
}

/** Reasons without an Event: the state passes, or waits for users. */
const passing: ReadonlySet<string> = new Set(['Pending', 'DrainingBindings']);

/**
 * Pins identities as soon as both are proven, and records offers as soon as they are known. They stay current while
 * another kubeconfig is refused or tried: the one in use goes on.
 */
function fieldsOf(
  { local, current }: Observed,
  { status }: Connection,
  conditions: readonly NewCondition[],
): StatusFacts['fields'] {
  if (current?.identity.kind !== 'known' || local.kind !== 'known') return {};
  const pins = { remoteClusterUID: current.identity.uid, localClusterUID: local.uid };
  const isPinned =
    status?.remoteClusterUID === pins.remoteClusterUID && status.localClusterUID === pins.localClusterUID;
  const isConnected = conditions.some(({ type, status: is }) => type === conditionTypes.connected && is === 'True');
  if (!isPinned && !isConnected) return {};
  return {
    ...pins,
    ...(current.offers.kind === 'known'
      ? { activeSchemaSource: current.source, exportedAPIs: current.offers.apis }
      : {}),
  };
}

/** The status with the facts; the same object if they change nothing. */
export function statusOf(
  status: ConnectionStatus,
  { metadata }: Connection,
  { fields, conditions }: StatusFacts,
  now: number,
): ConnectionStatus {
  const next: ConnectionStatus = {
    ...status,
    ...fields,
    conditions: setConditions(status.conditions, conditions, metadata.generation, now),
  };
  return equal(status, next) ? status : next;
}

/** Whether a Connection is usable. */
export function isReady({ status }: Connection): boolean {
  return isConditionTrue(status?.conditions, conditionTypes.ready);
}

function malformed(problem: string): NewCondition {
  return conditionFalse(
    conditionTypes.ready,
    'Malformed',
    `${problem}. The CRD in this cluster is not that of the contract; correct this object, and install the CRD of the chart.`,
  );
}

function withOldOne(message: string, current: WayReading | undefined): string {
  return current === undefined
    ? message
    : `${message} What was connected before goes on with the kubeconfig that it had.`;
}

function isOtherProvider(connection: Connection | undefined, identity: IdentityReading): boolean {
  return isOther(connection?.status?.remoteClusterUID, identity);
}

function isOtherConsumer(connection: Connection | undefined, identity: IdentityReading): boolean {
  return isOther(connection?.status?.localClusterUID, identity);
}

function isOther(pinned: string | undefined, identity: IdentityReading): boolean {
  return pinned !== undefined && pinned !== '' && identity.kind === 'known' && identity.uid !== pinned;
}
