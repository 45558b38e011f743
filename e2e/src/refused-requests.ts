import type { Client } from '@hawser/client';
import type { AuditEntry } from '@hawser/testenv';
import type { Plane } from './plane.js';

/**
 * Requests that a cluster refused to a user and still refuses. A freshly started API server briefly refuses what unread
 * roles grant. A later success is not read from the audit log, which lists a watch only once it has ended. A denial by
 * our own admission policies counts too, whatever roles grant; a test that provokes one as the same user sets another
 * user agent.
 * @param optional rights whose refusal is fine.
 */
export async function refusedRequests(
  { controlPlane, client }: Plane,
  user: string,
  optional: readonly string[] = [],
): Promise<readonly string[]> {
  const entries = (await controlPlane?.auditLog().entries({ user })) ?? [];
  const refused = new Map(entries.filter(({ code }) => code === 403).map((entry) => [rightOf(entry), entry]));
  for (const right of optional) refused.delete(right);
  const denied = entries.flatMap((entry) =>
    entry.userAgent.startsWith('hawser') && /ValidatingAdmissionPolicy '?hawser-/u.test(entry.refusal ?? '')
      ? [`${rightOf(entry)}: ${entry.refusal ?? ''}`]
      : [],
  );
  const missing = await Promise.all(
    [...refused].map(async ([right, entry]) => ((await isAllowed(client, entry)) ? [] : [right])),
  );
  return [...missing.flat(), ...new Set(denied)];
}

function rightOf({
  verb,
  group,
  resource,
  subresource = '',
  namespace = '',
  name = '',
  requestUri,
}: AuditEntry): string {
  return resource === ''
    ? `${verb} ${pathOf(requestUri)}`
    : `${verb} ${resource}.${group}/${subresource} ${name} in ${namespace}`;
}

function pathOf(requestUri: string): string {
  return requestUri.split('?')[0] ?? '';
}

async function isAllowed(administrator: Client, entry: AuditEntry): Promise<boolean> {
  const { user, groups, verb, group, resource, subresource = '', namespace = '', name = '' } = entry;
  const asked =
    resource === ''
      ? { nonResourceAttributes: { verb, path: pathOf(entry.requestUri) } }
      : { resourceAttributes: { verb, group, resource, subresource, namespace, name } };
  const review = (await administrator.raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups, ...asked },
  })) as { readonly status: { readonly allowed: boolean } };
  return review.status.allowed;
}
