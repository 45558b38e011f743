import { type ApiError, type Client, type KubeObject, type Resource, isApiError } from '@hawser/client';
import {
  type Attributes,
  type Authorizer,
  type Binding,
  type PolicyRule,
  type Role,
  type User,
  breakDown,
  compact,
  createAuthorizer,
  differenceOf,
  lookupOf,
  rbacApiGroup,
} from '@hawser/rbac';

import { list } from './live.js';
import type { NeededRole } from './rights.js';
import type { CheckedRole, Excess, SideRights } from './side-rights.js';

/** Reads the rights of a user or ServiceAccount. Rejects with the ApiError of a server that does not answer. */
interface RightsReader {
  /** Name of the user, in words. */
  readonly who: string;
  may(rule: PolicyRule, namespace: string | undefined): Promise<boolean>;
  /** All rights there, as far as the server can list them. */
  all(namespace: string | undefined): Promise<readonly PolicyRule[] | undefined>;
}

const authorization = (resource: string): Resource => ({ group: 'authorization.k8s.io', version: 'v1', resource });
const rbac = (resource: string): Resource => ({ group: rbacApiGroup, version: 'v1', resource });

/** Asks the API server for the rights of the client's user. These requests are POSTs that store nothing. */
function ownRights(client: Client, who: string, signal: AbortSignal): RightsReader {
  const ask = async <S>(resource: string, kind: string, spec: unknown): Promise<S | undefined> => {
    const question = { apiVersion: 'authorization.k8s.io/v1', kind, metadata: { name: '' }, spec } as KubeObject;
    return (await client.create<KubeObject & { readonly status?: S }>(authorization(resource), question, { signal }))
      .status;
  };
  return {
    who,
    async may(right, namespace) {
      const attributes = attributesOf(right, namespace);
      const asked = 'path' in attributes ? { nonResourceAttributes: attributes } : { resourceAttributes: attributes };
      const answer = await ask<{ readonly allowed: boolean }>(
        'selfsubjectaccessreviews',
        'SelfSubjectAccessReview',
        asked,
      );
      return answer?.allowed === true;
    },
    async all(namespace) {
      // No list exists for the cluster scope.
      if (namespace === undefined) return undefined;
      const answer = await ask<{ readonly resourceRules?: readonly PolicyRule[] }>(
        'selfsubjectrulesreviews',
        'SelfSubjectRulesReview',
        { namespace },
      );
      return answer?.resourceRules;
    },
  };
}

/** A ServiceAccount. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

const inWords = ({ namespace, name }: Account): string => `ServiceAccount ${namespace}/${name}`;

/** Reads the roles of a ServiceAccount, and decides as RBAC does. @throws ApiError if the roles are unreadable */
async function rightsOfServiceAccount(client: Client, account: Account, signal: AbortSignal): Promise<RightsReader> {
  const read = async <T extends KubeObject>(resource: string): Promise<readonly T[]> => {
    const listed = await list<T>(client, rbac(resource), { signal });
    if (listed.kind === 'failed') throw listed.error;
    return listed.items;
  };
  const authorizer: Authorizer = createAuthorizer(
    lookupOf({
      clusterRoles: await read<KubeObject & Role>('clusterroles'),
      clusterRoleBindings: await read<KubeObject & Binding>('clusterrolebindings'),
      roles: await read<KubeObject & Role>('roles'),
      roleBindings: await read<KubeObject & Binding>('rolebindings'),
    }),
  );
  const user: User = {
    name: `system:serviceaccount:${account.namespace}:${account.name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`, 'system:authenticated'],
  };
  return {
    who: inWords(account),
    may: (right, namespace) => Promise.resolve(authorizer.authorize(user, attributesOf(right, namespace)).allowed),
    all: (namespace) => Promise.resolve(authorizer.rulesFor(user, namespace ?? '').resourceRules),
  };
}

