import { equal } from '@hawser/json';
import type { FieldError } from '../field-error.js';
import { invalid, notSupported, required } from '../field-errors.js';
import { childPath, indexPath, keyPath } from '../field-path.js';
import { isRequestUri } from '../formats/uri.js';
import { dns1035LabelErrors, dns1123SubdomainErrors } from '../names.js';
import { decodeObjectMeta } from '../object-meta.js';
import { validateObjectMeta, validateObjectMetaUpdate } from '../object-meta-validation.js';
import { getOwn, isObject } from '../own.js';
import { conversionErrors } from './conversion.js';
import { crdSchemaErrors } from './crd-schema.js';
import {
  type CrdSpec,
  type CrdVersion,
  type CustomResourceDefinition,
  defaultCustomResourceDefinition,
} from './custom-resource-definition.js';
import type { CheckDefault } from './default-validation.js';
import { versionsText } from './go-struct-text.js';
import { type InternalSpec, toInternalSpec } from './internal-spec.js';
import { type Leniency, leniencyTowards, strict, usesDefaults, usesExtensions } from './leniency.js';
import type { RuleContext } from './schema-rules.js';
import { selectableFieldErrors } from './selectable-fields.js';
import { deprecationErrors, nameErrors, printerColumnErrors, subresourceErrors } from './version-parts.js';

const APPROVAL = 'api-approved.kubernetes.io';

export interface CrdValidationOptions {
  /** Compiles a CEL rule and reports its problems. Without it, rules are only checked for form. */
  readonly checkRule?: ((context: RuleContext) => readonly FieldError[]) | undefined;
  /** Evaluates the rules of a schema for a default. */
  readonly checkDefault?: CheckDefault | undefined;
}

/**
 * The API server's (1.36) errors when a CRD is created, or updated if `old` is given, with its messages and paths. Its
 * own defaults need not be present. Checks only the parts of `status` that matter for the spec; a CRD without
 * `storedVersions` counts as having only its storage version.
 */
