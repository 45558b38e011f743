/** A schema under `openAPIV3Schema` of a CRD, or under `schema` of an APIResourceSchema. */
export type SchemaNode = Readonly<Record<string, unknown>>;

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string;
  readonly schema: SchemaNode;
  /** Its subresources, by name. */
  readonly subresources: Readonly<Record<string, SchemaNode>>;
  /** Paths of the selectable fields. */
  readonly selectableFields: readonly string[];
  readonly printerColumns: readonly unknown[];
}

/** The common form of a CRD, a BoundSchema and an APIResourceSchema: one resource with all its versions. */
export interface Definition {
  readonly group: string;
  readonly scope: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** `None` by default. */
  readonly conversion: { readonly strategy: string; readonly webhook: unknown };
  /** For the whole resource, as in old CRDs. */
  readonly preserveUnknownFields: boolean;
  readonly versions: readonly DefinitionVersion[];
}

/** Input of {@link definitionOf}: the `spec` of either. */
export interface DefinitionSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly {
    readonly name: string;
    readonly served: boolean;
    readonly storage: boolean;
    readonly schema?: unknown;
    readonly subresources?: unknown;
  }[];
}

/**
 * The definition in the `spec` of a CRD, or of an APIResourceSchema, whose schemas are one level higher. Unusable parts
 * count as absent.
 */
export function definitionOf(spec: DefinitionSpec): Definition {
  const { group, scope, versions } = spec;
  const { kind, plural, singular, listKind, shortNames, categories }: DefinitionSpec['names'] & SchemaNode = spec.names;
  const { conversion, preserveUnknownFields }: DefinitionSpec & SchemaNode = { ...spec };
  return {
    group,
    scope,
    kind,
    plural,
    singular: textOf(singular, kind.toLowerCase()),
    listKind: textOf(listKind, `${kind}List`),
    shortNames: stringsOf(shortNames),
    categories: stringsOf(categories),
    conversion: { strategy: textOf(nodeOf(conversion)['strategy'], 'None'), webhook: nodeOf(conversion)['webhook'] },
    preserveUnknownFields: preserveUnknownFields === true,
    versions: versions.map(versionOf),
  };
}

function versionOf(version: DefinitionSpec['versions'][number]): DefinitionVersion {
  const {
    name,
    served,
    storage,
    schema,
    subresources,
    deprecated,
    deprecationWarning,
    selectableFields,
    additionalPrinterColumns,
  }: DefinitionSpec['versions'][number] & SchemaNode = { ...version };
  const node = nodeOf(schema);
  const wrapped = node['openAPIV3Schema'];
  return {
    name,
    served,
    storage,
    deprecated: deprecated === true,
    deprecationWarning: textOf(deprecationWarning, ''),
    schema: wrapped === undefined ? node : nodeOf(wrapped),
    subresources: Object.fromEntries(
      Object.entries(nodeOf(subresources))
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([key, value]) => [key, nodeOf(value)]),
    ),
    selectableFields: listOf(selectableFields).flatMap((field) => stringsOf([nodeOf(field)['jsonPath']])),
    printerColumns: listOf(additionalPrinterColumns),
  };
}

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nodeOf(value: unknown): SchemaNode {
  return isNode(value) ? value : {};
}

export function stringsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown, other: string): string {
  return typeof value === 'string' && value !== '' ? value : other;
}
