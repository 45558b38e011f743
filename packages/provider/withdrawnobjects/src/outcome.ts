import type { HeldDeletions } from '@hawser/controller';
import {
  type Conditions,
  conditionTypes,
  falseCondition,
  getCondition,
  hawserAnnotations,
  type Instant,
  type NewCondition,
  removeCondition,
  setCondition,
} from '@hawser/kube-bind';
import type { EventMessage } from '@hawser/telemetry';
import type { Copy, Obstacle } from './copies.js';
import { type Left, mostExamples } from './left.js';

/** The report for an export. */
export interface ExportOutcome {
  /** Unknown value of annotation `hawser.dev/withdrawn-objects`. */
  readonly unknownPolicy: string | undefined;
  /** `perMinute`: deletions allowed per minute. */
  readonly held: (HeldDeletions & { readonly perMinute: number }) | undefined;
  /** Copies that are not proven to be this consumer's. */
  readonly unproven: readonly Copy[];
  /** The API server's refusal, in its words. */
  readonly refused: string | undefined;
}

export type HeldReason = 'TooManyWithdrawnObjects' | 'OwnershipUnproven' | 'DeletionRefused';

const because: Readonly<Record<Obstacle, string>> = {
  foreign: 'their annotations name another consumer, or another place',
  unnamed: 'they do not say which object they are copies of',
  unidentified: `they have no annotation ${hawserAnnotations.consumerIdentity}, which konnectors of others do not write`,
  severalConsumers: `they name several consumer clusters in annotation ${hawserAnnotations.consumerIdentity}`,
};

const keepInstead = `To keep what is left, set annotation ${hawserAnnotations.withdrawnObjects}=Keep on this export.`;

/** Condition `DeletionsHeld`; undefined: nothing is held. */
export function heldCondition({
  held,
  unproven,
  refused,
}: ExportOutcome): (NewCondition & { readonly reason: HeldReason; readonly message: string }) | undefined {
  const problems: { readonly reason: HeldReason; readonly message: string }[] = [];
  if (held !== undefined) {
    problems.push({
      reason: 'TooManyWithdrawnObjects',
      message: `${counted(held.count)} would be deleted, because this export has ended: ${named(held)}. That is more than the ${held.perMinute} that may go in a minute, so none is. If they are to be gone, the provider sets annotation ${hawserAnnotations.approveDeletions}=${held.token} on this export.`,
    });
  }
  for (const obstacle of Object.keys(because) as Obstacle[]) {
    const some = unproven.filter((copy) => copy.obstacle === obstacle);
    if (some.length > 0)
      problems.push({
        reason: 'OwnershipUnproven',
        message: `${counted(some.length)} cannot be proven to be this consumer's, and Hawser does not delete them: ${because[obstacle]}: ${named({ count: some.length, examples: some.slice(0, mostExamples).map(({ id }) => id) })}. The provider looks at them, and deletes them by hand.`,
      });
  }
  if (refused !== undefined)
    problems.push({
      reason: 'DeletionRefused',
      message: `The API server refuses to delete what is left: ${refused}. The operator of the provider grants its role list and delete, or removes the cause.`,
    });
  const [first] = problems;
  if (first === undefined) return undefined;
  return {
    type: conditionTypes.deletionsHeld,
    status: 'True',
    reason: first.reason,
    message: [...problems.map(({ message }) => message), keepInstead].join(' '),
  };
}

/** The conditions of an export with the report. */
export function withExportOutcome(
  conditions: Conditions | undefined,
  outcome: ExportOutcome,
  now: Instant,
): Conditions | undefined {
  return replaced(
    replaced(conditions, conditionTypes.policiesValid, policyCondition(outcome), now),
    conditionTypes.deletionsHeld,
    heldCondition(outcome),
    now,
  );
}

/** Events for the news in the report. */
export function outcomeEvents(before: Conditions | undefined, outcome: ExportOutcome): readonly EventMessage[] {
  const held = heldCondition(outcome);
  const isHeldNews = held !== undefined && getCondition(before, held.type)?.reason !== held.reason;
  const invalid = policyCondition(outcome);
  const isInvalidNews = invalid !== undefined && getCondition(before, invalid.type)?.message !== invalid.message;
  return [
    ...(isHeldNews ? [{ type: 'Warning', reason: held.reason, message: held.message } as const] : []),
    ...(isInvalidNews
      ? [{ type: 'Warning', reason: 'UnknownPolicyValue', message: invalid.message ?? '' } as const]
      : []),
  ];
}

function policyCondition({ unknownPolicy }: ExportOutcome): NewCondition | undefined {
  if (unknownPolicy === undefined) return undefined;
  return falseCondition(
    conditionTypes.policiesValid,
    'UnknownPolicyValue',
    '',
    `Annotation ${hawserAnnotations.withdrawnObjects} is "${unknownPolicy}"; it can be Keep or Delete. It counts as Keep until the provider corrects it.`,
  );
}

/** The conditions of a ClusterBinding with the copies left of its consumer, by resource. */
export function withLeft(
  conditions: Conditions | undefined,
  left: ReadonlyMap<string, Left>,
  now: Instant,
): Conditions | undefined {
  return replaced(conditions, conditionTypes.objectsLeft, leftCondition(left), now);
}

/** Limit of resources that are reported one by one. */
const mostResources = 10;

function leftCondition(
  left: ReadonlyMap<string, Left>,
): (NewCondition & { readonly reason: string; readonly message: string }) | undefined {
  const all = [...left].filter(([, { count }]) => count > 0).sort(([one], [other]) => (one < other ? -1 : 1));
  if (all.length === 0) return undefined;
  const listed = all.slice(0, mostResources).map(([resource, one]) => `${one.count} ${resource} (${named(one)})`);
  const more = all.length > mostResources ? `, and ${all.length - mostResources} other resources` : '';
  const total = all.reduce((sum, [, { count }]) => sum + count, 0);
  return {
    type: conditionTypes.objectsLeft,
    status: 'True',
    reason: 'ExportsEnded',
    message: `${counted(total)} of this consumer ${total === 1 ? 'is' : 'are'} left of exports that have ended: ${listed.join(', ')}${more}. They are kept until the provider deletes them, or the consumer binds the API again.`,
  };
}

/** Reports once that copies are left. */
export function leftEvents(before: Conditions | undefined, left: ReadonlyMap<string, Left>): readonly EventMessage[] {
  const condition = leftCondition(left);
  if (condition === undefined || getCondition(before, condition.type) !== undefined) return [];
  return [{ type: 'Normal', reason: condition.reason, message: condition.message }];
}

function replaced(
  conditions: Conditions | undefined,
  type: string,
  wanted: NewCondition | undefined,
  now: Instant,
): Conditions | undefined {
  if (wanted !== undefined) return setCondition(conditions, wanted, now);
  return conditions === undefined ? undefined : removeCondition(conditions, type);
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'copy' : 'copies'}`;
}

function named({ count, examples }: Left): string {
  return `${examples.join(', ')}${count > examples.length ? ` and ${count - examples.length} more` : ''}`;
}
