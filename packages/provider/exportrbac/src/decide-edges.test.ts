import { kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { ObservedConsumer, Settings } from './observed.js';
import {
  binding,
  consumer,
  databases,
  exportOf,
  observed,
  requestOf,
  schemaOf,
  schemas,
  serviceNamespace,
  zones,
} from './testing/objects.js';

const strict: Settings = { dialect: kubeBindDialect, clusterReads: 'refused' };
const shared: Settings = { dialect: kubeBindDialect, clusterReads: 'shared' };
const at = Date.parse('2026-05-01T00:00:00Z');
const going = { deletionTimestamp: '2026-04-01T00:00:00Z' };
const team = `${consumer}-team-a`;
const own = binding(
  `kube-binder:${consumer}:objects:databases.example.com`,
  'kube-binder:objects:databases.example.com',
  team,
);
const served = (fields: Partial<ObservedConsumer> = {}): ObservedConsumer =>
  observed({
    exports: [exportOf(databases)],
    boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
    serviceNamespaces: [serviceNamespace('team-a')],
    ...fields,
  });

describe('a cluster namespace that is gone', () => {
  it('gets nothing, and nothing is taken: the garbage collector does that', () => {
    expect(decide(strict, served({ namespace: undefined, bindings: [own] }), at)).toEqual({
      actions: [],
      verdict: { kind: 'absent' },
    });
  });
});

describe('what is on its way out is not written to', () => {
  const refused = {
    conditions: [
      {
        type: 'RightsGranted',
        status: 'False',
        severity: 'Warning',
        reason: 'ConsumerRoleMissing',
        message: 'x',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  } as const;

  it('an export keeps its outdated condition', () => {
    const types = (metadata: object): readonly string[] =>
      decide(
        strict,
        served({ exports: [exportOf(databases, { metadata, status: refused })], bindings: [own] }),
        at,
      ).actions.map(({ type }) => type);
    expect([types({}), types(going)]).toEqual([['writeCondition'], ['withdraw']]);
  });

  it('a request, too', () => {
    const request = requestOf([databases]);
    const types = (metadata: object): readonly string[] =>
      decide(
        strict,
        served({ requests: [{ ...request, metadata: { ...request.metadata, ...metadata } }], roles: new Map() }),
        at,
      ).actions.map(({ type }) => type);
    expect([types({}), types(going)]).toEqual([['writeCondition', 'writeRequest'], ['writeCondition']]);
  });

  it('a BoundSchema is not narrowed', () => {
    const wide = schemaOf(databases, 'Namespaced', 'Cluster');
    const types = (metadata: object): readonly string[] =>
      decide(
        strict,
        served({ boundSchemas: schemas({ ...wide, metadata: { ...wide.metadata, ...metadata } }), bindings: [own] }),
        at,
      ).actions.map(({ type }) => type);
    expect([types({}), types(going)]).toEqual([['narrow'], []]);
  });
});

describe('the binding that grants a right', () => {
  const granted = (settings: Settings, state: ObservedConsumer): readonly (readonly [string, string | undefined])[] =>
    decide(settings, state, at).actions.flatMap((action) =>
      action.type === 'grant' ? [[action.binding.kind, action.binding.metadata.namespace] as const] : [],
    );

  it('is a RoleBinding in a namespace', () => {
    expect(granted(strict, served())).toEqual([['RoleBinding', team]]);
  });

  it('is a ClusterRoleBinding where the whole cluster is meant', () => {
    expect(
      granted(shared, observed({ exports: [exportOf(zones)], boundSchemas: schemas(schemaOf(zones, 'Cluster')) })),
    ).toEqual([['ClusterRoleBinding', undefined]]);
  });
});

describe('the verdict', () => {
  it.each<[string, ObservedConsumer, object]>([
    ['granted', served({ bindings: [own] }), { kind: 'granted' }],
    [
      'refused, and unfinished, while the provider lacks a role',
      served({ roles: new Map() }),
      { kind: 'refused', unfinished: true },
    ],
    [
      'refused for good, where the operator does not agree',
      observed({ exports: [exportOf(zones)], boundSchemas: schemas(schemaOf(zones, 'Cluster')) }),
      { kind: 'refused', unfinished: false },
    ],
    [
      'refused, where one of two exports is',
      served({
        exports: [exportOf(databases), exportOf(zones)],
        boundSchemas: schemas(schemaOf(databases, 'Namespaced'), schemaOf(zones, 'Cluster')),
        bindings: [own],
      }),
      { kind: 'refused', unfinished: false },
    ],
  ])('is %s', (_, state, verdict) => {
    expect(decide(strict, state, at).verdict).toEqual(verdict);
  });
});
