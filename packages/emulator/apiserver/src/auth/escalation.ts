import { EscalationCheck, type GrantRefusal, type RbacLookup, mastersGroup, rbacApiGroup } from '@hawser/rbac';
import { type JsonObject, equal } from '@hawser/json';
import { withoutFields } from '../object/json.js';
import { metaOf } from '../object/meta.js';
import type { UserInfo } from '../parts.js';
import { type GroupResource, StatusError, forbidden, notFound } from '../status.js';
import { asBinding, asRole } from './stored-policy.js';

/**
 * Refuses to let a user grant rights beyond their own.
 * @throws StatusError the 403, and the 404 of a missing role.
 */
export function checkEscalation(
  policy: RbacLookup,
  user: UserInfo,
  resource: GroupResource,
  object: JsonObject,
  previous: JsonObject | undefined,
): void {
  if (resource.group !== rbacApiGroup || user.groups.includes(mastersGroup)) return;
  // Changes for the garbage collector are no grant.
  if (previous !== undefined && equal(withoutBookkeeping(object), withoutBookkeeping(previous))) return;
  const refusal = refusalOf(new EscalationCheck(policy), user, resource, object, previous);
  if (refusal !== undefined) throw refusalError(refusal, resource, metaOf(object).name ?? '');
}

function refusalOf(
  check: EscalationCheck,
  user: UserInfo,
  { resource }: GroupResource,
  object: JsonObject,
  previous: JsonObject | undefined,
): GrantRefusal | undefined {
  switch (resource) {
    case 'roles':
    case 'clusterroles':
      return check.roleRefusal(user, {
        role: asRole(object),
        ...(previous === undefined ? {} : { previous: asRole(previous) }),
      });
    case 'rolebindings':
    case 'clusterrolebindings':
      return check.bindingRefusal(user, asBinding(object));
    default:
      return undefined;
  }
}

function refusalError(refusal: GrantRefusal, resource: GroupResource, name: string): StatusError {
  switch (refusal.kind) {
    case 'forbidden':
      return forbidden(resource, name, refusal.message);
    case 'roleNotFound':
      // The real server names the request's resource here, not the role's.
      return notFound(resource, refusal.name);
    case 'invalidReference':
      return new StatusError(500, '', refusal.message);
  }
}

function withoutBookkeeping(object: JsonObject): JsonObject {
  return {
    ...object,
    metadata: withoutFields(metaOf(object), 'ownerReferences', 'finalizers', 'selfLink', 'managedFields'),
  };
}
