import { type JsonObject, equal } from '@hawser/json';
import { ApplyError } from './apply-error.js';
import { capManagers } from './cap-managers.js';
import { checkType, problemsText } from './check-type.js';
import { ApplyConflictError } from './conflict-error.js';
import { FieldSet } from './field-set.js';
import { allowedByLastApplied, withLastApplied } from './last-applied.js';
import {
  type Managed,
  decodeManagedFields,
  encodeManagedFields,
  isReset,
  managerKey,
  noManagers,
} from './managed-fields.js';
import type { VersionedSet } from './managers.js';
import { metadataOf, textOf, withManagedFields, withoutManagedFields } from './metadata.js';
import { SetError } from './set-error.js';
import { type TrackedType, type TypedObject, convertTyped, typedObject, withZeros } from './tracked-type.js';
import { applyConfiguration, updateManagers } from './updater.js';

/** Common fields of both kinds of writes. */
export interface WriteRequest {
  readonly tracked: TrackedType;
  /** The stored object, in any version. `undefined` for a creation. It must not change afterwards. */
  readonly live: JsonObject | undefined;
  /**
   * Name of the manager: query parameter `fieldManager`, or the server's choice from the user agent. `unknown` if
   * empty.
   */
  readonly manager: string;
  /** `status`, `scale`, …; absent for the object itself. */
  readonly subresource?: string | undefined;
  /** The version of the request. */
  readonly apiVersion: string;
  /** Now, as RFC 3339 with whole seconds. */
  readonly time: string;
}

export interface UpdateRequest extends WriteRequest {
  /** The object about to be stored, in the version of the request: after a patch, admission and defaults. */
  readonly updated: JsonObject;
}

export interface ApplyRequest extends WriteRequest {
  /** The configuration: only the fields that the manager wants to own. */
  readonly applied: JsonObject;
  /** The endpoint's kind. */
  readonly kind: string;
  /** Take fields that others own with other values. */
  readonly force: boolean;
}

/** Never owned: identity, bookkeeping, and the type. */
const untracked = FieldSet.fields(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
);

/**
 * Returns `updated` with its `metadata.managedFields` after a create, update, or patch other than apply (apimachinery
 * `managedfields.FieldManager.UpdateNoErrors`).
 *
 * The manager becomes the only owner of changed fields. Time stamps change only with the set. An object without
 * managedFields stays so until the first apply. The object loses its managedFields where they cannot be computed: for a
 * malformed stored set, a set of a removed version, or a value that does not match the schema, even one that will not
 * be stored (`status` at the main endpoint).
 */
export function update(request: UpdateRequest): JsonObject {
  const { tracked, live, updated, apiVersion } = request;
  const managed =
    request.subresource === undefined || request.subresource === ''
      ? managedOfUpdate(live, updated)
      : decodeOrNone(live);
  const bare = withoutManagedFields(updated);
  const isTracked = managed.managers.size > 0 || textOf(metadataObject(live), 'uid') === '';
  if (!isTracked) return withManagedFields(bare, encodeManagedFields(managed));
  const before = typedLive(tracked, live, bare, apiVersion);
  const after = typedObject(tracked, zeros(tracked, bare, apiVersion), apiVersion);
  if (before === undefined || after === undefined || goneVersion(tracked, managed) !== undefined) return bare;
  if (checkType(after.value, after.type, { duplicates: true }).length > 0) return bare;
  try {
    return withManagedFields(
      bare,
      encodeManagedFields(capManagers(trackUpdate(request, before, after, managed, request.manager))),
    );
  } catch (error) {
    if (error instanceof ApplyError) return bare;
    throw error;
  }
}

/**
 * Returns the object after an apply: merges the configuration, removes what the manager applied before and no manager
 * wants any more, and sets its managedFields (apimachinery `managedfields.FieldManager.Apply`). The caller adds
 * defaults.
 *
 * Without a change the result equals `live`, times included.
 * @throws ApplyConflictError if it would take fields from others without `force`.
 * @throws ApplyError for an invalid configuration.
 */
