import type { AuthorizationAttributes } from '../parts.js';
import { type StatusError, forbidden, quote } from '../status.js';

/** The 403 of a denied request (apiserver `responsewriters.ForbiddenStatusError`). */
export function forbiddenError(attributes: AuthorizationAttributes, reason: string): StatusError {
  const message = forbiddenMessage(attributes).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return forbidden(
    { group: attributes.apiGroup, resource: attributes.resource },
    attributes.name,
    reason === '' ? message : `${message}: ${reason}`,
  );
}

function forbiddenMessage({
  user,
  verb,
  isResourceRequest,
  path,
  resource,
  subresource,
  apiGroup,
  namespace,
}: AuthorizationAttributes): string {
  if (!isResourceRequest) return `User ${quote(user.name)} cannot ${verb} path ${quote(path)}`;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return `User ${quote(user.name)} cannot ${verb} resource ${quote(what)} in API group ${quote(apiGroup)} ${scope}`;
}
