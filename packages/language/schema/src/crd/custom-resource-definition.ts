import { type JsonObject, clone } from '@hawser/json';
import type { JsonSchemaProps } from '../json-schema-props.js';

/** A CRD on the wire (`apiextensions.k8s.io/v1`). Unchecked: the API server may refuse it. */
export interface CustomResourceDefinition {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: JsonObject;
  readonly spec: CrdSpec;
  readonly status?: CrdStatus;
}

export interface CrdSpec {
  readonly group?: string;
  readonly scope?: string;
  readonly names?: CrdNames;
  readonly versions?: readonly CrdVersion[];
  readonly conversion?: CrdConversion;
  readonly preserveUnknownFields?: boolean;
}

export interface CrdNames {
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind?: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface CrdVersion {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps };
  readonly subresources?: CrdSubresources;
  readonly additionalPrinterColumns?: readonly CrdPrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath?: string }[];
}

export interface CrdSubresources {
  readonly status?: JsonObject;
  readonly scale?: {
    readonly specReplicasPath?: string;
    readonly statusReplicasPath?: string;
    readonly labelSelectorPath?: string;
  };
}

export interface CrdPrinterColumn {
  readonly name?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath?: string;
}

export interface CrdConversion {
  readonly strategy?: string;
  readonly webhook?: {
    readonly clientConfig?: CrdWebhookClient;
    readonly conversionReviewVersions?: readonly string[];
  };
}

export interface CrdWebhookClient {
  readonly url?: string;
  readonly service?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly path?: string;
    readonly port?: number;
  };
  readonly caBundle?: string;
}

export interface CrdStatus {
  readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  readonly acceptedNames?: CrdNames;
  readonly storedVersions?: readonly string[];
}

/** The CRD with the API server's defaults: names derived from the kind, no conversion, the port of a webhook. */
export function defaultCustomResourceDefinition(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { spec, ...rest } = clone(crd);
  const kind = spec.names?.kind ?? '';
  const names = {
    ...spec.names,
    singular: orElse(spec.names?.singular, kind.toLowerCase()),
    listKind: orElse(spec.names?.listKind, kind === '' ? '' : `${kind}List`),
  };
  const client = spec.conversion?.webhook?.clientConfig;
  const conversion: CrdConversion =
    spec.conversion === undefined
      ? { strategy: 'None' }
      : {
          ...spec.conversion,
          ...(client?.service === undefined
            ? {}
            : {
                webhook: {
                  ...spec.conversion.webhook,
                  clientConfig: { ...client, service: { port: 443, ...client.service } },
                },
              }),
        };
  return { ...rest, spec: { ...spec, names, conversion } };
}

const orElse = (text: string | undefined, other: string): string => (text === undefined || text === '' ? other : text);

export const hasCondition = (crd: CustomResourceDefinition, type: string): boolean =>
  crd.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