export function apply(request: ApplyRequest): JsonObject {
  const { tracked, live, applied, apiVersion, kind } = request;
  checkConfiguration(request);
  const configuration = typedObject(tracked, applied, apiVersion);
  const before = typedLive(tracked, live, { apiVersion, kind }, apiVersion);
  if (configuration === undefined || before === undefined)
    throw new ApplyError('invalid-type', `no corresponding type for ${gvkText(apiVersion, kind)}`);
  const managed = managedOfApply(request, before);
  const gone = goneVersion(tracked, managed);
  if (gone !== undefined)
    throw new ApplyError('invalid-type', `request to convert CR to an invalid group/version: ${gone}`);
  const result = applyTyped(request, before, configuration, managed);
  return request.manager === 'kubectl' ? withLastApplied(result, applied) : result;
}

function applyTyped(
  request: ApplyRequest,
  live: TypedObject,
  configuration: TypedObject,
  managed: Managed,
): JsonObject {
  const key = managerKey({
    manager: request.manager === '' ? 'unknown' : request.manager,
    operation: 'Apply',
    apiVersion: request.apiVersion,
    subresource: request.subresource ?? '',
  });
  let outcome = applyConfiguration(request.tracked, live, configuration, managed.managers, key, request.force);
  if (outcome.kind === 'conflicts' && request.manager === 'kubectl') {
    // The annotation lists what kubectl wrote by client-side apply; that is its own.
    const allowed = allowedByLastApplied(live);
    const left = new Map(
      [...outcome.conflicts]
        .map(([other, set]) => [other, allowed === undefined ? set : set.difference(allowed)] as const)
        .filter(([, set]) => set.hasMembers),
    );
    outcome =
      left.size === 0
        ? applyConfiguration(request.tracked, live, configuration, managed.managers, key, true)
        : { kind: 'conflicts', conflicts: left };
  }
  if (outcome.kind === 'conflicts') throw new ApplyConflictError(outcome.conflicts);
  const managers = strip(outcome.managers, key);
  const times = outcome.object === undefined ? managed.times : new Map(managed.times).set(key, request.time);
  return withManagedFields(outcome.object ?? live.value, encodeManagedFields({ managers, times }));
}

function checkConfiguration({ tracked, live, applied, apiVersion, kind }: ApplyRequest): void {
  const [appliedVersion, appliedKind] = [textOf(applied, 'apiVersion'), textOf(applied, 'kind')];
  if (appliedVersion !== apiVersion || appliedKind !== kind)
    throw new ApplyError('bad-request', `invalid object type: ${gvkText(appliedVersion, appliedKind)}`);
  const entries = metadataOf(applied, 'managedFields');
  if (Array.isArray(entries) && entries.length > 0)
    throw new ApplyError('bad-request', 'metadata.managedFields must be nil');
  if (live !== undefined) decodeOrFail(live);
  const type = tracked.typeOf(apiVersion);
  const problems = type === undefined ? [] : checkType(applied, type, { duplicates: false });
  if (problems.length === 0) return;
  const metadata = metadataObject(applied);
  throw new ApplyError(
    'invalid-type',
    `failed to create typed patch object (${textOf(metadata, 'namespace')}/${textOf(metadata, 'name')}; ${gvkText(apiVersion, kind)}): ${problemsText(problems)}`,
  );
}

/** `/v1, Kind=Secret`, Go's form of a GroupVersionKind. */
function gvkText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** On the first apply to an object without managers, its content belongs to `before-first-apply`. */
function managedOfApply(request: ApplyRequest, live: TypedObject): Managed {
  const managed = request.live === undefined ? noManagers : decodeOrFail(request.live);
  if (managed.managers.size > 0) return managed;
  const nothing = typedLive(
    request.tracked,
    undefined,
    { apiVersion: request.apiVersion, kind: request.kind },
    request.apiVersion,
  );
  return nothing === undefined
    ? managed
    : capManagers(trackUpdate(request, nothing, live, managed, 'before-first-apply'));
}

