import {
  type APIServiceExportRequest,
  type Dialect,
  approvedTemplates,
  conditionTypes,
  getCondition,
  parseTime,
  resourceGroupName,
} from '@hawser/kube-bind';
import type { BindingFacts, ConsumerFacts } from './binding-facts.js';
import { sanitizeText } from './sanitize-text.js';
import {
  APPROVAL_REQUIRED,
  type BindingHealth,
  type BindingState,
  type Step,
  contactStep,
  stateOf,
  stoppedHealth,
  versionOf,
} from './binding-state.js';
import type { AllConsumers, ConsumerBindings, Offer } from './consumer-reader.js';
import { type OpenChange, heldDeletions, oldestOpenChange } from './open-change.js';
import { type VersionSkew, versionSkew } from './version-skew.js';

/** A requested template that waits for approval. */
export interface WaitingApproval {
  readonly binding: string;
  readonly template: string;
}

/** A consumer, as shown to operators. */
export interface ConsumerState {
  readonly dialect: Dialect['name'];
  readonly namespace: string;
  readonly cluster: { readonly identity: string; readonly prettyName: string };
  /** `<issuer>/<subject>`; empty: not onboarded by the portal. */
  readonly owner: string;
  /** The worst state of its bindings; without any, that of its connection. */
  readonly health: BindingHealth;
  /** RFC 3339; undefined: never. */
  readonly lastContact: string | undefined;
  readonly konnectorVersion: string | undefined;
  /** The konnector's version against the provider's. */
  readonly skew: VersionSkew;
  /**
   * The change that has been on its way for longest. Single objects are not included: the provider does not see those.
   */
  readonly oldestOpen: OpenChange | undefined;
  /** Whether it is in contact, and if not, why. */
  readonly connection: Step;
  readonly bindings: readonly BindingState[];
  readonly approvals: readonly WaitingApproval[];
  /** Exports with a held schema. */
  readonly heldSchemas: readonly string[];
  /** Deletions that wait: for their budget, for rights, or for proof. */
  readonly heldDeletions: readonly OpenChange[];
  /** What is left of ended exports, in words. */
  readonly left: string | undefined;
}

/** The worst first. */
const order: readonly BindingHealth[] = ['stopped', 'silent', 'waits', 'works', 'ended'];

/** Values to compare consumers with. */
interface Beside {
  /** Version of the provider. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** All consumers, the worst first: by state, then by the age of the oldest open change. Pure. */
export function consumerStates({ consumers, offers }: AllConsumers, beside: Beside): readonly ConsumerState[] {
  const guarded = offers.filter(({ wantsApproval }) => wantsApproval);
  return consumers.map((one) => consumerState(one, guarded, beside)).sort(worseFirst);
}

function worseFirst(a: ConsumerState, b: ConsumerState): number {
  return (
    order.indexOf(a.health) - order.indexOf(b.health) ||
    openSince(a) - openSince(b) ||
    compare(a.lastContact, b.lastContact)
  );
}

function openSince({ oldestOpen }: ConsumerState): number {
  return oldestOpen === undefined ? Number.MAX_SAFE_INTEGER : (parseTime(oldestOpen.since) ?? 0);
}

function compare(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function consumerState(
  { consumer, bindings }: ConsumerBindings,
  guarded: readonly Offer[],
  { version, now }: Beside,
): ConsumerState {
  const states = bindings.map((facts) => stateOf(facts, undefined, now));
  const { dialect, namespace, cluster, owner, clusterBinding } = consumer;
  const { lastHeartbeatTime, conditions } = clusterBinding?.status ?? {};
  const left = getCondition(conditions, conditionTypes.objectsLeft);
  const konnectorVersion = versionOf(clusterBinding);
  return {
    dialect,
    namespace,
    cluster,
    owner,
    health: order.find((health) => states.some((state) => state.health === health)) ?? connectionHealth(consumer, now),
    lastContact: lastHeartbeatTime,
    konnectorVersion,
    skew: versionSkew(konnectorVersion, version),
    oldestOpen: oldestOpenChange(bindings, now),
    connection: contactStep(consumer, now),
    bindings: states,
    approvals: bindings.flatMap((facts) => waitingApprovals(facts, guarded)),
    heldSchemas: bindings
      .filter(
        ({ export: one }) => getCondition(one?.status?.conditions, conditionTypes.schemaUpdateHeld)?.status === 'True',
      )
      .map(({ name }) => name),
    heldDeletions: heldDeletions(bindings, now),
    left: left?.status === 'True' ? sanitizeText(left.message ?? '') : undefined,
  };
}

function connectionHealth(consumer: ConsumerFacts, now: number): BindingHealth {
  const step = contactStep(consumer, now);
  if (step.state === 'stopped') return stoppedHealth(step);
  return step.state === 'done' ? 'works' : 'waits';
}

/**
 * Templates that cover a request, need an approval, and lack it for this consumer. Only for requests that wait for one.
 */
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
