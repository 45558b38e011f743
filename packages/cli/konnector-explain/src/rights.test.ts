import { klutchDialect } from '@hawser/klutch';
import { kubeBindDialect as dialect } from '@hawser/kube-bind';
import { expect, it } from '@jest/globals';

import type { BindingView } from './binding-view.js';
import { bindingRoles, konnectorRoles } from './rights.js';

const config = { group: 'example.com', plural: 'databases', isolation: 'Prefixed', informerScope: 'Cluster' };
const view = (annotations: Readonly<Record<string, string>>, more: Partial<BindingView> = {}): BindingView => ({
  binding: { apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', metadata: { name: 'shop', annotations } },
  secret: { ref: undefined, reading: { kind: 'unset' } } as never,
  provider: undefined,
  export: undefined,
  resources: [],
  conditions: [],
  writes: [],
  claims: [],
  claimsRecorded: false,
  heldClaims: [],
  plans: [{ kind: 'run', name: 'databases.example.com', config } as never],
  ...more,
});
const verbs = (of: BindingView, resource: string): readonly string[] =>
  bindingRoles(of, { dialect, adopts: false })
    .filter(({ side }) => side === 'consumer')
    .flatMap(({ rules }) => rules)
    .filter(({ resources = [] }) => resources.includes(resource))
    .map((rule) => [...rule.verbs, ...(rule.resourceNames ?? [])].join(' '));

it('only a binding that deletes when it is unbound needs to delete objects, and its CRDs', () => {
  expect([verbs(view({}), 'databases'), verbs(view({}), 'customresourcedefinitions')]).toEqual([
    ['get list watch patch'],
    [],
  ]);
  const deletes = view({ 'hawser.dev/unbind-policy': 'Delete' });
  expect([verbs(deletes, 'databases'), verbs(deletes, 'customresourcedefinitions')]).toEqual([
    ['get list watch patch delete'],
    ['delete databases.example.com'],
  ]);
});

it('what is claimed needs rights once, if it is accepted', () => {
  const claim = { resource: 'secrets', selector: { labelSelector: {} } };
  const claiming = view(
    {},
    {
      claims: [claim, { ...claim, selector: { namedResources: [{ name: 'one' }] } }],
      heldClaims: [{ ...claim, resource: 'configmaps' }],
    },
  );
  expect([verbs(claiming, 'secrets'), verbs(claiming, 'configmaps')]).toEqual([
    ['get list watch create patch delete'],
    [],
  ]);
});

it('only a konnector that stores objects anew writes the status of CRDs', () => {
  const resources = (migrates: boolean): readonly string[] =>
    konnectorRoles('kube-bind', { dialect, migrates, shares: false })
      .flatMap(({ rules }) => rules)
      .flatMap((one) => one.resources ?? []);
  expect([resources(false), resources(true)].map((all) => all.includes('customresourcedefinitions/status'))).toEqual([
    false,
    true,
  ]);
});

it('in Klutch there are neither bundles nor BoundSchemas, and objects that were made on the provider are made on the consumer', () => {
  const settings = { dialect: klutchDialect, migrates: false, adopts: true, shares: false };
  const provider = { clusterNamespace: 'cluster-a', serviceNamespaces: [] } as never;
  const rules = [...konnectorRoles('klutch-bind', settings), ...bindingRoles(view({}, { provider }), settings)].flatMap(
    (role) => role.rules,
  );
  expect(rules.flatMap(({ apiGroups = [] }) => apiGroups)).not.toContain('kube-bind.io');
  expect(
    rules.flatMap(({ resources = [] }) => resources).filter((resource) => /bundle|boundschema/u.test(resource)),
  ).toEqual([]);
  expect(rules.find(({ resources = [] }) => resources.includes('databases'))?.verbs).toEqual([
    'get',
    'list',
    'watch',
    'patch',
    'create',
  ]);
  expect(rules.find(({ resourceNames = [] }) => resourceNames.includes('klutch-bind'))?.resources).toEqual(['leases']);
});

it('only konnectors that share the work list, watch and delete Leases', () => {
  const verbsOf = (shares: boolean): readonly string[] =>
    konnectorRoles('kube-bind', { dialect, migrates: false, shares })
      .flatMap(({ rules }) => rules)
      .filter(({ resources = [] }) => resources.includes('leases'))
      .map((rule) => [...rule.verbs, ...(rule.resourceNames ?? [])].join(' '));
  expect([verbsOf(false), verbsOf(true)]).toEqual([
    ['create', 'get update kube-bind'],
    ['create', 'get update kube-bind', 'get list watch update delete'],
  ]);
});
