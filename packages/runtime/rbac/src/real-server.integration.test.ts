import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import fc from 'fast-check';
import type { Attributes, User } from './attributes.js';
import { createAuthorizer, type RulesReview } from './authorizer.js';
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from './bootstrap.js';
import { EscalationCheck, type GrantRefusal } from './escalation.js';
import { type Binding, type PolicyRule, rbacApiGroup, type Role } from './policy-rule.js';
import { lookupOf, type RbacObjects } from './rule-resolver.js';
import { policies, requests, usersOf } from './testing/policies.js';
import { ask } from './testing/real-server.js';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const reviews = '/apis/authorization.k8s.io/v1';

interface Review {
  readonly status: { readonly allowed: boolean; readonly reason?: string };
}

interface Status {
  readonly message?: string;
}

interface List<T> {
  readonly items: readonly T[];
}

const kinds = {
  clusterRoles: 'ClusterRole',
  roles: 'Role',
  clusterRoleBindings: 'ClusterRoleBinding',
  roleBindings: 'RoleBinding',
} as const;

const pathOf = (kind: keyof typeof kinds, namespace: string | undefined): string =>
  namespace === undefined ? `${rbac}/${kind.toLowerCase()}` : `${rbac}/namespaces/${namespace}/${kind.toLowerCase()}`;

const body = (kind: keyof typeof kinds, object: Role | Binding): object => ({
  apiVersion: `${rbacApiGroup}/v1`,
  kind: kinds[kind],
  ...object,
});

/** Whoever is impersonated is also in this group. */
const authenticated = (user: User): User => ({
  ...user,
  groups: [...new Set([...user.groups, 'system:authenticated'])],
});

const sorted = <T>(values: readonly T[]): T[] =>
  [...values].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

