import type { Severity } from './severity.js';

/** One way in which a CRD may change, and its meaning. */
export interface ClassifiedChange {
  readonly severity: Severity;
  /** The change, as a row of a table. */
  readonly title: string;
  /** Why it has that severity. */
  readonly reason: string;
  /** What the author of the CRD can do instead, or must check. */
  readonly remedy: string;
}

const none = 'Nothing to do.';
const more = 'The API server accepts more.';
const newAPI = 'Offer it as another API under its own name, let consumers bind it, and move the objects.';
const newVersion =
  'Offer the new shape as another version. Or check that no stored object and no client depends on the old one, then approve the change.';
const mendObjects = 'Correct the objects that do not fit, or keep the old values valid; then approve the change.';

/** Every kind of change. The docs are generated from this table (`npm run schema-policy`). */
export const classification = {
  // The resource.
  'group-changed': {
    severity: 'incompatible',
    title: 'another API group',
    reason: 'The group identifies the resource, so it is another resource. Objects stay where they are.',
    remedy: newAPI,
  },
  'kind-changed': {
    severity: 'incompatible',
    title: 'another kind',
    reason: 'An installed CRD cannot change its kind.',
    remedy: newAPI,
  },
  'plural-changed': {
    severity: 'incompatible',
    title: 'another plural',
    reason: 'The name of the CRD, and the path of every object, contain it.',
    remedy: newAPI,
  },
  'scope-changed': {
    severity: 'incompatible',
    title: 'another scope',
    reason:
      'An installed CRD cannot change its scope. A namespaced object cannot become cluster-scoped, or the reverse.',
    remedy: newAPI,
  },
  'names-changed': {
    severity: 'warn',
    title: 'another singular or list kind, or a removed short name or category',
    reason: 'Stored objects do not change, but people and programs that use these names break.',
    remedy: 'Inform the users of the old names, or keep the names.',
  },
  'names-added': {
    severity: 'safe',
    title: 'a new short name or category',
    reason: 'Clients get an additional name.',
    remedy: none,
  },
  'conversion-changed': {
    severity: 'breaking',
    title: 'another conversion strategy',
    reason:
      'Objects are converted to other versions in another way. A webhook of the provider does not serve the cluster of a consumer.',
    remedy:
      'Keep the strategy, and keep the versions equal in shape. Or check that every version reads correctly, then approve the change.',
  },
  'conversion-webhook-changed': {
    severity: 'warn',
    title: 'another webhook for conversion',
    reason: 'The shape stays the same, but another program converts.',
    remedy: 'Check that the new webhook answers before you remove the old one.',
  },

  // Versions.
  'version-added': {
    severity: 'safe',
    title: 'a new version',
    reason: 'The other versions do not change.',
    remedy: none,
  },
  'version-served': {
    severity: 'safe',
    title: 'a version becomes served',
    reason: 'Clients can read the same objects in another version.',
    remedy: none,
  },
  'version-removed': {
    severity: 'breaking',
    title: 'a served version is removed',
    reason: 'Clients that use this version fail.',
    remedy: 'Mark the version as deprecated, and move clients to another version; then approve the change.',
  },
  'version-unserved': {
    severity: 'breaking',
    title: 'a version is no longer served',
    reason: 'Clients that use this version fail.',
    remedy: 'Mark the version as deprecated, and move clients to another version; then approve the change.',
  },
  'unserved-version-removed': {
    severity: 'safe',
    title: 'an unserved version is removed',
    reason: 'No client could use it.',
    remedy:
      'Check that no object is stored in this version (`status.storedVersions`). Otherwise the API server refuses the change.',
  },
  'storage-version-changed': {
    severity: 'breaking',
    title: 'another storage version',
    reason: 'Stored objects must be rewritten in the new version, and lose fields that it does not have.',
    remedy:
      'Check that the new version has every field of the old one, then approve the change. The konnector rewrites stored objects.',
  },
  'version-deprecated': {
    severity: 'warn',
    title: 'a version is deprecated, or its warning changes',
    reason: 'Clients get a warning with every request.',
    remedy: 'Tell the clients which version to use instead.',
  },
  'version-undeprecated': {
    severity: 'safe',
    title: 'a version is no longer deprecated',
    reason: 'Clients get one warning less.',
    remedy: none,
  },
  'subresource-removed': {
    severity: 'breaking',
    title: 'a subresource is removed',
    reason: 'Clients that write the status or scale through it fail.',
    remedy: newVersion,
  },
  'status-subresource-added': {
    severity: 'breaking',
    title: 'the status becomes a subresource',
    reason: 'The API server ignores a status that is written with the rest of the object.',
    remedy: 'Make writers use the subresource; then approve the change.',
  },
  'scale-added': {
    severity: 'safe',
    title: 'the subresource `scale` is new',
    reason: 'Clients get an additional way to change a number.',
    remedy: none,
  },
  'scale-changed': {
    severity: 'breaking',
    title: 'the subresource `scale` points to other fields',
    reason: 'Clients that scale change another field than before.',
    remedy: newVersion,
  },
  'selectable-field-removed': {
    severity: 'breaking',
    title: 'a selectable field is removed',
    reason: 'The API server refuses lists and watches with that field selector.',
    remedy: 'Keep the field selectable. Or move clients to labels, then approve the change.',
  },
  'selectable-field-added': {
    severity: 'safe',
    title: 'a new selectable field',
    reason: 'Clients get an additional selector.',
    remedy: none,
  },
  'printer-columns-changed': {
    severity: 'safe',
    title: 'other printer columns',
    reason: 'Only people read them.',
    remedy: none,
  },

  // Fields.
  'property-added': {
    severity: 'safe',
    title: 'a new optional field',
    reason: 'No stored object has it.',
    remedy: none,
  },
  'property-freed': {
    severity: 'safe',
    title: 'a field loses its schema, but its values are kept',
    reason: 'The field keeps values of any kind.',
    remedy: none,
  },
  'property-removed': {
    severity: 'breaking',
    title: 'a field is removed or renamed',
    reason: 'The API server prunes the field, and its stored values are lost.',
    remedy: 'Keep the field, and mark it as unused in its description; or offer a version without it.',
  },
  'unknown-fields-pruned': {
    severity: 'breaking',
    title: 'unknown fields are no longer kept',
    reason: 'Their stored values are lost.',
    remedy: 'Declare the fields in use, or keep unknown fields.',
  },
  'unknown-fields-kept': {
    severity: 'safe',
    title: 'unknown fields are kept from now on',
    reason: 'Nothing is refused or dropped.',
    remedy: none,
  },
  'type-changed': {
    severity: 'breaking',
    title: 'another type, or a type where any value was allowed',
    reason: 'The API server refuses stored values of the old type.',
    remedy: 'Add a field with the new type beside the old one, or offer a new version.',
  },
  'type-widened': {
    severity: 'warn',
    title: 'values of more types (numbers instead of integers, integers or strings, anything)',
    reason: 'Stored values stay valid, but readers may get unexpected types, and rules compute differently.',
    remedy: 'Check that readers accept the new values.',
  },
  'required-added': {
    severity: 'breaking',
    title: 'an optional field becomes required',
    reason: 'The API server refuses objects without it.',
    remedy: 'Give the field a default; or keep it optional, and check it where you use it.',
  },
  'required-default-removed': {
    severity: 'breaking',
    title: 'a required field loses its default',
    reason: 'The API server refuses objects that rely on the default.',
    remedy: 'Keep the default, or make the field optional.',
  },
  'required-removed': {
    severity: 'safe',
    title: 'a required field becomes optional',
    reason: 'The schema requires less.',
    remedy: 'Check that readers work without it.',
  },
  'default-added': {
    severity: 'warn',
    title: 'a default for an optional field',
    reason: 'Objects without the field get a value, and behave differently.',
    remedy: 'Choose a default that means the same as a missing field.',
  },
  'default-changed': {
    severity: 'warn',
    title: 'another default',
    reason: 'Old objects keep the old value, so new objects behave differently.',
    remedy: 'Inform the consumers, or keep the default.',
  },
  'default-removed': {
    severity: 'warn',
    title: 'an optional field loses its default',
    reason: 'Objects that rely on the default have no value.',
    remedy: 'Check that readers work without it.',
  },
  'nullable-added': { severity: 'safe', title: '`null` is allowed', reason: more, remedy: none },
  'nullable-removed': {
    severity: 'breaking',
    title: '`null` is no longer allowed',
    reason: 'The API server drops or refuses a stored `null`.',
    remedy: mendObjects,
  },
  'embedded-resource-added': {
    severity: 'breaking',
    title: 'a field must be a whole object of Kubernetes',
    reason: 'The API server refuses values without apiVersion, kind or valid metadata.',
    remedy: mendObjects,
  },
  'embedded-resource-removed': {
    severity: 'warn',
    title: 'a field need no longer be a whole object of Kubernetes',
    reason: 'The API server no longer checks the value, so readers may get an incomplete object.',
    remedy: 'Make readers check the value.',
  },
  'map-type-changed': {
    severity: 'warn',
    title: 'another map type (granular, atomic)',
    reason: 'Values stay valid, but server-side apply merges and owns them differently.',
    remedy: 'Inform clients that apply parts of the map.',
  },

  // Values.
  'enum-narrowed': {
    severity: 'breaking',
    title: 'an enum is new, or loses a value',
    reason: 'The API server refuses other values.',
    remedy: mendObjects,
  },
  'enum-widened': {
    severity: 'safe',
    title: 'an enum gets more values, or is removed',
    reason: more,
    remedy: 'Check that readers know the new values.',
  },
  'bounds-narrowed': {
    severity: 'breaking',
    title: 'a bound (of a number, length, items, fields) is new or tighter',
    reason: 'The API server refuses values beyond it.',
    remedy: mendObjects,
  },
  'bounds-relaxed': { severity: 'safe', title: 'a bound is wider, or removed', reason: more, remedy: none },
  'multiple-narrowed': {
    severity: 'breaking',
    title: '`multipleOf` is new, or does not divide the old one',
    reason: 'The API server refuses other numbers.',
    remedy: mendObjects,
  },
  'multiple-relaxed': {
    severity: 'safe',
    title: '`multipleOf` divides the old one, or is removed',
    reason: more,
    remedy: none,
  },
  'pattern-changed': {
    severity: 'breaking',
    title: 'a pattern is new or changed',
    reason: 'Hawser cannot decide beforehand whether stored values match it.',
    remedy: mendObjects,
  },
  'pattern-removed': { severity: 'safe', title: 'a pattern is removed', reason: more, remedy: none },
  'format-changed': {
    severity: 'breaking',
    title: 'a format is new or changed',
    reason: 'The API server refuses values of another format.',
    remedy: mendObjects,
  },
  'format-widened': {
    severity: 'warn',
    title: 'a format is removed, or numbers may be longer (int32 to int64, float to double)',
    reason: 'Stored values stay valid, but readers may get other values, and rules see another type.',
    remedy: 'Check that readers accept the new values.',
  },
  'unique-added': {
    severity: 'breaking',
    title: 'items may no longer repeat',
    reason: 'The API server refuses lists that repeat items.',
    remedy: mendObjects,
  },
  'unique-removed': { severity: 'safe', title: 'items may repeat', reason: more, remedy: none },
  'condition-changed': {
    severity: 'breaking',
    title: 'another condition (`allOf`, `anyOf`, `oneOf`, `not`)',
    reason: 'Hawser cannot decide beforehand whether stored values meet it.',
    remedy: mendObjects,
  },
  'condition-removed': { severity: 'safe', title: 'a condition is removed', reason: more, remedy: none },

  // Lists.
  'list-type-changed': {
    severity: 'breaking',
    title: 'another list type (atomic, set, map)',
    reason: 'Lists that repeat items or keys may be refused, and server-side apply merges them differently.',
    remedy:
      'Add a field with the new list type beside the old one. Or check that no client applies parts of it, then approve the change.',
  },
  'list-map-keys-changed': {
    severity: 'breaking',
    title: 'other keys of a list of type map',
    reason: 'Items with different keys may now have equal keys, and server-side apply confuses them.',
    remedy: 'Add a field with the new keys beside the old one, or offer a new version.',
  },

  // Rules in CEL.
  'rule-added': {
    severity: 'breaking',
    title: 'a validation rule is new or changed',
    reason: 'Hawser cannot decide beforehand whether stored objects meet it.',
    remedy: mendObjects,
  },
  'rule-removed': { severity: 'safe', title: 'a validation rule is removed', reason: more, remedy: none },
  'rule-message-changed': {
    severity: 'safe',
    title: 'a validation rule has another message',
    reason: 'The API server accepts the same values.',
    remedy: none,
  },
} as const satisfies Readonly<Record<string, ClassifiedChange>>;

/** A row of {@link classification}. */
export type ChangeKind = keyof typeof classification;