export function validateCustomResourceDefinition(
  crd: CustomResourceDefinition,
  old?: CustomResourceDefinition,
  options: CrdValidationOptions = {},
): FieldError[] {
  const wanted = defaultCustomResourceDefinition(crd);
  const before = old === undefined ? undefined : defaultCustomResourceDefinition(old);
  const leniency = before === undefined ? strict : leniencyTowards(wanted, before);
  const stored = storedVersionsOf(wanted, before);
  return [
    ...metadataErrors(wanted, before),
    ...specErrors(wanted.spec, leniency, options),
    ...(before === undefined ? [] : immutableErrors(wanted.spec, before.spec, leniency)),
    ...nameErrors(wanted.status?.acceptedNames ?? {}, 'status.acceptedNames'),
    ...storedVersionErrors(stored, wanted.spec.versions ?? [], 'status.storedVersions'),
    ...approvalErrors(wanted, before),
    ...(wanted.spec.preserveUnknownFields === true && before?.spec.preserveUnknownFields !== true
      ? [
          invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ];
}

/** The spec endpoint cannot set the status: the API server keeps the old one, and adds the new storage version. */
function storedVersionsOf(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): readonly string[] {
  const known =
    (old === undefined ? crd.status?.storedVersions : (old.status?.storedVersions ?? crd.status?.storedVersions)) ?? [];
  const storage = crd.spec.versions?.find((version) => version.storage === true)?.name;
  return storage === undefined || known.includes(storage) ? known : [...known, storage];
}

function metadataErrors(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  const decoded = decodeObjectMeta(crd.metadata ?? {});
  if (!decoded.ok) return [invalid('metadata', crd.metadata ?? {}, decoded.error)];
  if (old !== undefined) return validateObjectMetaUpdate(decoded.metadata, old.metadata ?? {});
  const name = (text: string): string[] => {
    const errors = dns1123SubdomainErrors(text);
    return text === `${crd.spec.names?.plural ?? ''}.${crd.spec.group ?? ''}`
      ? errors
      : [...errors, 'must be spec.names.plural+"."+spec.group'];
  };
  // The API server has already dropped a namespace.
  return validateObjectMeta(
    { ...decoded.metadata, namespace: undefined },
    { namespaced: false, name, namePrefix: name },
  );
}

function specErrors(spec: CrdSpec, leniency: Leniency, options: CrdValidationOptions): FieldError[] {
  const path = 'spec';
  const internal = toInternalSpec(spec);
  const preserves = spec.preserveUnknownFields === true;
  // Only a schema that keeps unknown fields need not be structural.
  const schemas = preserves ? (spec.versions ?? []).flatMap((version) => version.schema?.openAPIV3Schema ?? []) : [];
  const hasDefaults = schemas.some(usesDefaults);
  const hasExtensions = schemas.some(usesExtensions);
  const schemaOptions = {
    ...leniency,
    requireStructural: leniency.requireStructural || !preserves || hasDefaults || hasExtensions,
    checkRule: options.checkRule,
    checkDefault: options.checkDefault,
  };
  const hasAnyStatus = (spec.versions ?? []).some((version) => version.subresources?.status !== undefined);
  return [
    ...groupErrors(spec.group ?? '', childPath(path, 'group')),
    ...scopeErrors(spec.scope ?? '', childPath(path, 'scope')),
    ...missingSchemaErrors(internal, leniency, preserves, childPath(path, 'versions')),
    ...(hasDefaults && preserves
      ? [
          invalid(
            childPath(path, 'preserveUnknownFields'),
            true,
            'must be false in order to use defaults in the schema',
          ),
        ]
      : []),
    ...internal.versions.flatMap((version, index) => {
      const at = indexPath(childPath(path, 'versions'), index);
      const wrong = dns1035LabelErrors(version.name ?? '');
      const hasStatus = (version.subresources ?? internal.subresources)?.status !== undefined;
      return [
        ...(wrong.length === 0 ? [] : [invalid(childPath(at, 'name'), version.name ?? '', wrong.join(','))]),
        ...deprecationErrors(version, at),
        ...crdSchemaErrors(version.schema, hasStatus, childPath(at, 'schema'), schemaOptions),
        ...subresourceErrors(version.subresources, childPath(at, 'subresources')),
        ...printerColumnErrors(version.additionalPrinterColumns ?? [], childPath(at, 'additionalPrinterColumns')),
        ...versionSelectableErrors(version, at, leniency),
      ];
    }),
    ...versionSetErrors(
      internal,
      spec.versions === undefined ? 'null' : versionsText(internal.versions),
      childPath(path, 'versions'),
    ),
    ...requiredNameErrors(spec, childPath(path, 'names')),
    ...nameErrors(spec.names ?? {}, childPath(path, 'names')),
    ...crdSchemaErrors(internal.validation, hasAnyStatus, childPath(path, 'validation'), schemaOptions),
    ...subresourceErrors(internal.subresources, childPath(path, 'subresources')),
    ...printerColumnErrors(internal.additionalPrinterColumns, childPath(path, 'additionalPrinterColumns')),
    ...commonSelectableErrors(internal, childPath(path, 'selectableFields'), leniency),
    ...(preserves && spec.conversion?.strategy !== 'None'
      ? [
          invalid(
            childPath(path, 'conversion.strategy'),
            spec.conversion?.strategy ?? '',
            'must be None if spec.preserveUnknownFields is true',
          ),
        ]
      : []),
    ...conversionErrors(spec.conversion, childPath(path, 'conversion'), leniency),
  ];
}

function groupErrors(group: string, path: string): FieldError[] {
  if (group === '') return [required(path)];
  const wrong = dns1123SubdomainErrors(group);
  if (wrong.length > 0) return [invalid(path, group, wrong.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string, path: string): FieldError[] {
  const scopes = ['Cluster', 'Namespaced'];
  if (scope === '') return [required(path)];
  return scopes.includes(scope) ? [] : [notSupported(path, scope, scopes)];
}

function missingSchemaErrors(spec: InternalSpec, leniency: Leniency, preserves: boolean, path: string): FieldError[] {
  if (spec.validation?.openAPIV3Schema !== undefined || (!leniency.requireSchema && preserves)) return [];
  return spec.versions.flatMap((version, index) => {
    if (version.schema?.openAPIV3Schema !== undefined) return [];
    const at = childPath(indexPath(path, index), 'schema.openAPIV3Schema');
    if (leniency.requireSchema) return [required(at)];
    return version.served === true ? [required(at, 'because otherwise all fields are pruned')] : [];
  });
}

function versionSetErrors(spec: InternalSpec, shown: string, path: string): FieldError[] {
  const { versions } = spec;
  const names = versions.map((version) => version.name ?? '');
  const refuse = (detail: string): FieldError => ({ ...invalid(path, '', detail), shown });
  return [
    ...(new Set(names).size === names.length ? [] : [refuse('must contain unique version names')]),
    ...(versions.filter((version) => version.storage === true).length === 1
      ? []
      : [refuse('must have exactly one version marked as storage version')]),
    // The API server holds the first version twice, and checks both.
    ...(names[0] === undefined || names[0] === '' || dns1035LabelErrors(names[0]).length === 0
      ? []
      : [invalid('spec.version', names[0], dns1035LabelErrors(names[0]).join(','))]),
  ];
}

const requiredNameErrors = ({ names = {} }: CrdSpec, path: string): FieldError[] =>
  (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((field) => (names[field] ?? '') === '')
    .map((field) => required(childPath(path, field)));

function versionSelectableErrors(version: CrdVersion, path: string, leniency: Leniency): FieldError[] {
  const fields = version.selectableFields ?? [];
  if (fields.length === 0) return [];
  const schema = version.schema?.openAPIV3Schema;
  const at = childPath(path, 'selectableFields');
  if (schema === undefined)
    return [invalid(at, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')];
  return selectableFieldErrors(fields, schema, at, leniency.tooManySelectableFields.has(version.name ?? ''));
}

function commonSelectableErrors(spec: InternalSpec, path: string, leniency: Leniency): FieldError[] {
  if (spec.selectableFields.length === 0) return [];
  const schema = spec.validation?.openAPIV3Schema;
  if (schema === undefined) return [invalid(path, '', 'may only be set when validations.schema is included')];
  return selectableFieldErrors(spec.selectableFields, schema, path, leniency.tooManySelectableFields.has(''));
}

function immutableErrors(spec: CrdSpec, old: CrdSpec, leniency: Leniency): FieldError[] {
  const immutable = (value: string | undefined, before: string | undefined, path: string): FieldError[] =>
    equal(value ?? '', before ?? '') ? [] : [invalid(path, value ?? '', 'field is immutable')];
  return [
    ...(leniency.namesAreFixed
      ? [
          ...immutable(spec.scope, old.scope, 'spec.scope'),
          ...immutable(spec.names?.kind, old.names?.kind, 'spec.names.kind'),
        ]
      : []),
    ...immutable(spec.group, old.group, 'spec.group'),
    ...immutable(spec.names?.plural, old.names?.plural, 'spec.names.plural'),
  ];
}

function storedVersionErrors(stored: readonly string[], versions: readonly CrdVersion[], path: string): FieldError[] {
  if (stored.length === 0) return [{ ...invalid(path, [], 'must have at least one stored version'), shown: 'null' }];
  const names = new Set(versions.map((version) => version.name ?? ''));
  const gone = stored.flatMap((name, index) =>
    names.has(name)
      ? []
      : [
          invalid(
            indexPath(path, index),
            name,
            `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
          ),
        ],
  );
  return [
    ...versions
      .filter((version) => version.storage === true && !stored.includes(version.name ?? ''))
      .map((version) => invalid(path, stored, `must have the storage version ${version.name ?? ''}`)),
    ...gone,
  ];
}

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** Groups of the Kubernetes community require an approval annotation. */
function approvalErrors(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  const group = crd.spec.group ?? '';
  if (!['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`))) return [];
  const text = approvalOf(crd);
  const state = judgeApproval(text);
  if (state === 'approved' || state === 'bypassed' || (old !== undefined && judgeApproval(approvalOf(old)) === state))
    return [];
  const path = keyPath('metadata.annotations', APPROVAL);
  const reference = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const detail = `protected groups must have approval annotation "${APPROVAL}"`;
  if (state === 'missing') return [required(path, `${detail}, ${reference}`)];
  return [invalid(path, text, `${detail} with either a URL or a reason starting with "unapproved", ${reference}`)];
}

function approvalOf(crd: CustomResourceDefinition): string {
  const annotations = getOwn(crd.metadata ?? {}, 'annotations');
  const text = isObject(annotations) ? getOwn(annotations, APPROVAL) : undefined;
  return typeof text === 'string' ? text : '';
}

function judgeApproval(text: string): Approval {
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'bypassed';
  return isRequestUri(text) && /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?]*@)?[^/?@]/.test(text) ? 'approved' : 'invalid';
}
