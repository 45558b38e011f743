import type { Resource, UnstructuredObject } from '@hawser/client';
import { databases } from '@hawser/installation';

/** Names that the demo uses, on any two clusters. */
export const names = {
  /** On the provider: everything about this consumer. */
  clusterNamespace: 'kube-bind-demo',
  /** On the consumer: the user's objects. */
  userNamespace: 'hawser-demo',
  /** On the provider: counterpart of {@link names.userNamespace}, under the default isolation. */
  serviceNamespace: 'kube-bind-demo-hawser-demo',
  /** Name of the export and of the binding. */
  export: 'databases',
  crd: `${databases.plural}.${databases.group}`,
} as const;

export const databaseResource: Resource = { group: databases.group, version: 'v1', resource: databases.plural };

export interface DatabaseContent {
  readonly name: string;
  readonly size: 'small' | 'medium' | 'large';
  readonly labels?: Readonly<Record<string, string>>;
}

/** A Database as a user writes it. */
export function databaseManifest({ name, size, labels }: DatabaseContent): UnstructuredObject {
  return {
    apiVersion: `${databases.group}/v1`,
    kind: databases.kind,
    metadata: { name, namespace: names.userNamespace, ...(labels === undefined ? {} : { labels }) },
    spec: { size, replicas: 2 },
  };
}
