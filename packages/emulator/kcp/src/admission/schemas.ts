import {
  type AdmittedWrite,
  booleanField,
  definitionErrors,
  field,
  forbidden,
  metaOf,
  objectField,
  objectsField,
  stringField,
} from '@hawser/apiserver';
import { type JsonObject, type JsonValue, canonical, equal, stringify } from '@hawser/json';
import { type FieldError, formatFieldError } from '@hawser/schema';
import { definitionName, definitionOf } from '../bound-types.js';
import { SCHEMAS } from '../kinds/types.js';

const PREFIX = /^[a-z]([-a-z0-9]*[a-z0-9])?$/u;
const SINGLE_SEGMENT_GROUPS = ['apps', 'batch', 'extensions', 'policy', 'autoscaling'];

/** Validates name, group and structural schemas; the spec is immutable. */
export function validateSchema({ object, previous }: AdmittedWrite): void {
  const spec = objectField(object, 'spec') ?? {};
  const errors = [...nameErrors(metaOf(object).name ?? '', spec), ...groupErrors(spec), ...versionErrors(spec)].map(
    formatFieldError,
  );
  if (objectsField(spec, 'versions').filter((version) => booleanField(version, 'storage')).length !== 1)
    errors.push(
      `spec.versions: Invalid value: ${versionsText(spec)}: must have exactly one version marked as storage version`,
    );
  if (previous !== undefined && !equal(spec, objectField(previous, 'spec') ?? {}))
    errors.push(`spec: Invalid value: ${specText(spec)}: is immutable`);
  if (errors.length > 0) throw forbidden(SCHEMAS, metaOf(object).name ?? '', `[${errors.join(', ')}]`);
}

const invalid = (path: string, value: JsonValue, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  path,
  value,
  detail,
});

function nameErrors(name: string, spec: JsonObject): readonly FieldError[] {
  const suffix = `.${stringField(objectField(spec, 'names'), 'plural')}.${stringField(spec, 'group') || 'core'}`;
  if (!name.endsWith(suffix)) return [invalid('metadata.name', name, `must end in ${suffix}`)];
  return PREFIX.test(name.slice(0, -suffix.length))
    ? []
    : [invalid('metadata.name', name, `must match ^[a-z]([-a-z0-9]*[a-z0-9])?$ in front of ${suffix}`)];
}

function groupErrors(spec: JsonObject): readonly FieldError[] {
  const group = stringField(spec, 'group');
  if (group === 'core') return [invalid('spec.group', group, 'must be empty string for the core group')];
  if (group === '' || group.includes('.') || SINGLE_SEGMENT_GROUPS.includes(group)) return [];
  return [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

/** Validates as for a CRD, which has the schema one level deeper. */
function versionErrors(spec: JsonObject): readonly FieldError[] {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: definitionName(spec) },
    spec: { ...definitionOf(spec), conversion: { strategy: 'None' } },
  };
  return (
    definitionErrors(crd)
      // A CRD reports common problems of all versions at its top.
      .map((error) => ({
        ...error,
        path: error.path
          .replace(/^spec\.validation\.openAPIV3Schema/u, 'spec.versions[0].schema.openAPIV3Schema')
          .replace(/^spec\.(?=subresources|additionalPrinterColumns|selectableFields)/u, 'spec.versions[0].'),
      }))
      .filter(({ path }) => path.startsWith('spec.versions['))
  );
}

const text = (object: JsonObject, key: string): string => JSON.stringify(stringField(object, key));
const texts = (object: JsonObject, key: string): string | undefined =>
  field(object, key) === undefined ? undefined : stringify(field(object, key) ?? null);
const struct = (fields: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(fields)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${JSON.stringify(key)}:${value}`]))
    .join(',')}}`;

function versionsText(spec: JsonObject): string {
  return `[${objectsField(spec, 'versions')
    .map((version) =>
      struct({
        name: text(version, 'name'),
        served: String(booleanField(version, 'served')),
        storage: String(booleanField(version, 'storage')),
        deprecated: texts(version, 'deprecated'),
        deprecationWarning: texts(version, 'deprecationWarning'),
        schema: canonical(field(version, 'schema') ?? null),
        subresources: canonical(field(version, 'subresources') ?? {}),
        additionalPrinterColumns: texts(version, 'additionalPrinterColumns'),
      }),
    )
    .join(',')}]`;
}

/** In the order in which Go prints the type. */
function specText(spec: JsonObject): string {
  const names = objectField(spec, 'names') ?? {};
  return struct({
    group: text(spec, 'group'),
    names: struct({
      plural: text(names, 'plural'),
      singular: text(names, 'singular'),
      shortNames: texts(names, 'shortNames'),
      kind: text(names, 'kind'),
      listKind: text(names, 'listKind'),
      categories: texts(names, 'categories'),
    }),
    scope: text(spec, 'scope'),
    versions: versionsText(spec),
    nameValidation: texts(spec, 'nameValidation'),
    conversion: texts(spec, 'conversion'),
  });
}
