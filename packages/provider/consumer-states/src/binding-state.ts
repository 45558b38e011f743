import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type ClusterBinding,
  type Condition,
  type Dialect,
  conditionReasons,
  conditionTypes,
  credentialWord,
  getCondition,
  hawserAnnotations,
  isWithdrawn,
  isWithdrawnByNamespace,
  resourceGroupName,
} from '@hawser/kube-bind';
import { contactOf } from './contact.js';
import { sanitizeText } from './sanitize-text.js';
import type { BindingFacts, ConsumerFacts, Copies } from './binding-facts.js';

/** State of a binding as a whole. Closed. */
export type BindingHealth = 'works' | 'waits' | 'silent' | 'stopped' | 'ended';

/** Who must act. */
export type Actor = 'you' | 'provider';

/** One step from a request to the first object. */
export interface Step {
  readonly id: 'asked' | 'granted' | 'inContact' | 'installed' | 'firstObject';
  readonly title: string;
  /** `current`: the awaited step. `stopped`: a step that does not go on by itself. */
  readonly state: 'done' | 'current' | 'stopped' | 'open';
  /** When it was done, RFC 3339. */
  readonly at?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly actor?: Actor | undefined;
}

/** A binding, as shown to everyone who may see it. */
export interface BindingState {
  readonly dialect: Dialect['name'];
  readonly namespace: string;
  readonly name: string;
  readonly cluster: { readonly identity: string; readonly prettyName: string };
  /** `<plural>.<group>`. */
  readonly resources: readonly string[];
  /** The template that granted it, if the export names it. */
  readonly template: string | undefined;
  readonly health: BindingHealth;
  readonly steps: readonly Step[];
  /** RFC 3339; undefined: never. */
  readonly lastContact: string | undefined;
  readonly konnectorVersion: string | undefined;
  /** Expiry of the cluster's credential, RFC 3339; `never`; undefined: not read. */
  readonly credentialExpires: string | undefined;
  /** Why the consumer's access was revoked. */
  readonly revoked: string | undefined;
  /** Undefined: not counted. */
  readonly copies: Copies | undefined;
}

/** Reason of a request that waits for an operator (packages/provider/exportrequest). */
export const APPROVAL_REQUIRED = 'ApprovalRequired';

/** Replaces the request's own message, which is for the approver. */
const AWAITS_APPROVAL = 'The provider approves each consumer of this API. Its operators see your request.';

/** Limit of shown resources: a request may name any number. */
const MOST_RESOURCES = 50;
/** Computes the state. Pure. `now` decides whether the consumer is silent: a condition may be outdated. */
export function stateOf(facts: BindingFacts, copies: Copies | undefined, now: number): BindingState {
  const { consumer, name, request, export: granted } = facts;
  const { dialect, namespace, cluster, clusterBinding } = consumer;
  const steps = settle([
    { id: 'asked', title: 'Asked for', state: 'done', at: (request ?? granted)?.metadata.creationTimestamp },
    grantedStep(facts),
    contactStep(consumer, now),
    installedStep(granted),
    objectStep(facts, copies),
  ]);
  return {
    dialect,
    namespace,
    name,
    cluster,
    resources: (granted ?? request)?.spec.resources.slice(0, MOST_RESOURCES).map(resourceGroupName) ?? [],
    template: granted?.metadata.annotations?.[hawserAnnotations.template],
    health: healthOf(steps, granted),
    steps,
    lastContact: clusterBinding?.status?.lastHeartbeatTime,
    konnectorVersion: versionOf(clusterBinding),
    credentialExpires: expiryOf(consumer),
    revoked: revocationOf(consumer),
    copies,
  };
}

/** The konnector version that a consumer reports, in at most 64 characters: real versions are shorter. */
export function versionOf(clusterBinding: ClusterBinding | undefined): string | undefined {
  const version = clusterBinding?.status?.konnectorVersion;
  return version === undefined ? undefined : sanitizeText(version, 64);
}

function expiryOf({ credential }: ConsumerFacts): string | undefined {
  return credential === undefined
    ? undefined
    : (credential.metadata.annotations?.[hawserAnnotations.credentialExpires] ?? 'never');
}

function revocationOf({ namespaceObject, clusterBinding }: ConsumerFacts): string | undefined {
  const word = credentialWord('revokeCredential', namespaceObject, clusterBinding);
  return word === undefined ? undefined : sanitizeText(word);
}

/**
 * Opens all steps after the first undone one, whatever was true of them before: the last shown step is what must happen
 * next.
 */
function settle(steps: readonly Step[]): readonly Step[] {
  const next = steps.findIndex(({ state }) => state !== 'done');
  return steps.map((step, index) => {
    if (next >= 0 && index > next && step.state !== 'done') return { id: step.id, title: step.title, state: 'open' };
    const { reason, message } = step;
    return {
      ...step,
      ...(reason === undefined ? {} : { reason: sanitizeText(reason, 128) }),
      ...(message === undefined ? {} : { message: sanitizeText(message) }),
    };
  });
}

