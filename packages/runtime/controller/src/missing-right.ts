import { type ApiError, type Client, type KubeObject, type Resource, isApiError } from '@hawser/client';

import type { Obstacle } from './obstacles.js';

const REVIEWS: Resource = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews' };

/**
 * The missing right behind an error, as an obstacle that several requests wait for; undefined for another error. A
 * SelfSubjectAccessReview of `client`, which stores nothing, checks whether the right exists. A refusal by an
 * admission, a quota or the escalation check is no missing right.
 */
export function missingRight(error: unknown, client: Client): Obstacle | undefined {
  if (!isApiError(error, 'Forbidden', 'Unauthorized') || isRefusedOtherwise(error)) return undefined;
  const { verb, resource: name, namespace } = error.request;
  const [groupResource = '', subresource] = name.split('/');
  const dot = groupResource.indexOf('.');
  const asked = {
    verb: verb === 'apply' ? 'patch' : verb,
    group: dot < 0 ? '' : groupResource.slice(dot + 1),
    resource: dot < 0 ? groupResource : groupResource.slice(0, dot),
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const question = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: { name: '' },
    spec: { resourceAttributes: asked },
  } as KubeObject;
  return {
    id: JSON.stringify(['right', error.request.cluster, asked]),
    // If the server does not answer the review, the objects keep their own back-off.
    isGone: () => isAllowed(client, question),
  };
}

async function isAllowed(client: Client, question: KubeObject): Promise<boolean> {
  try {
    const { status } = await client.create<KubeObject & { readonly status?: { readonly allowed?: boolean } }>(
      REVIEWS,
      question,
    );
    return status?.allowed === true;
  } catch {
    return false;
  }
}

function isRefusedOtherwise({ message, status }: ApiError): boolean {
  return /admission webhook|AdmissionPolicy|exceeded quota|being terminated|attempting to grant/u.test(
    status?.message ?? message,
  );
}
