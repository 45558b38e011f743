import {
  type APIServiceExportRequest,
  type Dialect,
  approvedTemplates,
  conditionTypes,
  getCondition,
  resourceGroupName,
} from '@hawser/kube-bind';
import type { BindingFacts, ConsumerFacts } from '../bindings/binding-facts.js';
import { toldText } from '../bindings/told-text.js';
import {
  APPROVAL_REQUIRED,
  type BindingHealth,
  type BindingState,
  contactStep,
  stateOf,
  stoppedHealth,
  versionOf,
} from '../bindings/binding-state.js';
import type { AllConsumers, ConsumerBindings, Offer } from './consumer-reader.js';

/** A template that a consumer has asked for, and gets once it is approved. */
export interface WaitingApproval {
  readonly binding: string;
  readonly template: string;
}

/** A consumer, as operators are told of it. */
export interface ConsumerState {
  readonly dialect: Dialect['name'];
  readonly namespace: string;
  readonly cluster: { readonly identity: string; readonly prettyName: string };
  /** `<issuer>/<subject>`; empty: not brought in by the portal. */
  readonly owner: string;
  /** Of the worst of its bindings; without any, of its connection. */
  readonly health: BindingHealth;
  /** RFC 3339; undefined: never. */
  readonly lastContact: string | undefined;
  readonly konnectorVersion: string | undefined;
  readonly bindings: readonly BindingState[];
  readonly approvals: readonly WaitingApproval[];
  /** Exports that have a held schema. */
  readonly heldSchemas: readonly string[];
  /** What is left of exports that have ended, in words. */
  readonly left: string | undefined;
}

/** The worst first. */
const order: readonly BindingHealth[] = ['stopped', 'silent', 'waits', 'works', 'ended'];

/** All consumers, the worst first. Pure. */
export function consumerStates({ consumers, offers }: AllConsumers, now: number): readonly ConsumerState[] {
  const guarded = offers.filter(({ wantsApproval }) => wantsApproval);
  return consumers
    .map((one) => consumerState(one, guarded, now))
    .sort((a, b) => order.indexOf(a.health) - order.indexOf(b.health) || compare(a.lastContact, b.lastContact));
}

function compare(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function consumerState(
  { consumer, bindings }: ConsumerBindings,
  guarded: readonly Offer[],
  now: number,
): ConsumerState {
  const states = bindings.map((facts) => stateOf(facts, undefined, now));
  const { dialect, namespace, cluster, owner, clusterBinding } = consumer;
  const { lastHeartbeatTime, conditions } = clusterBinding?.status ?? {};
  const left = getCondition(conditions, conditionTypes.objectsLeft);
  return {
    dialect,
    namespace,
    cluster,
    owner,
    health: order.find((health) => states.some((state) => state.health === health)) ?? connectionHealth(consumer, now),
    lastContact: lastHeartbeatTime,
    konnectorVersion: versionOf(clusterBinding),
    bindings: states,
    approvals: bindings.flatMap((facts) => waitingApprovals(facts, guarded)),
    heldSchemas: bindings
      .filter(
        ({ export: one }) => getCondition(one?.status?.conditions, conditionTypes.schemaUpdateHeld)?.status === 'True',
      )
      .map(({ name }) => name),
    left: left?.status === 'True' ? toldText(left.message ?? '') : undefined,
  };
}

function connectionHealth(consumer: ConsumerFacts, now: number): BindingHealth {
  const step = contactStep(consumer, now);
  if (step.state === 'stopped') return stoppedHealth(step);
  return step.state === 'done' ? 'works' : 'waits';
}

/** Templates that cover what a request asks for, want an approval, and have none for this consumer. Only of requests that wait for one. */
function waitingApprovals(
  { consumer, name, request }: BindingFacts,
  guarded: readonly Offer[],
): readonly WaitingApproval[] {
  if (request === undefined || !waitsForApproval(request)) return [];
  const approved = approvedTemplates(consumer.clusterBinding);
  const asked = request.spec.resources.map(resourceGroupName);
  return guarded
    .filter(
      ({ dialect, key, resources }) =>
        dialect === consumer.dialect && !approved.has(key) && asked.every((one) => resources.includes(one)),
    )
    .map(({ key }) => ({ binding: name, template: key }));
}

function waitsForApproval({ status }: APIServiceExportRequest): boolean {
  return status?.conditions?.some(({ reason }) => reason === APPROVAL_REQUIRED) === true;
}
