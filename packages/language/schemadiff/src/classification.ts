import type { Severity } from './severity.js';

/** One way in which a CRD may change, and what that means. */
export interface ClassifiedChange {
  readonly severity: Severity;
  /** What has changed, as a row of a table. */
  readonly title: string;
  /** Why it is of that severity. */
  readonly reason: string;
  /** What the author of the CRD can do instead, or has to see to. */
  readonly remedy: string;
}

const none = 'None is needed.';
const newAPI = 'Offer it as another API under a name of its own, let consumers bind that, and move objects over.';
const newVersion =
  'Offer the new shape as another version, or see that no stored object and no client depends on the old one; then approve the change.';
const mendObjects = 'Correct the objects that do not fit first, or let the old values stand; then approve the change.';

/** Every change that is told apart. The docs are generated from this table (`npm run schema-policy`). */
export const classification = {
  // The resource.
  'group-changed': {
    severity: 'incompatible',
    title: 'another API group',
    reason: 'It is another resource; objects stay where they are.',
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
    reason: 'An installed CRD cannot change its scope; namespaced and cluster-scoped objects are not each other.',
    remedy: newAPI,
  },
  'names-changed': {
    severity: 'warn',
    title: 'another singular or list kind, or a short name or category that goes',
    reason: 'Stored objects are not concerned, but who types or decodes these names is.',
    remedy: 'Tell those who use the old names, or keep them.',
  },
  'names-added': {
    severity: 'safe',
    title: 'a new short name or category',
    reason: 'Only a way more to say it.',
    remedy: none,
  },
  'conversion-changed': {
    severity: 'breaking',
    title: 'another conversion strategy',
    reason:
      'Objects are read as another version in another way; a webhook of the provider does not answer for the cluster of a consumer.',
    remedy:
      'Keep the strategy, and keep versions alike in shape; or see that every version reads as it should, then approve the change.',
  },
  'conversion-webhook-changed': {
    severity: 'warn',
    title: 'another webhook for conversion',
    reason: 'The shape is the same, but another program answers.',
    remedy: 'See that the new webhook answers before the old one goes.',
  },

  // Versions.
  'version-added': {
    severity: 'safe',
    title: 'a new version',
    reason: 'Objects of the other versions are not concerned.',
    remedy: none,
  },
  'version-served': {
    severity: 'safe',
    title: 'a version that is served now',
    reason: 'Only a way more to read the same objects.',
    remedy: none,
  },
  'version-removed': {
    severity: 'breaking',
    title: 'a served version that is no longer there',
    reason: 'Clients that use it find nothing.',
    remedy: 'Mark the version as deprecated first, and move clients to another one; then approve the change.',
  },
  'version-unserved': {
    severity: 'breaking',
    title: 'a version that is no longer served',
    reason: 'Clients that use it find nothing.',
    remedy: 'Mark the version as deprecated first, and move clients to another one; then approve the change.',
  },
  'unserved-version-removed': {
    severity: 'safe',
    title: 'a version that goes and was not served',
    reason: 'Nobody could use it.',
    remedy: 'See that no object is stored as it (`status.storedVersions`), or the API server refuses the change.',
  },
  'storage-version-changed': {
    severity: 'breaking',
    title: 'another storage version',
    reason: 'Stored objects have to be rewritten as the new version, and fields that it does not have are lost.',
    remedy:
      'See that the new version can say everything that the old one can; then approve the change. Stored objects are rewritten by the konnector.',
  },
  'version-deprecated': {
    severity: 'warn',
    title: 'a version is deprecated, or its warning changes',
    reason: 'Clients get a warning with every request.',
    remedy: 'Tell clients which version to use instead.',
  },
  'version-undeprecated': {
    severity: 'safe',
    title: 'a version is no longer deprecated',
    reason: 'A warning less.',
    remedy: none,
  },
  'subresource-removed': {
    severity: 'breaking',
    title: 'a subresource that goes',
    reason: 'Who writes the status, or scales, through it finds nothing.',
    remedy: newVersion,
  },
  'status-subresource-added': {
    severity: 'breaking',
    title: 'the status becomes a subresource',
    reason: 'Who writes the status together with the rest of the object now writes it in vain.',
    remedy: 'Let writers use the subresource; then approve the change.',
  },
  'scale-added': {
    severity: 'safe',
    title: 'the subresource scale is new',
    reason: 'Only a way more to change a number.',
    remedy: none,
  },
  'scale-changed': {
    severity: 'breaking',
    title: 'the subresource scale points to other fields',
    reason: 'Who scales changes another field than before.',
    remedy: newVersion,
  },
  'selectable-field-removed': {
    severity: 'breaking',
    title: 'a selectable field that goes',
    reason: 'Lists and watches with that field selector are refused.',
    remedy: 'Keep the field selectable, or move clients to labels; then approve the change.',
  },
  'selectable-field-added': {
    severity: 'safe',
    title: 'a selectable field that is new',
    reason: 'Only a way more to select.',
    remedy: none,
  },
  'printer-columns-changed': {
    severity: 'safe',
    title: 'other printer columns',
    reason: 'What is printed is for people.',
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
    title: 'a field without a schema of its own, whose values are kept',
    reason: 'Values of any kind are kept.',
    remedy: none,
  },
  'property-removed': {
    severity: 'breaking',
    title: 'a field that goes, or has another name',
    reason: 'It is pruned: what is stored in it is lost.',
    remedy: 'Keep the field and say in its description that it is not used any more, or offer a version without it.',
  },
  'unknown-fields-pruned': {
    severity: 'breaking',
    title: 'fields of any name were kept, and are dropped now',
    reason: 'What is stored in them is lost.',
    remedy: 'Name the fields that are in use, or go on keeping unknown ones.',
  },
  'unknown-fields-kept': {
    severity: 'safe',
    title: 'fields of any name are kept now',
    reason: 'Nothing is refused, and nothing lost.',
    remedy: none,
  },
  'type-changed': {
    severity: 'breaking',
    title: 'another type, or one where there was any',
    reason: 'Stored values of the old type are refused.',
    remedy: 'Add a field with the new type beside the old one, or offer a new version.',
  },
  'type-widened': {
    severity: 'warn',
    title: 'values of further types (numbers where there were integers, integers or strings, anything)',
    reason:
      'Stored values are all right, but readers may meet types that they do not expect, and rules compute otherwise.',
    remedy: 'See that readers can take the new values.',
  },
  'required-added': {
    severity: 'breaking',
    title: 'an optional field becomes required',
    reason: 'Objects without it are refused.',
    remedy: 'Give the field a default, or keep it optional and check it where it is used.',
  },
  'required-default-removed': {
    severity: 'breaking',
    title: 'a required field has no default any more',
    reason: 'Objects that rely on the default are refused.',
    remedy: 'Keep the default, or make the field optional.',
  },
  'required-removed': {
    severity: 'safe',
    title: 'a required field becomes optional',
    reason: 'Less is asked for.',
    remedy: 'See that readers can do without it.',
  },
  'default-added': {
    severity: 'warn',
    title: 'a default for an optional field',
    reason: 'Objects that leave the field out get a value, and behave otherwise.',
    remedy: 'Choose the default so that it means what leaving out meant.',
  },
  'default-changed': {
    severity: 'warn',
    title: 'another default',
    reason: 'New objects behave otherwise than old ones, which keep the old value.',
    remedy: 'Tell consumers, or keep the default.',
  },
  'default-removed': {
    severity: 'warn',
    title: 'no default any more for an optional field',
    reason: 'Objects that rely on the default are without a value.',
    remedy: 'See that readers can do without it.',
  },
  'nullable-added': { severity: 'safe', title: '`null` is allowed', reason: 'More is let through.', remedy: none },
  'nullable-removed': {
    severity: 'breaking',
    title: '`null` is no longer allowed',
    reason: 'A stored `null` is dropped or refused.',
    remedy: mendObjects,
  },
  'embedded-resource-added': {
    severity: 'breaking',
    title: 'a field must be a whole object of Kubernetes',
    reason: 'Values without apiVersion, kind or proper metadata are refused.',
    remedy: mendObjects,
  },
  'embedded-resource-removed': {
    severity: 'warn',
    title: 'a field need not be a whole object of Kubernetes any more',
    reason: 'What is in it is no longer checked, so readers may meet less than an object.',
    remedy: 'See that readers check for themselves.',
  },
  'map-type-changed': {
    severity: 'warn',
    title: 'another map type (granular, atomic)',
    reason: 'Values are all right, but server-side apply merges and owns them otherwise.',
    remedy: 'Tell those who apply parts of the map.',
  },

  // Values.
  'enum-narrowed': {
    severity: 'breaking',
    title: 'an enum is new, or a value of it goes',
    reason: 'Other values are refused.',
    remedy: mendObjects,
  },
  'enum-widened': {
    severity: 'safe',
    title: 'an enum has more values, or goes',
    reason: 'More is let through.',
    remedy: 'See that readers know the new values.',
  },
  'bounds-narrowed': {
    severity: 'breaking',
    title: 'a bound (of a number, length, items, fields) is new or tighter',
    reason: 'Values beyond it are refused.',
    remedy: mendObjects,
  },
  'bounds-relaxed': {
    severity: 'safe',
    title: 'a bound is wider, or goes',
    reason: 'More is let through.',
    remedy: none,
  },
  'multiple-narrowed': {
    severity: 'breaking',
    title: '`multipleOf` is new, or another that does not divide the old one',
    reason: 'Other numbers are refused.',
    remedy: mendObjects,
  },
  'multiple-relaxed': {
    severity: 'safe',
    title: '`multipleOf` divides the old one, or goes',
    reason: 'More is let through.',
    remedy: none,
  },
  'pattern-changed': {
    severity: 'breaking',
    title: 'a pattern is new or another one',
    reason: 'It cannot be decided beforehand whether stored values match it.',
    remedy: mendObjects,
  },
  'pattern-removed': { severity: 'safe', title: 'a pattern goes', reason: 'More is let through.', remedy: none },
  'format-changed': {
    severity: 'breaking',
    title: 'a format is new or another one',
    reason: 'Values of another format are refused.',
    remedy: mendObjects,
  },
  'format-widened': {
    severity: 'warn',
    title: 'a format goes, or numbers may be longer (int32 to int64, float to double)',
    reason: 'Stored values are all right, but readers may meet others, and rules see another type.',
    remedy: 'See that readers can take the new values.',
  },
  'unique-added': {
    severity: 'breaking',
    title: 'items may not repeat any more',
    reason: 'Lists that repeat items are refused.',
    remedy: mendObjects,
  },
  'unique-removed': { severity: 'safe', title: 'items may repeat', reason: 'More is let through.', remedy: none },
  'condition-changed': {
    severity: 'breaking',
    title: 'another condition (`allOf`, `anyOf`, `oneOf`, `not`)',
    reason: 'It cannot be decided beforehand whether stored values meet it.',
    remedy: mendObjects,
  },
  'condition-removed': { severity: 'safe', title: 'a condition goes', reason: 'More is let through.', remedy: none },

  // Lists.
  'list-type-changed': {
    severity: 'breaking',
    title: 'another list type (atomic, set, map)',
    reason: 'Lists that repeat items or keys may be refused, and server-side apply merges them otherwise.',
    remedy:
      'Add a field with the new list type beside the old one, or make sure that no client applies parts of it; then approve the change.',
  },
  'list-map-keys-changed': {
    severity: 'breaking',
    title: 'other keys of a list of type map',
    reason: 'Items that had different keys may have the same ones now; server-side apply takes them for others.',
    remedy: 'Add a field with the new keys beside the old one, or offer a new version.',
  },

  // Rules in CEL.
  'rule-added': {
    severity: 'breaking',
    title: 'a validation rule is new or another one',
    reason: 'It cannot be decided beforehand whether stored objects meet it.',
    remedy: mendObjects,
  },
  'rule-removed': { severity: 'safe', title: 'a validation rule goes', reason: 'More is let through.', remedy: none },
  'rule-message-changed': {
    severity: 'safe',
    title: 'a validation rule says something else when it is broken',
    reason: 'What is let through is the same.',
    remedy: none,
  },
} as const satisfies Readonly<Record<string, ClassifiedChange>>;

/** Which row of {@link classification}. */
export type ChangeKind = keyof typeof classification;
