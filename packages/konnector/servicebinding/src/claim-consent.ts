import {
  type APIServiceBinding,
  type APIServiceExport,
  type ClaimConsent,
  type ConsentBy,
  type ConsentRecord,
  type NewCondition,
  type PermissionClaim,
  claimId,
  claimInWords,
  conditionTypes,
  consentRecordOf,
  falseCondition,
  formatTime,
  getCondition,
  hawserAnnotations,
  trueCondition,
} from '@hawser/kube-bind';

/** The claims of an export that the consumer has accepted. */
export interface Consent {
  /** In the order of the export. They go into the binding's status, from which they are served. */
  readonly accepted: readonly PermissionClaim[];
  readonly held: readonly PermissionClaim[];
  /** The consent to record before any of it is served. Undefined: it is recorded. */
  readonly record?: ConsentRecord | undefined;
}

/**
 * The creator of a binding sees the claims that the export has then. Claims that appear later than this are not seen.
 */
const FIRST_LOOK_MS = 3_600_000;

/**
 * Determines the accepted claims. A claim is accepted if the record of the binding has it, or the annotation
 * `hawser.dev/accepted-claims` names it (or has `*`). The provider's present claims, and the binding's status that
 * follows from them, add nothing.
 *
 * Once, for a binding that never met an export, creating it accepts the claims of that moment. Exceptions: it has the
 * annotation, a bundle created it, which no person reviews, or it is older than an hour. A binding without a record
 * that has met an export was served by a Go konnector or an earlier version of ours: the claims in its status were
 * accepted. `nowMs`: since the epoch.
 */
export function consentTo(
  binding: APIServiceBinding,
  apiExport: Pick<APIServiceExport, 'metadata' | 'spec'>,
  nowMs: number,
): Consent {
  const claims = apiExport.spec.permissionClaims ?? [];
  const annotation = binding.metadata.annotations?.[hawserAnnotations.acceptedClaims];
  const named = new Set((annotation ?? '').split(/[\s,]+/u));
  const known = consentRecordOf(binding);
  const isNew = known === undefined && !hasMetExport(binding);
  const agreed = (by: ConsentBy): ClaimConsent => ({
    by,
    writers: [],
    at: formatTime(nowMs),
    bindingGeneration: binding.metadata.generation ?? 0,
    exportGeneration: apiExport.metadata.generation ?? 0,
    exportUID: apiExport.metadata.uid ?? '',
  });
  const ids = (list: readonly PermissionClaim[], by: ConsentBy): ConsentRecord =>
    new Map(list.map((claim) => [claimId(claim), agreed(by)]));
  const base =
    known ??
    (isNew
      ? ids(annotation === undefined && isFirstLook(binding, nowMs) ? claims : [], 'binding')
      : ids(binding.status?.permissionClaims ?? [], 'status'));
  const added = ids(
    claims.filter((claim) => !base.has(claimId(claim)) && (named.has('*') || named.has(claimId(claim)))),
    'annotation',
  );
  const record = new Map([...base, ...added]);
  const isAccepted = (claim: PermissionClaim): boolean => record.has(claimId(claim));
  return {
    accepted: claims.filter(isAccepted),
    held: claims.filter((claim) => !isAccepted(claim)),
    record: isNew || added.size > 0 ? record : undefined,
  };
}

/**
 * Whether a konnector has found an export for it. After refused schemas the status lists them; otherwise it says
 * whether they are in step.
 */
function hasMetExport({ status = {} }: APIServiceBinding): boolean {
  return (
    (status.boundSchemas ?? []).length > 0 ||
    (status.permissionClaims ?? []).length > 0 ||
    getCondition(status.conditions, conditionTypes.schemaInSync) !== undefined
  );
}

function isFirstLook(
  { metadata: { creationTimestamp, ownerReferences = [] } }: APIServiceBinding,
  nowMs: number,
): boolean {
  if (ownerReferences.some(({ kind }) => kind === 'APIServiceBindingBundle')) return false;
  return creationTimestamp === undefined || nowMs - Date.parse(creationTimestamp) < FIRST_LOOK_MS;
}

/** The wanted condition `ClaimsAccepted`; undefined: none. Its severity is empty: the rest of the binding works. */
export function consentCondition(
  binding: APIServiceBinding,
  held: readonly PermissionClaim[],
): NewCondition | undefined {
  const type = conditionTypes.claimsAccepted;
  if (held.length === 0)
    return getCondition(binding.status?.conditions, type) === undefined ? undefined : trueCondition(type);
  const list = held.map((claim) => `${claimInWords(claim)} (${claimId(claim)})`).join('; ');
  const ids = held.map(claimId).join(',');
  const message = `The provider claims more than this binding has agreed to: ${list}. Nothing of that is served. Accepted claims bring objects of the provider only into namespaces with bound objects, or made for it. To accept it: kubectl annotate apiservicebinding ${binding.metadata.name} ${hawserAnnotations.acceptedClaims}=${ids} --overwrite`;
  return falseCondition(
    type,
    'ClaimsHeld',
    '',
    message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message,
  );
}

const MAX_MESSAGE = 2_000;