function healthOf(steps: readonly Step[], granted: APIServiceExport | undefined): BindingHealth {
  if (getCondition(granted?.status?.conditions, conditionTypes.unbound)?.status === 'True') return 'ended';
  const stopped = steps.find(({ state }) => state === 'stopped');
  if (stopped !== undefined) return stoppedHealth(stopped);
  return steps.every(({ id, state }) => id === 'firstObject' || state === 'done') ? 'works' : 'waits';
}

/** Overall state that follows from a stopped step. */
export function stoppedHealth({ reason }: Step): BindingHealth {
  return reason === conditionReasons.heartbeatTimeout ? 'silent' : 'stopped';
}

function grantedStep({ request, export: granted, consumer, name }: BindingFacts): Step {
  const step = { id: 'granted', title: 'Granted by the provider' } as const;
  if (granted === undefined) return { ...step, ...waitingRequest(request) };
  if (isWithdrawn(granted.metadata) || isWithdrawnByNamespace(consumer.namespaceObject, name))
    return {
      ...step,
      state: 'stopped',
      reason: 'WithdrawnByOperator',
      message: granted.metadata.annotations?.[hawserAnnotations.withdrawn] ?? 'The provider has withdrawn the export.',
      actor: 'provider',
    };
  return { ...step, state: 'done', at: granted.metadata.creationTimestamp };
}

function waitingRequest(request: APIServiceExportRequest | undefined): Omit<Step, 'id' | 'title'> {
  const { phase, terminalMessage, conditions = [] } = request?.status ?? {};
  const condition = conditions.find(({ type, status }) => type !== 'Ready' && status === 'False');
  const { reason, message } = condition ?? {};
  if (reason === APPROVAL_REQUIRED) return { state: 'current', reason, message: AWAITS_APPROVAL, actor: 'provider' };
  if (phase === 'Failed') return { state: 'stopped', reason, message: terminalMessage ?? message, actor: 'you' };
  return { state: 'current', reason, message, actor: 'provider' };
}

const FIRST_CONTACT: Readonly<Record<Dialect['name'], string>> = {
  'kube-bind': 'Apply the bundle in your cluster, where the konnector has to run.',
  klutch: 'Finish kubectl bind in your terminal. The konnector has to run in your cluster.',
};

/** Whether a consumer is in contact. Believes its own words as far as they can be true. */
export function contactStep(consumer: ConsumerFacts, now: number): Step {
  const { dialect, clusterBinding } = consumer;
  const step = { id: 'inContact', title: 'Your cluster is in contact' } as const;
  const revoked = revocationOf(consumer);
  if (revoked !== undefined)
    return {
      ...step,
      state: 'stopped',
      reason: 'CredentialRevoked',
      message: `Access is revoked: ${revoked}`,
    };
  const at = clusterBinding?.status?.lastHeartbeatTime;
  switch (contactOf(clusterBinding?.status, now)) {
    case 'never':
      return {
        ...step,
        state: 'current',
        reason: conditionReasons.firstHeartbeatPending,
        message: FIRST_CONTACT[dialect],
        actor: 'you',
      };
    case 'future':
      return {
        ...step,
        state: 'stopped',
        reason: conditionReasons.heartbeatTimeDrift,
        message: 'The konnector reports a time in the future. Correct the clock of its node.',
        at,
        actor: 'you',
      };
    case 'silent':
      return {
        ...step,
        state: 'stopped',
        reason: conditionReasons.heartbeatTimeout,
        message: 'The konnector has stopped reporting. Check that it runs and that it reaches the provider.',
        at,
        actor: 'you',
      };
    case 'alive':
      return { ...step, state: 'done', at };
  }
}

function installedStep(granted: APIServiceExport | undefined): Step {
  const step = { id: 'installed', title: 'The API is served in your cluster' } as const;
  const conditions = granted?.status?.conditions;
  const connected = getCondition(conditions, conditionTypes.connected);
  const inSync = getCondition(conditions, conditionTypes.consumerInSync);
  if (connected?.status === 'True' && inSync?.status === 'True')
    return { ...step, state: 'done', at: later(connected, inSync) };
  const wrong = connected?.status === 'True' ? inSync : connected;
  if (wrong === undefined || wrong.severity === 'Info')
    return { ...step, state: 'current', message: 'The konnector has not bound this API yet.', actor: 'you' };
  return { ...step, state: 'stopped', reason: wrong.reason, message: wrong.message };
}

function later(one: Condition, other: Condition): string {
  return one.lastTransitionTime > other.lastTransitionTime ? one.lastTransitionTime : other.lastTransitionTime;
}

function objectStep({ export: granted }: BindingFacts, copies: Copies | undefined): Step {
  const step = { id: 'firstObject', title: 'The first object has arrived' } as const;
  if (copies?.oldest !== undefined) return { ...step, state: 'done', at: copies.oldest };
  if (copies === undefined) return { ...step, state: 'open' };
  const [first] = granted?.spec.resources ?? [];
  const resource = first === undefined ? 'an object' : `an object of ${resourceGroupName(first)}`;
  return { ...step, state: 'current', message: `Create ${resource} in your cluster.`, actor: 'you' };
}
