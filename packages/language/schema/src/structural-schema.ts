import type { JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from './json-schema-props.js';

/** What stands somewhere below a node: what is in no subtree needs no walk through the object. */
export interface Features {
  readonly defaults: boolean;
  readonly embeddedResources: boolean;
  readonly listTypes: boolean;
  readonly rules: boolean;
}

/**
 * A node of a structural schema: what is known of the values at one place of an object, whatever `allOf` and the like add to it.
 * The tree is what rules in CEL and server-side apply need beside the validator.
 */
export interface StructuralSchema {
  /** Everything that the CRD says of this place: bounds, formats, `enum`, rules. */
  readonly props: JsonSchemaProps;
  /** Empty where the schema names none (`x-kubernetes-int-or-string`, `x-kubernetes-preserve-unknown-fields`). */
  readonly type: string;
  readonly nullable: boolean;
  /** `undefined` where there is none; a default of `null` is none. */
  readonly default: JsonValue | undefined;
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /** `true` and `false`: values without a schema, of which everything below is unknown. */
  readonly additionalProperties: StructuralSchema | boolean | undefined;
  readonly items: StructuralSchema | undefined;
  /** `undefined` where the schema does not say; the API server then takes a list as atomic, and does not check it for duplicates. */
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
  /** `granular` unless the schema says otherwise. */
  readonly mapType: 'granular' | 'atomic';
  readonly intOrString: boolean;
  readonly embeddedResource: boolean;
  readonly preserveUnknownFields: boolean;
  readonly features: Features;
}

/** The structural tree of a schema that {@link validateStructural} accepts. What it forbids is left out. */
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

/** The schema of a key: its own, else the one of additional properties. */
export function schemaOfKey(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const property = schema.properties.get(key);
  if (property !== undefined) return property;
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
