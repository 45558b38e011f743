import type { ApiRequest, AuthorizationAttributes, Decision, RequestInfo, UserInfo } from '../parts.js';
import { StatusError, badRequest, quote } from '../status.js';
import { forbiddenError } from './forbidden.js';
import {
  anonymousName,
  authenticatedGroup,
  mastersGroup,
  nodesGroup,
  parseServiceAccountUsername,
  serviceAccountGroups,
  unauthenticatedGroup,
} from './users.js';

type Authorize = (attributes: AuthorizationAttributes) => Decision;

/** The user that a request wants to act as, from its headers. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * The effective user of a request: its own, or the one in its headers, if impersonation is allowed. Tries the
 * constrained modes of Kubernetes 1.36 first (verbs `impersonate-on:<mode>:<verb>` and `impersonate:<mode>`, except
 * that of the associated node), then the verb `impersonate`. A refusal comes from the first mode that applies.
 */
export function impersonate(request: ApiRequest, user: UserInfo, info: RequestInfo, authorize: Authorize): UserInfo {
  const wanted = wantedUser(request.headers);
  if (wanted === undefined) return user;
  let first: StatusError | undefined;
  for (const mode of modesFor(wanted)) {
    try {
      if (mode !== undefined)
        check({ ...attributesOf(info, user), verb: `impersonate-on:${mode}:${info.verb}` }, authorize);
      return actAs(wanted, user, mode, authorize);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      first ??= error;
    }
  }
  throw first ?? new StatusError(403, 'Forbidden', 'all impersonation modes failed');
}

type Mode = 'arbitrary-node' | 'serviceaccount' | 'user-info' | undefined;

function modesFor(wanted: Wanted): readonly Mode[] {
  const onlyName = wanted.uid === '' && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
  if (nodeName(wanted.name) !== undefined) return onlyName ? ['arbitrary-node', undefined] : [undefined];
  if (parseServiceAccountUsername(wanted.name) !== undefined)
    return onlyName ? ['serviceaccount', undefined] : [undefined];
  return ['user-info', undefined];
}

function nodeName(username: string): string | undefined {
  return username.startsWith('system:node:') ? username.slice('system:node:'.length) : undefined;
}

function wantedUser(headers: ApiRequest['headers']): Wanted | undefined {
  if (!Object.keys(headers).some((header) => header.startsWith('impersonate-'))) return undefined;
  const name = valuesOf(headers, 'impersonate-user')[0] ?? '';
  const uid = valuesOf(headers, 'impersonate-uid')[0] ?? '';
  const groups = valuesOf(headers, 'impersonate-group');
  const extra: Record<string, readonly string[]> = {};
  for (const header of Object.keys(headers).sort()) {
    if (header.startsWith('impersonate-extra-'))
      extra[decoded(header.slice('impersonate-extra-'.length))] = valuesOf(headers, header);
  }
  if (name !== '') return { name, uid, groups, extra };
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw badRequest(`requested ${goSyntax({ name, uid, groups, extra })} without impersonating a user name`);
}

function valuesOf(headers: ApiRequest['headers'], name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text;
  }
}

/** Go's `%#v` of the user, for the message. */
function goSyntax({ name, uid, groups, extra }: Wanted): string {
  const list = (texts: readonly string[]): string =>
    texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map(quote).join(', ')}}`;
  const entries = Object.entries(extra).map(([key, values]) => `${quote(key)}:${list(values)}`);
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${list(groups)}, Extra:map[string][]string${entries.length === 0 ? '(nil)' : `{${entries.join(', ')}}`}}`;
}

/** Checks every part of the wanted user and completes it. */
function actAs(wanted: Wanted, user: UserInfo, mode: Mode, authorize: Authorize): UserInfo {
  const verb = mode === undefined ? 'impersonate' : `impersonate:${mode}`;
  const nameGroup =
    mode === undefined ? { apiGroup: '', apiVersion: 'v1' } : { apiGroup: 'authentication.k8s.io', apiVersion: 'v1' };
  const part = (resource: string, name: string): AuthorizationAttributes => ({
    ...nothing,
    user,
    verb,
    apiGroup: 'authentication.k8s.io',
    apiVersion: 'v1',
    resource,
    name,
  });
  const account = parseServiceAccountUsername(wanted.name);
  const node = mode === undefined ? undefined : nodeName(wanted.name);
  if (account !== undefined)
    check({ ...part('serviceaccounts', account.name), ...nameGroup, namespace: account.namespace }, authorize);
  else check({ ...part(node === undefined ? 'users' : 'nodes', node ?? wanted.name), ...nameGroup }, authorize);
  if (wanted.uid !== '') check(part('uids', wanted.uid), authorize);
  if (mode !== undefined && wanted.groups.includes(''))
    throw forbiddenError(
      { ...part('groups', ''), ...nameGroup },
      'impersonating the empty string group is not allowed',
    );
  if (mode !== undefined && wanted.groups.includes(mastersGroup))
    throw forbiddenError(
      { ...part('groups', mastersGroup), ...nameGroup },
      'impersonating the system:masters group is not allowed',
    );
  for (const group of wanted.groups) check({ ...part('groups', group), ...nameGroup }, authorize);
  for (const [key, values] of Object.entries(wanted.extra))
    for (const value of values) check({ ...part('userextras', value), subresource: key }, authorize);
  const own =
    account !== undefined && wanted.groups.length === 0
      ? serviceAccountGroups(account.namespace)
      : node === undefined
        ? wanted.groups
        : [nodesGroup];
  return {
    name: wanted.name,
    ...(wanted.uid === '' ? {} : { uid: wanted.uid }),
    groups: withMembership(wanted.name, own),
    ...(Object.keys(wanted.extra).length === 0 ? {} : { extra: wanted.extra }),
  };
}

/** A user is authenticated or not; a requested group can only deny authentication. */
function withMembership(name: string, groups: readonly string[]): readonly string[] {
  const group = name === anonymousName ? unauthenticatedGroup : authenticatedGroup;
  return groups.includes(group) || groups.includes(unauthenticatedGroup) ? groups : [...groups, group];
}

const nothing = { isResourceRequest: true, path: '', namespace: '', subresource: '' } as const;

function attributesOf(info: RequestInfo, user: UserInfo): AuthorizationAttributes {
  const { isResourceRequest, path, namespace, apiGroup, apiVersion, resource, subresource, name, verb } = info;
  return { user, verb, isResourceRequest, path, namespace, apiGroup, apiVersion, resource, subresource, name };
}

function check(attributes: AuthorizationAttributes, authorize: Authorize): void {
  const { allowed, reason } = authorize(attributes);
  if (!allowed) throw forbiddenError(attributes, reason);
}
