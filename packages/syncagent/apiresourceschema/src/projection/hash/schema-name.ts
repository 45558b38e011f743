import { createHash } from 'node:crypto';
import {
  type CRDSpec,
  type CRDVersion,
  type CustomResourceDefinition,
  encodeNames,
  encodePrinterColumn,
  encodeSubresources,
} from '@hawser/crd';
import { goArray, goBoolean, goString, goStruct, listUnlessEmpty } from '@hawser/json';
import { formatSchemaName } from '@hawser/kcp-api';
import { encodeSchema } from './encode-schema.js';

/** Encodes a CRD spec like Go, without the conversion, newline included (spec/api-syncagent.md §9.5). */
export function encodeCRDSpec({ group, names, scope, versions, preserveUnknownFields }: CRDSpec): string {
  return `${goStruct([
    ['group', goString(group)],
    ['names', encodeNames(names)],
    ['scope', goString(scope)],
    ['versions', goArray(versions, encodeVersion)],
    ['preserveUnknownFields', preserveUnknownFields === true ? 'true' : undefined],
  ])}\n`;
}

/**
 * The name of a projected CRD's APIResourceSchema: changes with every change of the CRD's spec, and returns when the
 * change is undone. The core API is written `core`, as kcp requires.
 */
export function schemaName({ spec }: CustomResourceDefinition): string {
  const hash = createHash('sha1').update(encodeCRDSpec(spec), 'utf8').digest('hex').slice(0, 8);
  return formatSchemaName({ prefix: `v${hash}`, resource: spec.names.plural, group: spec.group });
}

function encodeVersion(version: CRDVersion): string {
  const {
    name,
    served,
    storage,
    deprecated,
    deprecationWarning,
    schema,
    subresources,
    additionalPrinterColumns,
    selectableFields,
  } = version;
  return goStruct([
    ['name', goString(name)],
    ['served', goBoolean(served)],
    ['storage', goBoolean(storage)],
    ['deprecated', deprecated === true ? 'true' : undefined],
    ['deprecationWarning', deprecationWarning === undefined ? undefined : goString(deprecationWarning)],
    [
      'schema',
      schema === undefined
        ? undefined
        : goStruct([
            [
              'openAPIV3Schema',
              schema.openAPIV3Schema === undefined ? undefined : encodeSchema(schema.openAPIV3Schema),
            ],
          ]),
    ],
    ['subresources', subresources === undefined ? undefined : encodeSubresources(subresources)],
    ['additionalPrinterColumns', listUnlessEmpty(additionalPrinterColumns, encodePrinterColumn)],
    [
      'selectableFields',
      listUnlessEmpty(selectableFields, ({ jsonPath }) => goStruct([['jsonPath', goString(jsonPath)]])),
    ],
  ]);
}