/** The manager owns what changed; it keeps what it already owned. */
function trackUpdate(
  request: WriteRequest,
  before: TypedObject,
  after: TypedObject,
  managed: Managed,
  manager: string,
): Managed {
  const self = 'current-operation';
  const managers = new Map(strip(updateManagers(request.tracked, before, after, managed.managers, self), self));
  const change = managers.get(self);
  if (change === undefined) return { managers, times: managed.times };
  managers.delete(self);
  const key = managerKey({
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion: request.apiVersion,
    subresource: request.subresource ?? '',
  });
  const previous = managers.get(key);
  managers.set(key, previous === undefined ? change : { ...change, set: change.set.union(previous.set) });
  return { managers, times: new Map(managed.times).set(key, request.time) };
}

/** A version that blocks the write because it was removed from a CRD. */
function goneVersion(tracked: TrackedType, { managers }: Managed): string | undefined {
  if (tracked.goneVersions !== 'refuse') return undefined;
  return [...managers.values()].find(({ apiVersion }) => tracked.typeOf(apiVersion) === undefined)?.apiVersion;
}

function strip(managers: ReadonlyMap<string, VersionedSet>, key: string): ReadonlyMap<string, VersionedSet> {
  const own = managers.get(key);
  if (own === undefined) return managers;
  const result = new Map(managers);
  const set = own.set.difference(untracked);
  if (set.hasMembers) result.set(key, { ...own, set });
  else result.delete(key);
  return result;
}

function managedOfUpdate(live: JsonObject | undefined, updated: JsonObject): Managed {
  const entries = metadataOf(updated, 'managedFields');
  if (isReset(entries)) return noManagers;
  const stored = metadataOf(live, 'managedFields');
  // Most writers send back what they read.
  const managed = stored !== undefined && equal(entries, stored) ? decodeOrNone(live) : decodeOrNone(updated);
  return managed.managers.size > 0 ? managed : decodeOrNone(live);
}

function decodeOrNone(object: JsonObject | undefined): Managed {
  try {
    return decodeManagedFields(metadataOf(object, 'managedFields'));
  } catch (error) {
    if (error instanceof SetError) return noManagers;
    throw error;
  }
}

function decodeOrFail(live: JsonObject): Managed {
  try {
    return decodeManagedFields(metadataOf(live, 'managedFields'));
  } catch (error) {
    if (error instanceof SetError)
      throw new ApplyError('invalid-type', `failed to decode managed fields: ${error.message}`);
    throw error;
  }
}

function metadataObject(object: JsonObject | undefined): JsonObject | undefined {
  const metadata = object?.['metadata'];
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
    ? (metadata as JsonObject)
    : undefined;
}

/** The stored object in the version of the request; an empty one of the kind if nothing is stored. */
function typedLive(
  tracked: TrackedType,
  live: JsonObject | undefined,
  kindOf: JsonObject,
  apiVersion: string,
): TypedObject | undefined {
  if (live === undefined)
    return typedObject(tracked, zeros(tracked, { apiVersion, kind: textOf(kindOf, 'kind') }, apiVersion), apiVersion);
  const stored = typedObject(tracked, withoutManagedFields(live), textOf(live, 'apiVersion'));
  const converted = stored === undefined ? undefined : convertTyped(tracked, stored, apiVersion);
  return converted === undefined ? undefined : { ...converted, value: zeros(tracked, converted.value, apiVersion) };
}

function zeros(tracked: TrackedType, object: JsonObject, apiVersion: string): JsonObject {
  const type = tracked.typeOf(apiVersion);
  return type === undefined ? object : (withZeros(object, type) as JsonObject);
}
