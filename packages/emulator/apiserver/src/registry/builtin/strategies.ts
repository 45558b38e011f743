import { type JsonObject, equal } from '@hawser/json';
import type { FieldError } from '@hawser/schema';
import { forbiddenField, invalid, item, notSupported, required, tooLongField } from '../../object/invalid.js';
import {
  at,
  field,
  numberField,
  objectField,
  objectsField,
  stringField,
  stringMap,
  stringsField,
  withAt,
  withField,
  withoutFields,
} from '../../object/json.js';
import { isDeleting, metaOf, withMeta } from '../../object/meta.js';
import { type NameRule, configMapKey, nameIsLabel, nameIsSubdomain, qualifiedName } from '../../object/names.js';
import { validateMeta, validateMetaUpdate } from '../../object/validate-meta.js';
import { byteLength } from '../../object/json.js';
import { syntaxProblem } from '../../object/json-scanner.js';
import type { Strategy } from '../resource-type.js';
import { tlsWarning } from './tls-warning.js';

const KUBERNETES = 'kubernetes';
const STANDARD_FINALIZERS = [KUBERNETES, 'orphan', 'foregroundDeletion'];
const UNQUALIFIED = 'name is neither a standard finalizer name nor is it fully qualified';

const same = (object: JsonObject): JsonObject => object;

interface Rules {
  readonly namespaced: boolean;
  readonly nameRule?: NameRule;
  validate?(object: JsonObject): readonly FieldError[];
  validateUpdate?(object: JsonObject, old: JsonObject): readonly FieldError[];
  readonly allowCreateOnUpdate?: boolean;
  /** Whether finalizers must be standard or qualified. Default true: the rule for all but the newer kinds. */
  readonly strictFinalizers?: boolean;
}

/** A strategy of the common kind: metadata by the type's name rule, then the rest. */
export function strategyOf(rules: Rules, change: Partial<Strategy> = {}): Strategy {
  const { namespaced, nameRule = nameIsSubdomain, strictFinalizers = true } = rules;
  const finalizers = (object: JsonObject): readonly FieldError[] =>
    strictFinalizers ? unqualifiedFinalizers(object) : [];
  const validate = (object: JsonObject): readonly FieldError[] => [
    ...validateMeta(metaOf(object), namespaced, nameRule),
    ...finalizers(object),
    ...(rules.validate?.(object) ?? []),
  ];
  return {
    prepareForCreate: same,
    prepareForUpdate: same,
    validate,
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(metaOf(object), metaOf(old)),
      ...finalizers(object),
      ...(rules.validateUpdate?.(object, old) ?? []),
      ...validate(object),
    ],
    allowCreateOnUpdate: rules.allowCreateOnUpdate ?? false,
    allowUnconditionalUpdate: true,
    ...change,
  };
}

function unqualifiedFinalizers(object: JsonObject): readonly FieldError[] {
  return (metaOf(object).finalizers ?? []).flatMap((finalizer, index) =>
    isKnownFinalizer(finalizer) ? [] : [invalid(item('metadata.finalizers', index), finalizer, UNQUALIFIED)],
  );
}

const isKnownFinalizer = (finalizer: string): boolean =>
  finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer);

const MAX_DATA = 1024 * 1024;
const IMMUTABLE = 'field is immutable when `immutable` is set';

function decodedLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

function validateImmutable(object: JsonObject, old: JsonObject, keys: readonly string[]): readonly FieldError[] {
  if (old['immutable'] !== true) return [];
  const errors = object['immutable'] === true ? [] : [forbiddenField('immutable', IMMUTABLE)];
  return [
    ...errors,
    ...keys.filter((key) => !equal(object[key], old[key])).map((key) => forbiddenField(key, IMMUTABLE)),
  ];
}

export const configMapStrategy = strategyOf({
  namespaced: true,
  validate(object) {
    const data = stringMap(object, 'data');
    const binary = stringMap(object, 'binaryData');
    const errors: FieldError[] = [];
    let size = 0;
    for (const [key, value] of data) {
      const path = item('data', key);
      errors.push(...configMapKey(key).map((message) => invalid(path, key, message)));
      if (binary.has(key)) errors.push(invalid(path, key, 'duplicate of key present in binaryData'));
      size += byteLength(value);
    }
    for (const [key, value] of binary) {
      errors.push(...configMapKey(key).map((message) => invalid(item('binaryData', key), key, message)));
      size += decodedLength(value);
    }
    return size > MAX_DATA ? [...errors, tooLongField('[]', MAX_DATA)] : errors;
  },
  validateUpdate: (object, old) => validateImmutable(object, old, ['data', 'binaryData']),
});

