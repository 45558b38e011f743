/** A schema as it stands under `openAPIV3Schema` of a CRD, or under `schema` of an APIResourceSchema. */
export type SchemaNode = Readonly<Record<string, unknown>>;

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: SchemaNode;
  /** The names of the subresources that it has. */
  readonly subresources: readonly string[];
}

/** What a CRD and an APIResourceSchema have in common: one resource with all its versions. */
export interface Definition {
  readonly group: string;
  readonly scope: string;
  readonly kind: string;
  readonly plural: string;
  readonly versions: readonly DefinitionVersion[];
}

/** What {@link definitionOf} takes: the `spec` of either. */
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

/** The definition in the `spec` of a CRD, or of an APIResourceSchema, whose schemas stand one level higher. */
export function definitionOf({ group, scope, names, versions }: DefinitionSpec): Definition {
  return {
    group,
    scope,
    kind: names.kind,
    plural: names.plural,
    versions: versions.map(({ name, served, storage, schema, subresources }) => {
      const node = nodeOf(schema);
      const wrapped = node['openAPIV3Schema'];
      return { name, served, storage, schema: wrapped === undefined ? node : nodeOf(wrapped), subresources: Object.entries(nodeOf(subresources)).flatMap(([key, value]) => (value === undefined || value === null ? [] : [key])) };
    }),
  };
}

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nodeOf(value: unknown): SchemaNode {
  return isNode(value) ? value : {};
}
