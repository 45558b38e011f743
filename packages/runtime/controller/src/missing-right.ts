import { type ApiError, type Client, type KubeObject, type Resource, isApiError } from '@hawser/client';

import type { Obstacle } from './obstacles.js';

const REVIEWS: Resource = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews' };

/**
 * The right that a request lacked, as something that several requests wait for: undefined where `error` is another one. Whether the right is there is asked with a SelfSubjectAccessReview of `client`, which
 * stores nothing. A refusal by an admission, a quota or the guard against escalation is none of these.
 */
export function missingRight(error: unknown, client: Client): Obstacle | undefined {
  if (!isApiError(error, 'Forbidden', 'Unauthorized') || isRefusedOtherwise(error)) return undefined;
  const { verb, resource: name, namespace } = error.request;
  const [place = '', subresource] = name.split('/');
  const dot = place.indexOf('.');
  const asked = {
    verb: verb === 'apply' ? 'patch' : verb,
    group: dot < 0 ? '' : place.slice(dot + 1),
    resource: dot < 0 ? place : place.slice(0, dot),
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
    // A server that does not say leaves the objects to their own back-off.
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
