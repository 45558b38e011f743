import type { RouteShorthandOptions } from 'fastify';

/** What requests may hold, in JSON Schema. */
export const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength });
export const optionalText = (maxLength: number): object => ({ type: 'string', maxLength });

/** One or more labels of DNS, as names of objects are. */
const label = '[a-z0-9]([\\-a-z0-9]*[a-z0-9])?';

/** Matches all of a name, and means the same in a JSON Schema and in the attribute `pattern` of a field, which browsers read with the flag `v`. */
export const namePattern = `^${label}(\\.${label})*$`;

/** The name of an object. */
export const objectName = { type: 'string', minLength: 1, maxLength: 253, pattern: namePattern };

/** The id of a claim, as `claimId` makes it. */
export const claimIdText = { type: 'string', pattern: '^[0-9a-f]{32}$' };

/** A code that is exchanged for a bundle. People paste it with blanks around it. */
export const bundleCode = { type: 'string', pattern: '^\\s*[\\w\\-]{22}\\s*$' };

/** A kubeconfig that a person hands over. Longer ones are none (packages/runtime/kubeconfig). */
export const kubeconfigText = text(262_144);

/** Of a sign-in (spec/kube-bind-backend.md §14.1). */
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

/** Of a terminal that exchanges its code for a token (RFC 6749 §4.1.3, RFC 7636 §4.5), or renews it (RFC 6749 §6). */
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

/** What {@link tokenSchema} lets through. */
export type TokenBody =
  | { readonly grant_type: 'authorization_code'; readonly code: string; readonly code_verifier: string }
  | { readonly grant_type: 'refresh_token'; readonly refresh_token: string };

/** Of a terminal without a browser that begins a sign-in. */
export const deviceSchema = {
  type: 'object',
  required: ['code_challenge', 'code_challenge_method'],
  properties: {
    code_challenge: { type: 'string', pattern: '^[\\w\\-]{43}$' },
    code_challenge_method: { enum: ['S256'] },
  },
};

/** Of one that asks what has come of it. */
export const deviceTokenSchema = {
  type: 'object',
  required: ['device_code', 'code_verifier'],
  properties: { device_code: text(4_096), code_verifier: verifier },
};

/** What a binding is asked for with. */
export interface BindBody {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly templateRef: { readonly name: string };
    readonly clusterIdentity: { readonly identity?: string; readonly prettyName?: string };
  };
}

/** Of a binding (spec/kube-bind-backend.md §13.5). */
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

/** What any route of the contract may be asked with. */
export const clusterQuery = {
  type: 'object',
  properties: { cluster_id: { type: 'string', maxLength: 0 }, consumer_id: optionalText(1024) },
};

/** The schema of a route, with what the OpenAPI document says of it. */
export function describe(
  summary: string,
  parts: NonNullable<RouteShorthandOptions['schema']> = {},
): NonNullable<RouteShorthandOptions['schema']> {
  return { summary, ...parts };
}
