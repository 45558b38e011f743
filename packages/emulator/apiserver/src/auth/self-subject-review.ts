import type { ServerHost, VirtualResource } from '../parts.js';
import { userJson } from './token-review.js';

/** `selfsubjectreviews`: who am I (`kubectl auth whoami`). */
export function selfSubjectReviews(host: ServerHost): VirtualResource {
  return {
    group: 'authentication.k8s.io',
    version: 'v1',
    resource: 'selfsubjectreviews',
    kind: 'SelfSubjectReview',
    namespaced: false,
    create: ({ user }) => ({
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: host.timestamp() },
      status: { userInfo: userJson(user) },
    }),
  };
}
