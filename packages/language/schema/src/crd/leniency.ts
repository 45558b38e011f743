import { equal } from '@hawser/json';
import { someSchema, structuralObstacle } from '../forbidden-keywords.js';
import type { JsonSchemaProps } from '../json-schema-props.js';
import { validateStructural } from '../structural-validation.js';
import { hasRecognizedReviewVersion, isCaBundle } from './conversion.js';
import { type CustomResourceDefinition, hasCondition } from './custom-resource-definition.js';
import { defaultErrors } from './default-validation.js';
import { toInternalSpec } from './internal-spec.js';
import { isSetOfNonAtomic, listKeyErrors } from './list-map-keys.js';

/** Strictness of the API server. It still accepts what an older rule once allowed. */
export interface Leniency {
  readonly requireSchema: boolean;
  readonly requireStructural: boolean;
  readonly requireValidType: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireListKeys: boolean;
  readonly requireRecognizedReviewVersion: boolean;
  readonly allowInvalidCaBundle: boolean;
  /** Scope and kind are immutable. */
  readonly namesAreFixed: boolean;
  /** Versions with more selectable fields than allowed today; the empty name means all. */
  readonly tooManySelectableFields: ReadonlySet<string>;
}

/** For a new CRD. A CA bundle is checked only once the CRD is established. */
export const strict: Leniency = {
  requireSchema: true,
  requireStructural: true,
  requireValidType: true,
  requirePrunedDefaults: true,
  requireAtomicSets: true,
  requireListKeys: true,
  requireRecognizedReviewVersion: true,
  allowInvalidCaBundle: true,
  namesAreFixed: false,
  tooManySelectableFields: new Set(),
};

const TYPES: ReadonlySet<string> = new Set(['', 'string', 'number', 'integer', 'boolean', 'array', 'object']);

export function leniencyTowards(crd: CustomResourceDefinition, old: CustomResourceDefinition): Leniency {
  const versions = old.spec.versions ?? [];
  const schemas = versions.flatMap((version) => version.schema?.openAPIV3Schema ?? []);
  const none = (holds: (schema: JsonSchemaProps) => boolean): boolean =>
    !schemas.some((schema) => someSchema(schema, holds));
  const isStructural = (schema: JsonSchemaProps): boolean =>
    structuralObstacle(schema) === undefined && validateStructural(schema).length === 0;
  const established = hasCondition(old, 'Established');
  const bundle = old.spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
  const reviewVersions = old.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    requireSchema: versions.every((version) => version.schema?.openAPIV3Schema !== undefined),
    requireStructural: schemas.every(isStructural),
    requireValidType: none((schema) => !TYPES.has(schema.type ?? '')),
    requirePrunedDefaults: !schemas.some((schema) => isStructural(schema) && hasUnprunedDefaults(schema)),
    requireAtomicSets: none((schema) => isSetOfNonAtomic(schema) !== undefined),
    requireListKeys: none((schema) => listKeyErrors(schema, '').length > 0),
    requireRecognizedReviewVersion: reviewVersions.length === 0 || hasRecognizedReviewVersion(reviewVersions),
    allowInvalidCaBundle: !established || (bundle !== '' && !isCaBundle(bundle)),
    namesAreFixed: established,
    tooManySelectableFields: excessOf(crd, old),
  };
}

const hasUnprunedDefaults = (schema: JsonSchemaProps): boolean =>
  defaultErrors(schema, '', { requirePruned: true, checkDefault: undefined }).some(
    ({ detail }) => detail === 'must not have unknown fields',
  );

function excessOf(crd: CustomResourceDefinition, old: CustomResourceDefinition): ReadonlySet<string> {
  const [now, before] = [toInternalSpec(crd.spec), toInternalSpec(old.spec)];
  const excess = new Set<string>();
  if (before.selectableFields.length > 8 && equal(now.selectableFields, before.selectableFields)) excess.add('');
  for (const { name = '', selectableFields = [] } of now.versions) {
    const fields = before.versions.find((version) => version.name === name)?.selectableFields ?? [];
    if (fields.length > 8 && equal(fields, selectableFields)) excess.add(name);
  }
  return excess;
}

export const usesDefaults = (schema: JsonSchemaProps): boolean =>
  someSchema(schema, (inner) => (inner.default ?? undefined) !== undefined);

/** Whether a schema uses features of structural schemas, besides defaults. */
export function usesExtensions(schema: JsonSchemaProps): boolean {
  return someSchema(
    schema,
    (inner) =>
      inner['x-kubernetes-embedded-resource'] === true ||
      inner['x-kubernetes-preserve-unknown-fields'] !== undefined ||
      inner['x-kubernetes-int-or-string'] === true ||
      (inner['x-kubernetes-list-map-keys'] ?? []).length > 0 ||
      inner['x-kubernetes-list-type'] !== undefined ||
      (inner['x-kubernetes-validations'] ?? []).length > 0,
  );
}
