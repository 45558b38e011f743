import fc from 'fast-check';
import type { Attributes, User } from '../attributes.js';
import { type Binding, type PolicyRule, rbacApiGroup, type Role, type Subject } from '../policy-rule.js';
import type { RbacObjects } from '../rule-resolver.js';

const some = (...all: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...all], { minLength: 1 });

/** A rule that an API server accepts in a ClusterRole; a Role has no paths. */
const resourceRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: fc.oneof(some('get', 'list', 'create', 'update'), fc.constant(['*'])),
  apiGroups: fc.oneof(some('', 'apps', 'example.com'), fc.constant(['*'])),
  resources: fc.oneof(
    some('configmaps', 'secrets', 'deployments', 'deployments/scale', '*/status'),
    fc.constant(['*']),
  ),
  resourceNames: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: some('one', 'two') }),
});
const pathRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: fc.oneof(some('get', 'post'), fc.constant(['*'])),
  nonResourceURLs: some('/logs', '/logs/*', '/debug/*', '/exact'),
});

interface Names {
  readonly prefix: string;
  readonly namespaces: readonly string[];
}

export const usersOf = ({ prefix, namespaces }: Names): readonly User[] => [
  ...['u0', 'u1', 'u2', 'u3'].map((name, index) => ({
    name: `${prefix}-${name}`,
    groups: [`${prefix}-g${index % 2}`, 'system:authenticated'],
  })),
  ...namespaces.map((namespace) => ({
    name: `system:serviceaccount:${namespace}:robot`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  })),
  { name: `${prefix}-nobody`, groups: [] },
];

const subjects = ({ prefix, namespaces }: Names, isClusterWide: boolean): fc.Arbitrary<Subject[]> => {
  const all: Subject[] = [
    ...['u0', 'u1', 'u2', 'u3'].map((name) => ({ kind: 'User', apiGroup: rbacApiGroup, name: `${prefix}-${name}` })),
    ...['g0', 'g1'].map((name) => ({ kind: 'Group', apiGroup: rbacApiGroup, name: `${prefix}-${name}` })),
    ...namespaces.map((namespace) => ({ kind: 'ServiceAccount', name: 'robot', namespace })),
    ...(isClusterWide
      ? []
      : namespaces.map((namespace) => ({
          kind: 'Group',
          apiGroup: rbacApiGroup,
          name: `system:serviceaccounts:${namespace}`,
        }))),
  ];
  return fc.subarray(all, { minLength: 1, maxLength: 2 });
};

/** Roles and bindings of one generation, with a common name prefix. Some bindings name missing roles. */
export const policies = (names: Names): fc.Arbitrary<Required<RbacObjects>> => {
  const { prefix, namespaces } = names;
  const clusterRoleNames = [0, 1, 2, 3].map((index) => `${prefix}-c${index}`);
  const roleNames = [0, 1, 2].map((index) => `${prefix}-r${index}`);
  const role = (name: string, rule: fc.Arbitrary<PolicyRule>, namespace?: string): fc.Arbitrary<Role> =>
    fc
      .array(rule, { minLength: 1, maxLength: 3 })
      .map((rules) => ({ metadata: namespace === undefined ? { name } : { name, namespace }, rules }));
  const reference = (local: boolean): fc.Arbitrary<Binding['roleRef']> =>
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .constantFrom(...clusterRoleNames)
          .map((name) => ({ apiGroup: rbacApiGroup, kind: 'ClusterRole', name })),
      },
      ...(local
        ? [
            {
              weight: 6,
              arbitrary: fc.constantFrom(...roleNames).map((name) => ({ apiGroup: rbacApiGroup, kind: 'Role', name })),
            },
          ]
        : []),
      { weight: 1, arbitrary: fc.constant({ apiGroup: rbacApiGroup, kind: 'ClusterRole', name: `${prefix}-missing` }) },
    );
  const binding = (name: string, namespace?: string): fc.Arbitrary<Binding> =>
    fc.record({
      metadata: fc.constant(namespace === undefined ? { name } : { name, namespace }),
      roleRef: reference(namespace !== undefined),
      subjects: subjects(names, namespace === undefined),
    });
  return fc.record({
    clusterRoles: fc.tuple(
      ...clusterRoleNames.map((name) =>
        role(name, fc.oneof({ weight: 3, arbitrary: resourceRule }, { weight: 1, arbitrary: pathRule })),
      ),
    ),
    roles: fc.tuple(...namespaces.flatMap((namespace) => roleNames.map((name) => role(name, resourceRule, namespace)))),
    clusterRoleBindings: fc.tuple(...[0, 1].map((index) => binding(`${prefix}-b${index}`))),
    roleBindings: fc.tuple(
      ...namespaces.flatMap((namespace) => [0, 1, 2].map((index) => binding(`${prefix}-b${index}`, namespace))),
    ),
  });
};

export const requests = (namespaces: readonly string[]): fc.Arbitrary<Attributes> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        verb: fc.constantFrom('get', 'list', 'create', 'update', 'delete'),
        group: fc.constantFrom('', 'apps', 'example.com', 'batch'),
        resource: fc.constantFrom('configmaps', 'secrets', 'deployments'),
        subresource: fc.constantFrom('', '', 'scale', 'status'),
        namespace: fc.constantFrom('', ...namespaces),
        name: fc.constantFrom('', 'one', 'two', 'three'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        verb: fc.constantFrom('get', 'post', 'put'),
        path: fc.constantFrom('/logs', '/logs/a', '/debug', '/debug/x', '/exact', '/exact/x'),
      }),
    },
  );
