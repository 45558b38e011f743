import type { Rule, SchemaNode } from './node.js';

/** A JSON schema as a CRD carries it. */
export type OpenAPISchema = Readonly<Record<string, unknown>>;

/** The structural OpenAPI v3 schema of a node, keys in a fixed order. */
export function toOpenAPI(node: SchemaNode): OpenAPISchema {
  const fields: [string, unknown][] = [
    ['description', node.description],
    ['type', node.type],
    ['format', node.format],
    ['default', node.default],
    ['enum', node.enum],
    ['pattern', node.pattern],
    ['minLength', node.minLength],
    ['maxLength', node.maxLength],
    ['minimum', node.minimum],
    ['minItems', node.minItems],
    ['required', node.required],
    ['properties', node.properties === undefined ? undefined : mapValues(node.properties, toOpenAPI)],
    ['additionalProperties', node.values === undefined ? undefined : toOpenAPI(node.values)],
    ['items', node.items === undefined ? undefined : toOpenAPI(node.items)],
    ['x-kubernetes-list-type', listType(node)],
    ['x-kubernetes-list-map-keys', node.listMapKeys],
    ['x-kubernetes-map-type', node.type === 'object' && node.atomic === true ? 'atomic' : undefined],
    ['x-kubernetes-preserve-unknown-fields', node.preserveUnknownFields],
    ['x-kubernetes-validations', node.rules?.map(validation)],
  ];
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function listType(node: SchemaNode): string | undefined {
  if (node.type !== 'array') return undefined;
  if (node.listMapKeys !== undefined) return 'map';
  if (node.set === true) return 'set';
  return node.atomic === true ? 'atomic' : undefined;
}

function validation(rule: Rule): { readonly rule: string; readonly message: string } {
  switch (rule.kind) {
    case 'immutable':
      return { rule: 'self == oldSelf', message: rule.message };
    case 'pinned':
      return { rule: "oldSelf == '' || self == oldSelf", message: rule.message };
    case 'settled':
      return {
        rule: rule.fields.map((name) => `has(self.${name}) == has(oldSelf.${name})`).join(' && '),
        message: rule.message,
      };
    case 'invariant':
      return { rule: rule.expression, message: rule.message };
  }
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, convert: (value: A) => B): Readonly<Record<string, B>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}
