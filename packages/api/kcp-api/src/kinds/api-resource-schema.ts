import type { KubeObject } from '@hawser/client';
import type { CRDConversion, CRDNames, CRDPrinterColumn, CRDSubresources } from '@hawser/crd';

/** One version of an {@link APIResourceSchema}. `schema` is the OpenAPI v3 schema itself, nothing around it. */
export interface APIResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly subresources?: CRDSubresources | undefined;
  readonly additionalPrinterColumns?: readonly CRDPrinterColumn[] | undefined;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

export interface APIResourceSchemaSpec {
  /** Empty for the core API. */
  readonly group: string;
  readonly names: CRDNames;
  readonly scope: string;
  readonly versions: readonly APIResourceVersion[];
  readonly nameValidation?: string | undefined;
  readonly conversion?: CRDConversion | undefined;
}

/** `apis.kcp.io/v1alpha1`: the schema of a resource that can be exported. Its spec never changes. */
export interface APIResourceSchema extends KubeObject {
  readonly spec: APIResourceSchemaSpec;
}