const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';

export const secretStrategy = strategyOf(
  {
    namespaced: true,
    validate: validateSecret,
    validateUpdate: (object, old) => [
      ...(equal(object['type'], old['type'])
        ? []
        : [invalid('type', stringField(object, 'type'), 'field is immutable')]),
      ...validateImmutable(object, old, ['data']),
    ],
  },
  {
    prepareForUpdate: (object, old) =>
      stringField(object, 'type') === '' ? withField(object, 'type', old['type']) : object,
    warnings: (object) =>
      stringField(object, 'type') === 'kubernetes.io/tls' ? tlsWarning(stringMap(object, 'data')) : [],
  },
);

function validateSecret(secret: JsonObject): readonly FieldError[] {
  const data = stringMap(secret, 'data');
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of data) {
    errors.push(...configMapKey(key).map((message) => invalid(item('data', key), key, message)));
    size += decodedLength(value);
  }
  if (size > MAX_DATA) errors.push(tooLongField('data', MAX_DATA));
  const missing = (...keys: readonly string[]): readonly FieldError[] =>
    keys.filter((key) => !data.has(key)).map((key) => required(item('data', key), ''));
  switch (stringField(secret, 'type')) {
    case 'kubernetes.io/service-account-token':
      if ((metaOf(secret).annotations?.[SERVICE_ACCOUNT_NAME] ?? '') === '')
        errors.push(required(item('metadata.annotations', SERVICE_ACCOUNT_NAME), ''));
      break;
    case 'kubernetes.io/dockercfg':
      errors.push(...jsonData(data, '.dockercfg'));
      break;
    case 'kubernetes.io/dockerconfigjson':
      errors.push(...jsonData(data, '.dockerconfigjson'));
      break;
    case 'kubernetes.io/basic-auth':
      if (!data.has('username') && !data.has('password')) errors.push(...missing('username', 'password'));
      break;
    case 'kubernetes.io/ssh-auth':
      if ((data.get('ssh-privatekey') ?? '') === '') errors.push(required(item('data', 'ssh-privatekey'), ''));
      break;
    case 'kubernetes.io/tls':
      errors.push(...missing('tls.crt', 'tls.key'));
      break;
    default:
      break;
  }
  return errors;
}

function jsonData(data: ReadonlyMap<string, string>, key: string): readonly FieldError[] {
  const value = data.get(key);
  if (value === undefined) return [required(item('data', key), '')];
  const text = Buffer.from(value, 'base64').toString('utf8');
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && !Array.isArray(parsed)) return [];
    const what = Array.isArray(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed;
    return [
      invalid(
        item('data', key),
        '<secret contents redacted>',
        `json: cannot unmarshal ${what} into Go value of type map[string]interface {}`,
      ),
    ];
  } catch {
    return [invalid(item('data', key), '<secret contents redacted>', syntaxProblem(text))];
  }
}

/** Keeps only the name in references to secrets. */
const withCleanReferences = (object: JsonObject): JsonObject =>
  object['secrets'] === undefined
    ? object
    : withField(
        object,
        'secrets',
        objectsField(object, 'secrets').map((secret) => (secret['name'] === undefined ? {} : { name: secret['name'] })),
      );

const MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccountStrategy = strategyOf(
  { namespaced: true },
  {
    prepareForCreate: withCleanReferences,
    prepareForUpdate: withCleanReferences,
    warnings: (object, old) =>
      metaOf(object).annotations?.[MOUNTABLE_SECRETS] === undefined ||
      (old !== undefined && metaOf(old).annotations?.[MOUNTABLE_SECRETS] !== undefined)
        ? []
        : [
            `metadata.annotations[${MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
          ],
  },
);

/** Drops fields of a disabled feature, unless they were there before. */
const withoutCoordination = (lease: JsonObject, old?: JsonObject): JsonObject => {
  const spec = objectField(lease, 'spec');
  if (spec === undefined || stringField(objectField(old, 'spec'), 'strategy') !== '') return lease;
  return withField(lease, 'spec', withoutFields(spec, 'strategy', 'preferredHolder'));
};

export const leaseStrategy = strategyOf(
  {
    namespaced: true,
    strictFinalizers: false,
    allowCreateOnUpdate: true,
    validate(object) {
      const spec = objectField(object, 'spec') ?? {};
      const errors: FieldError[] = [];
      const duration = numberField(spec, 'leaseDurationSeconds');
      const transitions = numberField(spec, 'leaseTransitions');
      const strategy = field(spec, 'strategy');
      if (duration !== undefined && duration <= 0)
        errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
      if (transitions !== undefined && transitions < 0)
        errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
      if (typeof strategy === 'string') errors.push(...validateLeaseStrategy(strategy));
      if (stringField(spec, 'preferredHolder') !== '' && (strategy === undefined || strategy === '')) {
        errors.push(forbiddenField('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
      }
      return errors;
    },
  },
  {
    prepareForCreate: (lease) => withoutCoordination(lease),
    prepareForUpdate: withoutCoordination,
    allowUnconditionalUpdate: false,
  },
);

function validateLeaseStrategy(strategy: string): readonly FieldError[] {
  const path = 'spec.strategy';
  if (!strategy.includes('/'))
    return strategy === 'OldestEmulationVersion' ? [] : [notSupported(path, strategy, ['OldestEmulationVersion'])];
  return qualifiedName(strategy).map((message) => invalid(path, strategy, message));
}

// --- namespaces ----------------------------------------------------------------------------------------------------------------------------------

function validateFinalizer(finalizer: string, path: string): readonly FieldError[] {
  const errors = qualifiedName(finalizer).map((message) => invalid(path, finalizer, message));
  return isKnownFinalizer(finalizer) ? errors : [...errors, invalid(path, finalizer, UNQUALIFIED)];
}

const namespaceRules: Rules = {
  namespaced: false,
  nameRule: nameIsLabel,
  validate: (object) => specFinalizers(object).flatMap((finalizer) => validateFinalizer(finalizer, 'spec.finalizers')),
};

export const specFinalizers = (object: JsonObject): readonly string[] =>
  stringsField(objectField(object, 'spec'), 'finalizers');

const withNameLabel = (object: JsonObject): JsonObject => {
  const { labels = {}, name = '' } = metaOf(object);
  return labels['kubernetes.io/metadata.name'] === name
    ? object
    : withMeta(object, { labels: { ...labels, 'kubernetes.io/metadata.name': name } });
};

const keep = (object: JsonObject, old: JsonObject, ...keys: readonly string[]): JsonObject =>
  keys.reduce((result, key) => withField(result, key, old[key]), object);

export const namespaceStrategy = strategyOf(namespaceRules, {
  prepareForCreate(object) {
    const finalizers = specFinalizers(object);
    const withKubernetes = finalizers.includes(KUBERNETES) ? finalizers : [...finalizers, KUBERNETES];
    return withField(withAt(object, ['spec', 'finalizers'], withKubernetes), 'status', { phase: 'Active' });
  },
  prepareForUpdate: (object, old) => keep(object, old, 'spec', 'status'),
  canonicalize: withNameLabel,
});

export const namespaceStatusStrategy = strategyOf(namespaceRules, {
  prepareForUpdate: (object, old) => keep(object, old, 'spec'),
  validateUpdate(object, old) {
    const phase = at(object, 'status', 'phase') ?? '';
    const errors = validateMetaUpdate(metaOf(object), metaOf(old));
    if (!isDeleting(object) && phase !== 'Active')
      return [...errors, invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty")];
    if (isDeleting(object) && phase !== 'Terminating') {
      return [
        ...errors,
        invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"),
      ];
    }
    return errors;
  },
  canonicalize: withNameLabel,
});

export const namespaceFinalizeStrategy = strategyOf(namespaceRules, {
  prepareForUpdate: (object, old) => keep(object, old, 'status'),
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(metaOf(object), metaOf(old)),
    ...specFinalizers(object).flatMap((finalizer, index) =>
      validateFinalizer(finalizer, item('spec.finalizers', index)),
    ),
  ],
  canonicalize: withNameLabel,
});
