import type { KubeObject, Resource } from '@hawser/client';
import { type CustomResourceDefinition, crdName } from '@hawser/kube-bind';

/** The API that the checks bind. */
export interface ProbeApi {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

export interface Probe extends KubeObject {
  readonly spec: { readonly token: string; readonly size?: number; readonly note?: string; readonly secret?: string };
  readonly status?: { readonly phase?: string; readonly seen?: number };
}

export const probeResource = ({ group, plural }: ProbeApi): Resource => ({ group, version: 'v1', resource: plural });

/** Versions of its schema: the first, one with a further field, and one that breaks stored objects. */
export type ProbeSchema = 'first' | 'wider' | 'breaking';

/** Marked as exported, for backends that look for the mark. */
export function probeCrd(api: ProbeApi, schema: ProbeSchema = 'first'): CustomResourceDefinition {
  const { group, plural, kind } = api;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(plural, group), labels: { 'kube-bind.io/exported': 'true' } },
    spec: {
      group,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    token: { type: 'string' },
                    size: { type: schema === 'breaking' ? 'string' : 'integer' },
                    note: { type: 'string' },
                    secret: { type: 'string' },
                    ...(schema === 'first' ? {} : { further: { type: 'string' } }),
                  },
                },
                status: { type: 'object', properties: { phase: { type: 'string' }, seen: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  };
}

/** Type of a property of `spec` in a schema; undefined: it has none. */
export function typeOfSpecField(
  versions: readonly { readonly schema?: unknown }[] | undefined,
  field: string,
): string | undefined {
  type Node = { readonly properties?: Readonly<Record<string, Node>>; readonly type?: string };
  const { openAPIV3Schema } = (versions?.[0]?.schema ?? {}) as { readonly openAPIV3Schema?: Node };
  return openAPIV3Schema?.properties?.['spec']?.properties?.[field]?.type;
}
