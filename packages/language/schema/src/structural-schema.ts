import type { JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from './json-schema-props.js';

/** Features in the subtree of a node: without one, no walk through the object is needed. */
export interface Features {
  readonly defaults: boolean;
  readonly embeddedResources: boolean;
  readonly listTypes: boolean;
  readonly rules: boolean;
}

/**
 * A node of a structural schema: everything known about values at one place of an object, whatever `allOf` and the like
 * add. CEL rules and server-side apply need this tree besides the validator.
 */
export interface StructuralSchema {
  /** Everything in the CRD about this place: bounds, formats, `enum`, rules. */
  readonly props: JsonSchemaProps;
  /** Empty if the schema has no type (`x-kubernetes-int-or-string`, `x-kubernetes-preserve-unknown-fields`). */
  readonly type: string;
  readonly nullable: boolean;
  /** `undefined` without a default; a default of `null` is none. */
  readonly default: JsonValue | undefined;
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /** `true` and `false`: values without a schema; everything below them is unknown. */
  readonly additionalProperties: StructuralSchema | boolean | undefined;
  readonly items: StructuralSchema | undefined;
  /** `undefined` if not specified; the API server then treats a list as atomic, and does not check for duplicates. */
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
  /** `granular` unless the schema says otherwise. */
  readonly mapType: 'granular' | 'atomic';
  readonly intOrString: boolean;
  readonly embeddedResource: boolean;
  readonly preserveUnknownFields: boolean;
  readonly features: Features;
}

/** The structural tree of a schema that {@link validateStructural} accepts. Leaves out forbidden parts. */
export function toStructural(props: JsonSchemaProps): StructuralSchema {
  const properties = new Map(
    Object.entries(props.properties ?? {}).map(([name, schema]) => [name, toStructural(schema)]),
  );
  const items = props.items === undefined || Array.isArray(props.items) ? undefined : toStructural(props.items);
  const additionalProperties =
    typeof props.additionalProperties === 'object'
      ? toStructural(props.additionalProperties)
      : props.additionalProperties;
  const listType = props['x-kubernetes-list-type'];
  const node = {
    props,
    type: props.type ?? '',
    nullable: props.nullable ?? false,
    default: props.default === null ? undefined : props.default,
    properties,
    additionalProperties,
    items,
    listType,
    listMapKeys: props['x-kubernetes-list-map-keys'] ?? [],
    mapType: props['x-kubernetes-map-type'] ?? 'granular',
    intOrString: props['x-kubernetes-int-or-string'] ?? false,
    embeddedResource: props['x-kubernetes-embedded-resource'] ?? false,
    preserveUnknownFields: props['x-kubernetes-preserve-unknown-fields'] ?? false,
  } as const;
  const below = [
    ...properties.values(),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  return {
    ...node,
    features: {
      defaults: node.default !== undefined || below.some(({ features }) => features.defaults),
      embeddedResources: node.embeddedResource || below.some(({ features }) => features.embeddedResources),
      listTypes: listType === 'set' || listType === 'map' || below.some(({ features }) => features.listTypes),
      rules: (props['x-kubernetes-validations']?.length ?? 0) > 0 || below.some(({ features }) => features.rules),
    },
  };
}

/** The schema of a key: its own, else that of additional properties. */
export function schemaOfKey(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const property = schema.properties.get(key);
  if (property !== undefined) return property;
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
