import type { JsonObject } from '@hawser/json';
import type { Authorizer } from '@hawser/rbac';
import { objectField, stringField } from '../object/json.js';
import type { VirtualResource } from '../parts.js';
import { badRequest } from '../status.js';

/** `selfsubjectrulesreviews`: all rights of the user in a namespace (`kubectl auth can-i --list`). */
export function selfSubjectRulesReviews(authorizer: Authorizer): VirtualResource {
  return {
    group: 'authorization.k8s.io',
    version: 'v1',
    resource: 'selfsubjectrulesreviews',
    kind: 'SelfSubjectRulesReview',
    namespaced: false,
    create({ user, body }) {
      const namespace = stringField(objectField(body, 'spec'), 'namespace');
      if (namespace === '') throw badRequest('no namespace on request');
      const status = authorizer.rulesFor(user, namespace) as unknown as JsonObject;
      return { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec: {}, status };
    },
  };
}