describeWithControlPlane('RBAC, beside a real API server', () => {
  const namespaces = [uniqueNamespace('rbac'), uniqueNamespace('rbac')];
  const prefix = uniqueNamespace('p');
  const users = usersOf({ prefix, namespaces });
  const generated = fc.sample(policies({ prefix, namespaces }), { numRuns: 1, seed: 20 })[0] ?? {
    clusterRoles: [],
    roles: [],
    clusterRoleBindings: [],
    roleBindings: [],
  };
  const everything: Required<RbacObjects> = {
    ...generated,
    clusterRoles: [...generated.clusterRoles, ...bootstrapClusterRoles],
    clusterRoleBindings: [...generated.clusterRoleBindings, ...bootstrapClusterRoleBindings],
  };
  const authorizer = createAuthorizer(lookupOf(everything));
  let server: SharedControlPlane;

  const create = async (
    kind: keyof typeof kinds,
    object: Role | Binding,
    as?: User,
  ): Promise<{ readonly status: number; readonly body: Status }> =>
    ask<Status>(server, 'POST', pathOf(kind, object.metadata.namespace), body(kind, object), as);

  const review = async ({ name, groups }: User, attributes: Attributes): Promise<Review['status']> => {
    const spec = {
      user: name,
      groups,
      ...('path' in attributes ? { nonResourceAttributes: attributes } : { resourceAttributes: attributes }),
    };
    return (
      await ask<Review>(server, 'POST', `${reviews}/subjectaccessreviews`, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec,
      })
    ).body.status;
  };

  beforeAll(async () => {
    server = await sharedControlPlane('provider');
    for (const name of namespaces) {
      await ask(server, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    for (const kind of ['clusterRoles', 'roles', 'clusterRoleBindings', 'roleBindings'] as const) {
      for (const object of generated[kind]) {
        const answer = await create(kind, object);
        expect([answer.status, answer.body.message]).toEqual([201, undefined]);
      }
    }
    // The API server learns of roles and bindings by watching, each kind for itself.
    const last = { metadata: { name: `${prefix}-last` }, rules: [{ verbs: ['get'], nonResourceURLs: ['/last'] }] };
    await create('clusterRoles', last);
    await create('clusterRoleBindings', {
      ...last,
      roleRef: { kind: 'ClusterRole', name: last.metadata.name, apiGroup: rbacApiGroup },
      subjects: [{ kind: 'User', name: 'last', apiGroup: rbacApiGroup }],
    });
    await eventually(async () => (await review({ name: 'last', groups: [] }, { verb: 'get', path: '/last' })).allowed);
    await eventually(async () => {
      const pairs = users.flatMap((user) => namespaces.map((namespace) => [authenticated(user), namespace] as const));
      const real = await Promise.all(pairs.map(async ([user, namespace]) => rulesOf(user, namespace)));
      expect(real.map(({ resourceRules }) => resourceRules.length)).toEqual(
        pairs.map(([user, namespace]) => authorizer.rulesFor(user, namespace).resourceRules.length),
      );
    });
  });
  afterAll(async () => {
    for (const kind of ['clusterRoles', 'clusterRoleBindings'] as const) {
      for (const name of [...generated[kind].map((object) => object.metadata.name), `${prefix}-last`]) {
        await ask(server, 'DELETE', `${pathOf(kind, undefined)}/${name}`);
      }
    }
  });

  async function rulesOf(user: User, namespace: string): Promise<RulesReview> {
    const sent = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
    return (
      await ask<{ readonly status: RulesReview }>(server, 'POST', `${reviews}/selfsubjectrulesreviews`, sent, user)
    ).body.status;
  }

  it('decides the same, for the same reasons', async () => {
    const questions = fc.sample(fc.tuple(fc.constantFrom(...users), requests(namespaces)), { numRuns: 400, seed: 7 });
    let allowed = 0;
    for (const [user, attributes] of questions) {
      const real = await review(user, attributes);
      expect([user, attributes, authorizer.authorize(user, attributes).allowed]).toEqual([
        user,
        attributes,
        real.allowed,
      ]);
      expect(reasonsOf(user, attributes)).toContain(real.reason ?? '');
      allowed += Number(real.allowed);
    }
    expect(allowed).toBeGreaterThan(50);
    expect(allowed).toBeLessThan(350);
  });

  /** The real server keeps bindings in no order: of several that allow a request it names any. */
  function reasonsOf(user: User, attributes: Attributes): readonly string[] {
    const { allowed, reason } = authorizer.authorize(user, attributes);
    if (!allowed) {
      return [reason];
    }
    const one = (binding: Binding): string => {
      const isLocal = binding.metadata.namespace !== undefined;
      return createAuthorizer(
        lookupOf({
          ...everything,
          clusterRoleBindings: isLocal ? [] : [binding],
          roleBindings: isLocal ? [binding] : [],
        }),
      ).authorize(user, attributes).reason;
    };
    const clusterWide = everything.clusterRoleBindings.map(one).filter((text) => text.includes('allowed by'));
    return clusterWide.length > 0
      ? clusterWide
      : everything.roleBindings.map(one).filter((text) => text.includes('allowed by'));
  }

  it.each(users.flatMap((user, index) => namespaces.map((_, position) => [index, position] as const)))(
    'lists the same rules for user %i in namespace %i',
    async (index, position) => {
      const [user, namespace] = [users[index], namespaces[position]];
      if (user === undefined || namespace === undefined) {
        throw new RangeError('there is such a user, and such a namespace');
      }
      const inOrder = (review: RulesReview): object => ({
        ...review,
        resourceRules: sorted(review.resourceRules),
        nonResourceRules: sorted(review.nonResourceRules),
      });
      expect(inOrder(authorizer.rulesFor(authenticated(user), namespace))).toEqual(
        inOrder(await rulesOf(authenticated(user), namespace)),
      );
    },
  );

  it('knows the roles that every cluster has', async () => {
    const { body: roles } = await ask<List<Role>>(
      server,
      'GET',
      `${rbac}/clusterroles?labelSelector=kubernetes.io/bootstrapping=rbac-defaults`,
    );
    const { body: bindings } = await ask<List<Binding>>(
      server,
      'GET',
      `${rbac}/clusterrolebindings?labelSelector=kubernetes.io/bootstrapping=rbac-defaults`,
    );
    for (const role of bootstrapClusterRoles) {
      const real = roles.items.find(({ metadata }) => metadata.name === role.metadata.name);
      // Nobody gathers rules where there is no controller manager.
      const isGathered = role.aggregationRule !== undefined;
      expect({ ...real, metadata: real?.metadata.labels, ...(isGathered ? { rules: role.rules } : {}) }).toEqual({
        ...role,
        metadata: role.metadata.labels,
      });
    }
    for (const binding of bootstrapClusterRoleBindings) {
      const real = bindings.items.find(({ metadata }) => metadata.name === binding.metadata.name);
      expect([real?.roleRef, real?.subjects]).toEqual([binding.roleRef, binding.subjects]);
    }
  });

  describe('grants', () => {
    const granter: User = { name: `${prefix}-granter`, groups: ['system:authenticated'] };
    const [namespace = ''] = namespaces;
    const writesRoles: PolicyRule = {
      verbs: ['create', 'update', 'patch'],
      apiGroups: [rbacApiGroup],
      resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
    };
    const own: PolicyRule[] = [
      writesRoles,
      { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps', 'pods'] },
      { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] },
      { verbs: ['*'], apiGroups: ['apps'], resources: ['*'] },
      { verbs: ['get'], apiGroups: ['*'], resources: ['*/status'] },
      { verbs: ['get'], nonResourceURLs: ['/logs/*'] },
      { verbs: ['bind'], apiGroups: [rbacApiGroup], resources: ['clusterroles'], resourceNames: ['view'] },
      {
        verbs: ['escalate'],
        apiGroups: [rbacApiGroup],
        resources: ['clusterroles'],
        resourceNames: [`${prefix}-free`],
      },
    ];
    const objects: Required<RbacObjects> = {
      ...everything,
      clusterRoles: [
        ...everything.clusterRoles,
        { metadata: { name: `${prefix}-granter` }, rules: own },
        { metadata: { name: `${prefix}-free` }, rules: [] },
      ],
      clusterRoleBindings: [
        ...everything.clusterRoleBindings,
        {
          metadata: { name: `${prefix}-granter` },
          roleRef: { apiGroup: rbacApiGroup, kind: 'ClusterRole', name: `${prefix}-granter` },
          subjects: [{ apiGroup: rbacApiGroup, kind: 'User', name: granter.name }],
        },
      ],
    };
    const check = new EscalationCheck(lookupOf(objects));

    const messageOf = (refusal: GrantRefusal | undefined, resource: string, name: string): string | undefined => {
      switch (refusal?.kind) {
        case undefined:
          return undefined;
        case 'forbidden':
          return `${resource}.${rbacApiGroup} ${JSON.stringify(name)} is forbidden: ${refusal.message}`;
        case 'roleNotFound':
          return `${resource}.${rbacApiGroup} ${JSON.stringify(refusal.name)} not found`;
        case 'invalidReference':
          return refusal.message;
      }
    };

    beforeAll(async () => {
      await create('clusterRoles', { metadata: { name: `${prefix}-granter` }, rules: own });
      await create('clusterRoles', { metadata: { name: `${prefix}-free` }, rules: [] });
      await create(
        'clusterRoleBindings',
        objects.clusterRoleBindings.at(-1) ?? { metadata: { name: '' }, roleRef: { kind: '', name: '' } },
      );
      await eventually(
        async () => (await review(granter, { verb: 'create', group: rbacApiGroup, resource: 'roles' })).allowed,
      );
    });
    afterAll(async () => {
      for (const path of [
        `clusterroles/${prefix}-granter`,
        `clusterroles/${prefix}-free`,
        `clusterrolebindings/${prefix}-granter`,
      ]) {
        await ask(server, 'DELETE', `${rbac}/${path}`);
      }
    });

    const generatedRules = fc
      .sample(policies({ prefix, namespaces }), { numRuns: 12, seed: 3 })
      .flatMap(({ roles, clusterRoles }) =>
        [...roles.slice(0, 2), ...clusterRoles.slice(0, 2)].map(
          ({ metadata, rules }) => [metadata.namespace, rules ?? []] as const,
        ),
      );
    const chosenRules: (readonly [string | undefined, readonly PolicyRule[]])[] = [
      [namespace, [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }]],
      [namespace, [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] }]],
      [namespace, [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine', 'other'] }]],
      [namespace, [{ verbs: ['get'], apiGroups: [''], resources: ['pods/status'] }]],
      [namespace, [{ verbs: ['*'], apiGroups: ['apps'], resources: ['deployments'] }]],
      [undefined, [{ verbs: ['get'], nonResourceURLs: ['/logs/a', '/logs/*', '/logs', '/other'] }]],
      [undefined, [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]],
    ];

    it.each([...chosenRules, ...generatedRules].map(([position, rules], index) => [index, position, rules] as const))(
      '%i: a role in %s with %j',
      async (index, position, rules) => {
        const name = `${prefix}-granted-${index}`;
        const role: Role = { metadata: position === undefined ? { name } : { name, namespace }, rules };
        const kind = position === undefined ? 'clusterRoles' : 'roles';
        const answer = await ask<Status>(
          server,
          'POST',
          `${pathOf(kind, role.metadata.namespace)}?dryRun=All`,
          body(kind, role),
          granter,
        );
        const refusal = check.roleRefusal(granter, { role });
        expect([refusal === undefined ? 201 : 403, messageOf(refusal, kind.toLowerCase(), name)]).toEqual([
          answer.status,
          answer.body.message,
        ]);
      },
    );

    it('of rules that are gathered take everything', async () => {
      const role: Role = {
        metadata: { name: `${prefix}-gathering` },
        rules: [],
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      };
      const answer = await ask<Status>(
        server,
        'POST',
        `${pathOf('clusterRoles', undefined)}?dryRun=All`,
        body('clusterRoles', role),
        granter,
      );
      expect(messageOf(check.roleRefusal(granter, { role }), 'clusterroles', role.metadata.name)).toBe(
        answer.body.message,
      );
      expect(answer.status).toBe(403);
    });

    it('of anything, with the verb escalate', async () => {
      const role: Role = {
        metadata: { name: `${prefix}-free` },
        rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      };
      const replaced = await ask<Status>(
        server,
        'PUT',
        `${rbac}/clusterroles/${prefix}-free?dryRun=All`,
        body('clusterRoles', role),
        granter,
      );
      expect([
        replaced.status,
        check.roleRefusal(granter, { role, previous: { metadata: role.metadata, rules: [] } }),
      ]).toEqual([200, undefined]);
    });

    it.each<[string, Binding['roleRef']]>([
      ['a role whose rules one has not', { kind: 'ClusterRole', name: 'edit' }],
      ['a role one may bind', { kind: 'ClusterRole', name: 'view' }],
      ['the role of oneself', { kind: 'ClusterRole', name: `${prefix}-granter` }],
      ['a role of the namespace', { kind: 'Role', name: `${prefix}-r0` }],
      ['a role that is not there', { kind: 'Role', name: 'nothing' }],
      ['a ClusterRole that is not there', { kind: 'ClusterRole', name: 'nothing' }],
      ['everything', { kind: 'ClusterRole', name: 'cluster-admin' }],
    ])('bind %s', async (_, reference) => {
      const binding: Binding = {
        metadata: { name: `${prefix}-bound`, namespace },
        roleRef: { apiGroup: rbacApiGroup, ...reference },
        subjects: [{ kind: 'User', apiGroup: rbacApiGroup, name: 'somebody' }],
      };
      const answer = await ask<Status>(
        server,
        'POST',
        `${pathOf('roleBindings', namespace)}?dryRun=All`,
        body('roleBindings', binding),
        granter,
      );
      // `edit` is empty in the real server: there is no controller that gathers its rules.
      const aware = new EscalationCheck(
        lookupOf({
          ...objects,
          clusterRoles: objects.clusterRoles.map((role) =>
            role.aggregationRule === undefined ? role : { ...role, rules: [] },
          ),
        }),
      );
      const refusal = aware.bindingRefusal(granter, binding);
      const status = refusal === undefined ? 201 : refusal.kind === 'forbidden' ? 403 : 404;
      expect([status, messageOf(refusal, 'rolebindings', binding.metadata.name)]).toEqual([
        answer.status,
        answer.body.message,
      ]);
    });
  });
});
