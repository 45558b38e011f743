import {
  type APIServiceBinding, type APIServiceExportStatus, type BoundSchemaStatus, type Condition, type CustomResourceDefinition, type NewCondition, falseCondition, getCondition,
  setCondition, setSummary, trueCondition,
} from '@hawser/kube-bind';

export interface ExportFacts {
  readonly binding: APIServiceBinding | undefined;
  readonly schemaFailure: string | undefined;
  /** Why some of its resources cannot be synced as they are exported. */
  readonly noPlace?: string | undefined;
}

/**
 * The export's status as the konnector reports it (`spec/konnector.md §7.5` steps 7 and 8, without their overwriting of each other):
 * `Connected` and `ConsumerInSync`; all else is left as it is.
 */
export function exportStatus(before: APIServiceExportStatus | undefined, facts: ExportFacts, now: number): APIServiceExportStatus {
  let conditions: readonly Condition[] = before?.conditions ?? [];
  if (globalThis.hawserPlanted?.has('R19') === true) conditions = setCondition(conditions, trueCondition('Connected'), now);
  conditions = setCondition(conditions, connected(facts), now);
  conditions = setCondition(conditions, consumerInSync(facts.binding), now);
  return { ...before, conditions: [...conditions] };
}

function connected({ binding, schemaFailure, noPlace }: ExportFacts): NewCondition {
  if (binding === undefined) return falseCondition('Connected', 'APIServiceBindingNotFound', 'Info', 'No APIServiceBinding on the consumer binds this export.');
  if (schemaFailure !== undefined) return falseCondition('Connected', 'BoundSchemasNotValid', 'Warning', schemaFailure);
  if (noPlace !== undefined) return falseCondition('Connected', 'NoPlaceForCopies', 'Warning', noPlace);
  return trueCondition('Connected');
}

function consumerInSync(binding: APIServiceBinding | undefined): NewCondition {
  if (binding === undefined) return falseCondition('ConsumerInSync', 'NA', 'Info', 'No APIServiceBinding on the consumer binds this export.');
  const schemaInSync = getCondition(binding.status?.conditions ?? [], 'SchemaInSync');
  if (schemaInSync === undefined) return falseCondition('ConsumerInSync', 'Unknown', 'Info', 'The consumer has not reported on the schema yet.');
  return { ...schemaInSync, type: 'ConsumerInSync' };
}

/** The BoundSchema's status as the consumer's CRD has it (`spec/kube-bind-api.md §10.4`). */
export function boundSchemaStatus(before: BoundSchemaStatus | undefined, crd: CustomResourceDefinition, now: number): BoundSchemaStatus {
  let conditions: readonly Condition[] = before?.conditions ?? [];
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

/** The CRD's own transition time is kept, unlike with `setCondition`. */
function setMirrored(conditions: readonly Condition[], mirrored: Condition, now: number): readonly Condition[] {
  return setCondition(conditions.filter(({ type }) => type !== mirrored.type), mirrored, now);
}
