import { type JsonObject, parse, stringify } from '@hawser/json';
import {
  type CustomResourceDefinition,
  type FieldError,
  type JsonSchemaProps,
  validateCustomResourceDefinition,
} from '@hawser/schema';
import { objectField, objectsField, stringsField } from '../../object/json.js';
import { withMeta } from '../../object/meta.js';
import { remembered } from '../../object/remembered.js';
import { invalid, required } from '../../object/invalid.js';
import { notImplemented } from '../../status.js';
import { checkRule } from './crd-rules.js';

/** Problems of a new CRD. Throws 501 for what this server cannot serve. */
export function definitionErrors(crd: JsonObject): readonly FieldError[] {
  typed(crd);
  // Leaves out what differs each time.
  return errorsOf(stringify(withMeta(crd, { uid: undefined, creationTimestamp: undefined, managedFields: undefined })));
}

/** Checking compiles the rules, which is expensive, and many servers get the same definitions. */
const errorsOf = remembered(100, (text) =>
  unique(
    validateCustomResourceDefinition(parse(text) as unknown as CustomResourceDefinition, undefined, { checkRule }),
  ),
);

export function definitionUpdateErrors(crd: JsonObject, old: JsonObject): readonly FieldError[] {
  return unique(validateCustomResourceDefinition(typed(crd), typed(old), { checkRule }));
}

/** Conversion webhooks are not supported. */
function typed(crd: JsonObject): CustomResourceDefinition {
  if (objectField(objectField(crd, 'spec'), 'conversion')?.['strategy'] === 'Webhook')
    throw notImplemented('conversion of custom resources by a webhook');
  return crd as unknown as CustomResourceDefinition;
}

/** Two packages check rules, and both report some problems. */
function unique(errors: readonly FieldError[]): readonly FieldError[] {
  const seen = new Set<string>();
  return errors.filter((error) => {
    const key = `${error.type} ${error.path} ${error.detail}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

export function definitionStatusErrors(crd: JsonObject): readonly FieldError[] {
  const spec = objectField(crd, 'spec');
  const versions = objectsField(spec, 'versions');
  const stored = stringsField(objectField(crd, 'status'), 'storedVersions');
  const path = 'status.storedVersions';
  if (stored.length === 0) return [required(path, 'must have at least one stored version')];
  const storage = versions.find((version) => version['storage'] === true)?.['name'];
  const errors = stored.flatMap((name, index) =>
    versions.some((version) => version['name'] === name)
      ? []
      : [invalid(`${path}[${index}]`, name, 'must appear in spec.versions')],
  );
  if (typeof storage !== 'string' || stored.includes(storage)) return errors;
  return [...errors, invalid(path, stored, `must have the storage version ${storage}`)];
}

const FORMATS: readonly string[] = [
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'password',
  'date',
  'duration',
  'datetime',
  'date-time',
  'k8s-short-name',
  'k8s-long-name',
];
/** Number formats, which state a size. */
const NUMBER_FORMATS: readonly string[] = ['int32', 'int64', 'float', 'double'];

/** Unknown string formats. */
export function unknownFormats(crd: JsonObject): readonly string[] {
  return objectsField(objectField(crd, 'spec'), 'versions').flatMap((version) => {
    const schema = objectField(objectField(version, 'schema'), 'openAPIV3Schema');
    return schema === undefined ? [] : formatsBelow(schema);
  });
}

function formatsBelow(schema: JsonSchemaProps): readonly string[] {
  const { format, properties = {}, items, additionalProperties } = schema;
  const own =
    format === undefined || format === '' || FORMATS.includes(format) || NUMBER_FORMATS.includes(format)
      ? []
      : [format];
  return [
    ...own,
    ...Object.values(properties).flatMap(formatsBelow),
    ...(items === undefined ? [] : formatsBelow(items)),
    ...(typeof additionalProperties === 'object' ? formatsBelow(additionalProperties) : []),
  ];
}