/** Attributes of the review for a single right. */
function attributesOf(
  {
    apiGroups: [group = ''] = [],
    resources: [resource = ''] = [],
    resourceNames: [name] = [],
    nonResourceURLs: [path] = [],
    verbs: [verb = ''],
  }: PolicyRule,
  namespace: string | undefined,
): Attributes {
  if (path !== undefined) return { path, verb };
  const [plural = '', subresource] = resource.split('/', 2);
  return {
    group,
    resource: plural,
    verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** The user or ServiceAccount whose rights are compared. */
export interface Holder {
  /** Client of the user, if no account is given. */
  readonly client: Client;
  /** Name of that user. */
  readonly user?: string | undefined;
  readonly account?: Account | undefined;
  /** Reads the roles of the account. Default: `client`. */
  readonly reader?: Client | undefined;
  readonly signal: AbortSignal;
}

/**
 * Compares the needs of `roles` with the rights of a ServiceAccount, or of a client's user. A server that does not
 * answer is a `refusal`, in words.
 */
export function compareRightsOf<Side>(
  { client, user = 'the user of the kubeconfig', account, reader = client, signal }: Holder,
  side: Side,
  roles: readonly NeededRole<Side>[],
): Promise<SideRights<Side>> {
  return account === undefined
    ? compareRights(side, user, roles, () => Promise.resolve(ownRights(client, user, signal)))
    : compareRights(side, inWords(account), roles, () => rightsOfServiceAccount(reader, account, signal));
}

/** `who`: used until the name is known. */
async function compareRights<Side>(
  side: Side,
  who: string,
  roles: readonly NeededRole<Side>[],
  open: () => Promise<RightsReader>,
): Promise<SideRights<Side>> {
  try {
    const reader = await open();
    const checked: CheckedRole<Side>[] = [];
    for (const role of roles) checked.push(await checkRole(reader, role));
    return { side, who: reader.who, roles: checked, excess: await excessOf(reader, roles) };
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal === undefined) throw error;
    return { side, who, roles: roles.map((role) => ({ ...role, missing: [] })), excess: [], refusal: refusal.message };
  }
}

/** The rights that `role` needs and the user lacks. */
async function checkRole<Side>(reader: RightsReader, role: NeededRole<Side>): Promise<CheckedRole<Side>> {
  const missing: PolicyRule[] = [];
  for (const right of role.rules.flatMap(breakDown))
    if (!(await reader.may(right, role.namespace))) missing.push(right);
  return { ...role, missing: compact(missing) };
}

/** Every user has these rights, and they say nothing about a role of ours. */
const EVERYBODYS: ReadonlySet<string> = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

/**
 * Rights beyond the needs of all `roles`: in each of their namespaces, and in the whole cluster if the server can list
 * them.
 */
async function excessOf(reader: RightsReader, roles: readonly NeededRole<unknown>[]): Promise<readonly Excess[]> {
  const found: Excess[] = [];
  const everywhere = roles.filter(({ namespace }) => namespace === undefined).flatMap(({ rules }) => rules);
  const inCluster = await reader.all(undefined);
  for (const namespace of [
    undefined,
    ...new Set(roles.flatMap((role) => (role.namespace === undefined ? [] : [role.namespace]))),
  ]) {
    const actual = namespace === undefined ? inCluster : await reader.all(namespace);
    if (actual === undefined) continue;
    const needed = [
      ...everywhere,
      ...roles.filter((role) => role.namespace === namespace).flatMap(({ rules }) => rules),
      ...(namespace === undefined ? [] : (inCluster ?? [])),
    ];
    const rules = differenceOf(actual, needed).excess.filter(
      ({ apiGroups = [] }) => !apiGroups.some((group) => EVERYBODYS.has(group)),
    );
    if (rules.length > 0) found.push({ namespace, rules });
  }
  return found;
}

/** The error as a refusal in words, if it is one. */
function asRefusal(error: unknown): ApiError | undefined {
  return isApiError(error) && error.code !== 'Aborted' ? error : undefined;
}
