import type { KubeObject, Resource } from '@hawser/client';
import type { CRDNames, CRDPrinterColumn, CRDSubresources } from './crd-parts.js';

/** One version of a {@link CustomResourceDefinition}. */
export interface CRDVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly schema?: { readonly openAPIV3Schema?: Readonly<Record<string, unknown>> | undefined } | undefined;
  readonly subresources?: CRDSubresources | undefined;
  readonly additionalPrinterColumns?: readonly CRDPrinterColumn[] | undefined;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

export interface CRDConversion {
  readonly strategy: string;
  readonly webhook?:
    | {
        readonly clientConfig?:
          | {
              readonly url?: string | undefined;
              readonly caBundle?: string | undefined;
              readonly service?: Readonly<Record<string, unknown>> | undefined;
            }
          | undefined;
        readonly conversionReviewVersions?: readonly string[] | undefined;
      }
    | undefined;
}

export interface CRDSpec {
  readonly group: string;
  readonly names: CRDNames;
  readonly scope: string;
  readonly versions: readonly CRDVersion[];
  readonly conversion?: CRDConversion | undefined;
  readonly preserveUnknownFields?: boolean | undefined;
}

/** A condition of a CRD; it has no severity. */
export interface CRDCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface CRDStatus {
  readonly conditions?: readonly CRDCondition[] | undefined;
  readonly acceptedNames?: CRDNames | undefined;
  readonly storedVersions?: readonly string[] | undefined;
}

/** `apiextensions.k8s.io/v1`, reduced to the fields in use. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: CRDSpec;
  readonly status?: CRDStatus | undefined;
}

export const customResourceDefinitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
