import type { JsonObject } from '@hawser/json';
import { objectField, stringField, stringsField } from '../object/json.js';
import type { UserInfo, VirtualRequest, VirtualResource } from '../parts.js';
import { badRequest } from '../status.js';
import type { Authenticator } from './authenticator.js';
import { issuer } from './service-account-tokens.js';

/** `tokenreviews`: what a token proves, for servers that cannot tell themselves. */
export function tokenReviews(authenticator: Authenticator): VirtualResource {
  return {
    group: 'authentication.k8s.io',
    version: 'v1',
    resource: 'tokenreviews',
    kind: 'TokenReview',
    namespaced: false,
    create: (request) => review(authenticator, request),
  };
}

function review(authenticator: Authenticator, { body }: VirtualRequest): JsonObject {
  const spec = objectField(body, 'spec') ?? {};
  const token = stringField(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const asked = stringsField(spec, 'audiences');
  const proof = authenticator.checkToken(token, asked.length === 0 ? [issuer] : asked);
  const common = {
    kind: 'TokenReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: objectField(body, 'metadata') ?? {},
    spec,
  };
  if (proof === undefined) return { ...common, status: { user: {}, error: 'invalid bearer token' } };
  if ('problem' in proof) return { ...common, status: { user: {}, error: `[invalid bearer token, ${proof.problem}]` } };
  return {
    ...common,
    status: {
      authenticated: true,
      user: userJson(proof.user),
      ...(proof.audiences.length === 0 ? {} : { audiences: proof.audiences }),
    },
  };
}

/** authentication/v1 `UserInfo`. */
export function userJson({ name, uid = '', groups, extra = {} }: UserInfo): JsonObject {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
