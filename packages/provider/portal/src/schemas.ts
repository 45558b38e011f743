import type { RouteShorthandOptions } from 'fastify';

/** JSON Schemas for requests. */
export const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength });
export const optionalText = (maxLength: number): object => ({ type: 'string', maxLength });

/** A DNS label; object names have one or more. */
const label = '[a-z0-9]([\\-a-z0-9]*[a-z0-9])?';

/**
 * Matches a whole name, both in a JSON Schema and in a field's attribute `pattern`, which browsers read with the flag
 * `v`.
 */
export const namePattern = `^${label}(\\.${label})*$`;

/** The name of an object. */
export const objectName = { type: 'string', minLength: 1, maxLength: 253, pattern: namePattern };

/** The id of a claim, from `claimId`. */
export const claimIdText = { type: 'string', pattern: '^[0-9a-f]{32}$' };

/** A code for a bundle. Pasted codes may have surrounding blanks. */
export const bundleCode = { type: 'string', pattern: '^\\s*[\\w\\-]{22}\\s*$' };

/** A person's kubeconfig. Longer ones are invalid (packages/runtime/kubeconfig). */
export const kubeconfigText = text(262_144);

/** For a sign-in (spec/kube-bind-backend.md §14.1). */
export const signInSchema = {
  type: 'object',
  required: ['redirect_url', 'session_id'],
  properties: {
    redirect_url: text(1024),
    session_id: text(128),
    cluster_id: { type: 'string', maxLength: 0 },
    client_type: optionalText(16),
    consumer_id: optionalText(1024),
    code_challenge: { type: 'string', pattern: '^[\\w\\-]{43}$' },
    code_challenge_method: { enum: ['S256'] },
  },
};

const verifier = { type: 'string', pattern: '^[\\w.~\\-]{43,128}$' };

/** For a terminal that exchanges its code for a token (RFC 6749 §4.1.3, RFC 7636 §4.5), or renews it (RFC 6749 §6). */
export const tokenSchema = {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: { enum: ['authorization_code', 'refresh_token'] },
    code: text(32_768),
    code_verifier: verifier,
    refresh_token: text(32_768),
  },
  if: { properties: { grant_type: { const: 'refresh_token' } } },
  then: { required: ['refresh_token'] },
  else: { required: ['code', 'code_verifier'] },
};

/** Body accepted by {@link tokenSchema}. */
export type TokenBody =
  | { readonly grant_type: 'authorization_code'; readonly code: string; readonly code_verifier: string }
  | { readonly grant_type: 'refresh_token'; readonly refresh_token: string };

/** For a terminal without a browser that begins a sign-in. */
export const deviceSchema = {
  type: 'object',
  required: ['code_challenge', 'code_challenge_method'],
  properties: {
    code_challenge: { type: 'string', pattern: '^[\\w\\-]{43}$' },
    code_challenge_method: { enum: ['S256'] },
  },
};

/** For a terminal that polls for the result. */
export const deviceTokenSchema = {
  type: 'object',
  required: ['device_code', 'code_verifier'],
  properties: { device_code: text(4_096), code_verifier: verifier },
};

/** Body of a request for a binding. */
export interface BindBody {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly templateRef: { readonly name: string };
    readonly clusterIdentity: { readonly identity?: string; readonly prettyName?: string };
  };
}

/** For a binding (spec/kube-bind-backend.md §13.5). */
export const bindSchema = {
  type: 'object',
  required: ['metadata', 'spec'],
  properties: {
    metadata: { type: 'object', required: ['name'], properties: { name: objectName } },
    spec: {
      type: 'object',
      required: ['templateRef', 'clusterIdentity'],
      properties: {
        templateRef: { type: 'object', required: ['name'], properties: { name: objectName } },
        clusterIdentity: {
          type: 'object',
          properties: {
            identity: { ...text(1024), description: 'Not needed with a token of the cluster.' },
            prettyName: optionalText(253),
          },
        },
        author: { type: 'string' },
      },
    },
  },
};

/** Query parameters of any route of the contract. */
export const clusterQuery = {
  type: 'object',
  properties: { cluster_id: { type: 'string', maxLength: 0 }, consumer_id: optionalText(1024) },
};

/** The schema of a route, with its text in the OpenAPI document. */
export function describe(
  summary: string,
  parts: NonNullable<RouteShorthandOptions['schema']> = {},
): NonNullable<RouteShorthandOptions['schema']> {
  return { summary, ...parts };
}
