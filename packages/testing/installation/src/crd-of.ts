import type { CustomResourceDefinition } from '@hawser/kube-bind';

import type { SampleApi } from './sample-api.js';

type CrdVersion = CustomResourceDefinition['spec']['versions'][number];

export interface CrdContent {
  readonly labels?: Readonly<Record<string, string>>;
  /** Schemas of the top-level fields. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Default true. */
  readonly statusSubresource?: boolean;
  readonly additionalPrinterColumns?: CrdVersion['additionalPrinterColumns'];
}

/** A CRD with one version, `v1`. */
export function crdOf(
  { group, plural, kind, scope }: SampleApi,
  { labels, properties, statusSubresource = true, additionalPrinterColumns }: CrdContent,
): CustomResourceDefinition {
  const version: CrdVersion = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
    ...(statusSubresource ? { subresources: { status: {} } } : {}),
    ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(labels === undefined ? {} : { labels }) },
    spec: {
      group,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope,
      versions: [version],
    },
  };
}
