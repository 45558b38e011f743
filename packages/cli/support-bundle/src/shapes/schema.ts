import { isFields } from '@hawser/json';

import { LEFT_OUT, type Shape, fields, list, mention, plain, prose, word } from '../shape.js';
import { withoutSecrets } from '../without-secrets.js';

/** Texts in a schema without effect on its function. */
const dropped: ReadonlySet<string> = new Set(['description', 'title', 'example', 'examples', 'externalDocs']);
const sensitive = /pass|secret|token|credential|key|auth/iu;
const MAX_DEPTH = 40;
/** Limit of a schema; a larger one is only mentioned. The largest CRDs have some hundred KiB without descriptions. */
const MAX_BYTES = 256 * 1_024;
/** A longer default is content rather than a setting. */
const LONGEST_DEFAULT = 128;

/** An OpenAPI schema without its texts. Drops defaults of fields whose name suggests a secret. */
export const openAPISchema: Shape = (value) => {
  const schema = structure(value, '', 0);
  const bytes = Buffer.byteLength(textOf(schema));
  return bytes > MAX_BYTES ? `${LEFT_OUT}: ${bytes} bytes` : schema;
};

/** `JSON.stringify`, whose type omits that undefined has no text. */
function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** `property`: the owner of this schema. */
function structure(value: unknown, property: string, depth: number): unknown {
  if (depth > MAX_DEPTH) return LEFT_OUT;
  if (typeof value === 'string') return withoutSecrets(value);
  if (Array.isArray(value)) return value.map((item) => structure(item, property, depth + 1));
  if (!isFields(value)) return typeof value === 'bigint' ? Number(value) : value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (dropped.has(key)) return [];
      if (key === 'properties' && isFields(inner))
        return [
          [
            key,
            Object.fromEntries(
              Object.entries(inner).map(([name, schema]) => [name, structure(schema, name, depth + 1)]),
            ),
          ],
        ];
      if (key === 'default' || key === 'enum') return [[key, harmless(inner, property)]];
      return [[key, structure(inner, property, depth + 1)]];
    }),
  );
}

function harmless(value: unknown, property: string): unknown {
  const text = textOf(structure(value, property, 0));
  return sensitive.test(property) ||
    sensitive.test(text) ||
    text.length > LONGEST_DEFAULT ||
    withoutSecrets(text) !== text
    ? LEFT_OUT
    : value;
}

const names = fields({
  plural: word,
  singular: word,
  kind: word,
  listKind: word,
  shortNames: list(word),
  categories: list(word),
});

/** Shared part of a CRD, a BoundSchema and an APIResourceSchema. */
export const definition = {
  group: word,
  names,
  scope: word,
  informerScope: word,
  preserveUnknownFields: plain,
  nameValidation: word,
  versions: list(
    fields({
      name: word,
      served: plain,
      storage: plain,
      deprecated: plain,
      deprecationWarning: prose,
      schema: openAPISchema,
      subresources: fields({
        status: () => ({}),
        scale: fields({ specReplicasPath: word, statusReplicasPath: word, labelSelectorPath: word }),
      }),
      selectableFields: list(fields({ jsonPath: word })),
      additionalPrinterColumns: list(fields({ name: word, type: word, jsonPath: word })),
    }),
  ),
  // Neither the address of the webhook nor its CA.
  conversion: fields({
    strategy: word,
    webhook: mention,
    webhookClientConfig: mention,
  }),
};

export const acceptedNames = names;
