import {
  type APIServiceBinding,
  type APIServiceExportStatus,
  type BoundSchemaStatus,
  type Condition,
  type CustomResourceDefinition,
  type NewCondition,
  type SchemaAnswer,
  conditionTypes,
  falseCondition,
  getCondition,
  removeCondition,
  schemaAppliedCondition,
  setCondition,
  setSummary,
  trueCondition,
} from '@hawser/kube-bind';
import { equal } from '@hawser/json';

export interface ExportFacts {
  readonly binding: APIServiceBinding | undefined;
  readonly schemaFailure: string | undefined;
  /** Why some resources cannot be synced as exported. */
  readonly scopeProblem?: string | undefined;
  /** Proven: the consumer had bound the export, and no binding of that name remains. */
  readonly unbound?: boolean | undefined;
}

/**
 * Computes the export's status as the konnector reports it: `Connected`, `ConsumerInSync`, and `Unbound` once it is.
 * Follows `spec/konnector.md §7.5` steps 7 and 8, but neither step overwrites the other. All other fields stay.
 */
export function exportStatus(
  before: APIServiceExportStatus | undefined,
  facts: ExportFacts,
  now: number,
): APIServiceExportStatus {
  let conditions: readonly Condition[] = before?.conditions ?? [];
  conditions = setCondition(conditions, connected(facts), now);
  conditions = setCondition(conditions, consumerInSync(facts.binding), now);
  if (facts.binding !== undefined) conditions = removeCondition(conditions, conditionTypes.unbound);
  else if (facts.unbound === true) conditions = setCondition(conditions, unbound, now);
  return { ...before, conditions: [...conditions] };
}

const unbound: NewCondition = {
  type: conditionTypes.unbound,
  status: 'True',
  reason: 'BindingGone',
  message:
    'The consumer has unbound this export to the end: nothing of it is written or deleted any more. Copies that are left were left on purpose. The rights of the consumer may be withdrawn; a new binding takes this condition back.',
};

/** Whether a konnector has served a binding of the export. From then on the end of the binding is reported. */
export function isReportedBound(status: APIServiceExportStatus | undefined): boolean {
  return (
    getCondition(status?.conditions, conditionTypes.connected)?.status === 'True' &&
    getCondition(status?.conditions, conditionTypes.unbound) === undefined
  );
}

function connected({ binding, schemaFailure, scopeProblem }: ExportFacts): NewCondition {
  if (binding === undefined)
    return falseCondition(
      'Connected',
      'APIServiceBindingNotFound',
      'Info',
      'No APIServiceBinding on the consumer binds this export.',
    );
  if (schemaFailure !== undefined) return falseCondition('Connected', 'BoundSchemasNotValid', 'Warning', schemaFailure);
  if (scopeProblem !== undefined) return falseCondition('Connected', 'NoPlaceForCopies', 'Warning', scopeProblem);
  return trueCondition('Connected');
}

function consumerInSync(binding: APIServiceBinding | undefined): NewCondition {
  if (binding === undefined)
    return falseCondition('ConsumerInSync', 'NA', 'Info', 'No APIServiceBinding on the consumer binds this export.');
  const schemaInSync = getCondition(binding.status?.conditions ?? [], 'SchemaInSync');
  if (schemaInSync === undefined)
    return falseCondition('ConsumerInSync', 'Unknown', 'Info', 'The consumer has not reported on the schema yet.');
  return { ...schemaInSync, type: 'ConsumerInSync' };
}

/** Facts to report on a BoundSchema. */
export interface SchemaFacts {
  /** The consumer's CRD, if the binding owns it. */
  readonly crd: CustomResourceDefinition | undefined;
  /** Undefined: nothing is known yet; the former report stays. */
  readonly answer: SchemaAnswer | undefined;
}

/** Computes the BoundSchema's status: the consumer's CRD (`spec/kube-bind-api.md §10.4`) and the schema's outcome. */
export function boundSchemaStatus(
  before: BoundSchemaStatus | undefined,
  { crd, answer }: SchemaFacts,
  now: number,
): BoundSchemaStatus {
  let conditions: readonly Condition[] = before?.conditions ?? [];
  const applied = answerOf(crd, answer);
  if (applied !== undefined) conditions = setCondition(conditions, schemaAppliedCondition(applied), now);
  // Without a CRD of this binding there are no conditions to report.
  if (crd === undefined) return applied === undefined ? (before ?? {}) : { ...before, conditions: [...conditions] };
  for (const { type, status, reason, message, lastTransitionTime } of crd.status?.conditions ?? []) {
    if (type === 'Ready') continue;
    const mirrored = {
      type,
      status: status as Condition['status'],
      ...(status === 'True' ? {} : { severity: 'Error' as const }),
      ...(reason === undefined || reason === '' ? {} : { reason }),
      ...(message === undefined || message === '' ? {} : { message }),
      lastTransitionTime: lastTransitionTime ?? '',
    } as Condition;
    conditions = setMirrored(conditions, mirrored, now);
  }
  conditions = setSummary(conditions, now);
  const { acceptedNames, storedVersions } = crd.status ?? {};
  return {
    ...before,
    ...(acceptedNames === undefined ? {} : { acceptedNames }),
    ...(storedVersions === undefined ? {} : { storedVersions: [...storedVersions] }),
    conditions: [...conditions],
  };
}

/** A written schema counts as applied once the CRD is established. */
function answerOf(
  crd: CustomResourceDefinition | undefined,
  answer: SchemaAnswer | undefined,
): SchemaAnswer | undefined {
  if (answer?.kind !== 'applied') return answer;
  const conditions = crd?.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return answer;
  const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')?.message;
  return refused === undefined || refused === ''
    ? undefined
    : { kind: 'refused', hash: answer.hash, reason: 'CustomResourceDefinitionNotEstablished', message: refused };
}

/**
 * Mirrors a condition with the CRD's own transition time, unlike `setCondition`. A time alone is no change: CRDs of two
 * consumer clusters with one kubeconfig differ in age; both would write this status in turn without end.
 */
function setMirrored(conditions: readonly Condition[], mirrored: Condition, now: number): readonly Condition[] {
  const before = getCondition(conditions, mirrored.type);
  if (before !== undefined && equal({ ...before }, { ...mirrored, lastTransitionTime: before.lastTransitionTime }))
    return conditions;
  return setCondition(
    conditions.filter(({ type }) => type !== mirrored.type),
    mirrored,
    now,
  );
}
