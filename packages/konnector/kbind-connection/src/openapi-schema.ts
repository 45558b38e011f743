import { isRecord } from '@hawser/crd';

/** A node of an OpenAPI document. */
export type OpenAPINode = Readonly<Record<string, unknown>>;

/** A provider may publish definitions that grow without end once references are followed. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;

/** Keywords that a CRD schema can carry unchanged. An API server may refuse all others. */
const CARRIED: ReadonlySet<string> = new Set([
  'description',
  'type',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);

/** Keywords that only validate. CRDs publish them unchanged; built-in types use them for references. */
const JUDGING = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/**
 * Builds the CRD schema of a kind from the definitions of an OpenAPI v3 document (spec/kbind-v2.md §11.4). Pure.
 * Follows references, leaves recursive definitions open, and preserves `int-or-string` (§27.3, K27, K28). Undefined:
 * the definition is missing or too large.
 */
export function schemaOf(
  document: unknown,
  wanted: { readonly group: string; readonly version: string; readonly kind: string },
): OpenAPINode | undefined {
  const components = isRecord(document) ? document['components'] : undefined;
  const definitions = isRecord(components) && isRecord(components['schemas']) ? components['schemas'] : {};
  const root = Object.entries(definitions).find(([, node]) => isOfKind(node, wanted));
  if (root === undefined || !isRecord(root[1])) return undefined;
  const conversion = new Conversion(definitions);
  const schema = conversion.convert(root[1], [root[0]]);
  if (conversion.isTooLarge) return undefined;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const own = Object.entries(properties).filter(([name]) => !['apiVersion', 'kind', 'metadata'].includes(name));
  const required = namesIn(schema['required']).filter((name) => own.some(([field]) => field === name));
  const rest = Object.entries(schema).filter(([key]) => key !== 'properties' && key !== 'required');
  return {
    ...Object.fromEntries(rest),
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    ...(own.length === 0 ? { 'x-kubernetes-preserve-unknown-fields': true } : { properties: Object.fromEntries(own) }),
  };
}

function isOfKind(node: unknown, { group, version, kind }: Parameters<typeof schemaOf>[1]): boolean {
  const kinds = isRecord(node) ? node['x-kubernetes-group-version-kind'] : undefined;
  return (
    Array.isArray(kinds) &&
    kinds.some((one) => isRecord(one) && one['group'] === group && one['version'] === version && one['kind'] === kind)
  );
}

class Conversion {
  readonly #definitions: OpenAPINode;
  #nodes = 0;

  constructor(definitions: OpenAPINode) {
    this.#definitions = definitions;
  }

  get isTooLarge(): boolean {
    return this.#nodes > MAX_NODES;
  }

  /** `open`: definitions on the path to this node. */
  convert(node: OpenAPINode, open: readonly string[], depth = 0): OpenAPINode {
    if (++this.#nodes > MAX_NODES || depth > MAX_DEPTH) return ANYTHING;
    const reference = referenceOf(node);
    if (reference !== undefined) return this.#follow(node, reference, open, depth);
    const carried = Object.fromEntries(Object.entries(node).filter(([key]) => CARRIED.has(key)));
    if (node['x-kubernetes-int-or-string'] === true || node['format'] === 'int-or-string') {
      const rest = Object.entries(carried).filter(([key]) => key !== 'type' && key !== 'format');
      return { ...Object.fromEntries(rest), 'x-kubernetes-int-or-string': true };
    }
    const judging = JUDGING.flatMap((key) =>
      node[key] === undefined || JSON.stringify(node[key]).includes('"$ref"') ? [] : [[key, node[key]] as const],
    );
    const below = (child: unknown): OpenAPINode => this.convert(isRecord(child) ? child : {}, open, depth + 1);
    const { properties, items, additionalProperties: values, type } = node;
    const converted: Record<string, unknown> = { ...carried, ...Object.fromEntries(judging) };
    if (isRecord(properties))
      converted['properties'] = Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, below(child)]),
      );
    if (items !== undefined)
      converted['items'] = withRequiredKeys(below(items), namesIn(node['x-kubernetes-list-map-keys']));
    if (values !== undefined && !isRecord(properties))
      converted['additionalProperties'] = isRecord(values) ? below(values) : values;
    if (type === undefined && isRecord(properties)) converted['type'] = 'object';
    else if (type === undefined) converted['x-kubernetes-preserve-unknown-fields'] = true;
    else if (type === 'array' && items === undefined)
      converted['items'] = { 'x-kubernetes-preserve-unknown-fields': true };
    return converted;
  }

  #follow(node: OpenAPINode, reference: string, open: readonly string[], depth: number): OpenAPINode {
    const { description, default: preset } = node;
    const beside = {
      ...(description === undefined ? {} : { description }),
      ...(preset === undefined ? {} : { default: preset }),
    };
    // Metadata within an object is that of an embedded object. The API server describes it by itself.
    if (reference.endsWith('.meta.v1.ObjectMeta')) return { type: 'object', ...beside };
    const found = Object.hasOwn(this.#definitions, reference) ? this.#definitions[reference] : undefined;
    if (!isRecord(found) || open.includes(reference)) return { ...ANYTHING, ...beside };
    return { ...this.convert(found, [...open, reference], depth + 1), ...beside };
  }
}

/** The definition that a node refers to. A reference with a description or default is inside an `allOf`. */
function referenceOf({ $ref, allOf }: OpenAPINode): string | undefined {
  if (typeof $ref === 'string') return /^#\/components\/schemas\/(?<name>.+)$/u.exec($ref)?.groups?.['name'] ?? '';
  const only: unknown = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  return isRecord(only) && typeof only['$ref'] === 'string' ? referenceOf(only) : undefined;
}

/** An API server requires the keys of a list-map to be required, or to have a default. */
function withRequiredKeys(items: OpenAPINode, keys: readonly string[]): OpenAPINode {
  const { properties } = items;
  if (keys.length === 0 || !isRecord(properties)) return items;
  const hasDefault = (name: string): boolean => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isRecord(field) && field['default'] !== undefined;
  };
  const needed = keys.filter((name) => !hasDefault(name));
  return { ...items, required: [...new Set([...namesIn(items['required']), ...needed])] };
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
