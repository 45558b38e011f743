import { type ResourceType, customResource, readDefinition } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';

/** A cluster-scoped kind of kcp, defined like a CRD. */
export interface Kind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly status: boolean;
  readonly categories: readonly string[];
  readonly shortNames?: readonly string[];
  /** By version; the last one is stored. */
  readonly versions: Readonly<
    Record<string, { readonly schema: JsonSchemaProps; readonly columns?: readonly JsonObject[] }>
  >;
}

/** The resource of a kind. Versions differ in schema only. */
export function typeOfKind(kind: Kind): ResourceType {
  const { group, plural } = kind;
  const names = {
    plural,
    singular: kind.kind.toLowerCase(),
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    categories: kind.categories,
    shortNames: kind.shortNames ?? [],
  };
  const stored = Object.keys(kind.versions).at(-1);
  const versions = Object.entries(kind.versions).map(([name, { schema, columns = [] }]) => ({
    name,
    served: true,
    storage: name === stored,
    schema: { openAPIV3Schema: schema as JsonObject },
    additionalPrinterColumns: columns,
    ...(kind.status ? { subresources: { status: {} } } : {}),
  }));
  return typeOfDefinition(`${plural}.${group}`, '', { group, scope: 'Cluster', names, versions });
}

/** The resource of a CRD's spec, as if it were established. */
export function typeOfDefinition(name: string, uid: string, spec: JsonObject): ResourceType {
  const established = { type: 'Established', status: 'True' };
  return customResource(
    readDefinition({
      metadata: { name, uid },
      spec,
      status: { acceptedNames: spec['names'], conditions: [established] },
    }),
  );
}
