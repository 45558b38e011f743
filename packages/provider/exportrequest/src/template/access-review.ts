import type { Client, Resource, UnstructuredObject } from '@hawser/client';
import type { Binder } from './binder.js';

const subjectAccessReviews: Resource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
};

/** Targets of the verb `bind`: a template, or all templates of a collection. */
export interface Bindable {
  readonly resource: 'apiserviceexporttemplates' | 'collections';
  readonly name: string;
}

/** Asks the API server whether `binder` has the verb `bind` on it. Failures are the client's ApiErrors. */
export async function mayBind(
  client: Client,
  { user, groups }: Binder,
  { group, resource, name, namespace }: Bindable & { readonly group: string; readonly namespace?: string | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  const review = await client.create(
    subjectAccessReviews,
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      // It is not stored, and has no name.
      metadata: { name: '' },
      spec: {
        user,
        groups,
        resourceAttributes: { group, resource, name, ...(namespace === undefined ? {} : { namespace }), verb: 'bind' },
      },
    } as UnstructuredObject,
    { signal },
  );
  const status = review['status'];
  return typeof status === 'object' && status !== null && 'allowed' in status && status.allowed === true;
}
