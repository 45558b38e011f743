import { describe, expect, it } from '@jest/globals';
import { changesOf, worst } from '@hawser/preview';

import { isNamed } from './named.js';
import { planJson, planText, stepsOf } from './plan-text.js';
import type { PlannedWrite } from './preview-client.js';
import type { BindingReport, ObjectReport, ResourceReport } from './report.js';
import { treeDocument } from './tree-document.js';
import { treeText } from './tree-text.js';
import { bindingSubjects, notInStep, subjectsOf, whyAllText, whyText } from './why-text.js';

const resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const object = (
  spec: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, unknown>> = {},
): PlannedWrite['before'] => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name: 'orders', ...metadata },
  spec,
});
const write: PlannedWrite = {
  side: 'provider',
  verb: 'patch',
  resource,
  key: { namespace: 'service', name: 'orders' },
  before: object({ size: 'small', nodes: [1], old: true }, { resourceVersion: '1' }),
  after: object({ size: 'large', nodes: [1], tags: { 'a/b': 1n } }, { resourceVersion: '2' }),
};
const fine: ObjectReport = { kind: 'Database', object: 'team-a/fine', standing: 'inStep', writes: [] };
const held: ObjectReport = {
  kind: 'Database',
  object: 'team-a/orders',
  standing: 'held',
  copy: 'service/orders',
  finding: {
    reason: 'ForeignCopy',
    message: 'It is taken.',
    actor: 'consumer',
    remedy: 'rename it',
    since: '2026-01-01T00:00:00Z',
  },
  writes: [write],
};
const names = {
  kind: 'Database',
  plural: 'databases',
  singular: 'database',
  listKind: 'DatabaseList',
  shortNames: ['db'],
};
const bound: ResourceReport = {
  name: 'databases.example.com',
  names,
  namespaced: true,
  version: 'v1',
  isolation: 'ServiceNamespace',
  standing: 'held',
  objects: [fine, held],
};
const report: BindingReport = {
  kind: 'APIServiceBinding',
  name: 'shop',
  standing: 'held',
  findings: [],
  secret: 'kube-bind/kubeconfig',
  export: { name: 'shop', isolation: 'Prefixed' },
  resources: [bound],
  connection: {
    server: 'https://provider',
    clusterNamespace: 'kube-bind-x',
    lastHeartbeat: '2026-01-01T00:00:00Z',
    alive: true,
  },
  claims: [{ group: '', resource: 'secrets', standing: 'held', reason: 'ForbiddenOnConsumer' }],
  claimed: [],
  writes: [],
};

it('a binding is not called in step while its objects are held', () => {
  expect(bindingSubjects(report).map(({ name, standing }) => [name, standing])).toEqual([
    ['Database team-a/orders', 'held'],
  ]);
  expect(bindingSubjects({ ...report, resources: [{ ...bound, standing: 'inStep', objects: [fine] }] })).toEqual([
    { name: 'APIServiceBinding shop', binding: 'shop', standing: 'inStep' },
  ]);
});

describe('what a write changes', () => {
  it('is told value by value, without housekeeping', () => {
    expect(changesOf(write)).toEqual([
      { path: 'spec.size', before: 'small', after: 'large' },
      { path: 'spec.old', before: true, after: undefined },
      { path: 'spec.tags."a/b"', before: undefined, after: 1n },
    ]);
  });

  it('is not told of Secrets, nor of what is deleted', () => {
    expect(changesOf({ ...write, resource: { group: '', version: 'v1', resource: 'secrets' } })).toEqual([]);
    expect(changesOf({ ...write, verb: 'delete' })).toEqual([]);
  });

  it('of a Secret is not in the JSON either', () => {
    const secret: PlannedWrite = { ...write, resource: { group: '', version: 'v1', resource: 'secrets' } };
    expect(planJson([{ ...report, resources: [], writes: [secret] }])).not.toContain('large');
  });
});

describe('a plan', () => {
  it('lists writes, what is held, and counts', () => {
    expect(planText([report], { values: true })).toBe(
      [
        'patch databases.example.com service/orders on the provider',
        '  - spec.size: "small"',
        '  + spec.size: "large"',
        '  - spec.old: true',
        '  + spec.tags."a/b": 1',
        '',
        'Held:',
        '  Database team-a/orders: ForeignCopy: It is taken.',
        '',
        '0 to write on the consumer, 1 on the provider.',
      ].join('\n'),
    );
  });

  it('says what is held back, and does not count it', () => {
    const paused = {
      ...report,
      resources: [{ ...bound, objects: [{ ...held, writes: [{ ...write, withheld: true as const }] }] }],
    };
    expect(planText([paused], { values: false })).toMatch(
      /^held back: patch .*\n[^]*0 on the provider, 1 held back\.$/u,
    );
    expect(stepsOf([paused])).toMatchObject([{ binding: 'shop', withheld: true }]);
  });

  it('says that there is nothing to do', () => {
    expect(planText([], { values: false })).toBe('Nothing to write.');
  });
});

describe('why', () => {
  it('says what, since when, who and how', () => {
    expect(whyText(subjectsOf(report, bound, 'team-a/orders'))).toBe(
      [
        'Database team-a/orders is not in step.',
        '  bound by shop, copy service/orders on the provider',
        '  ForeignCopy: It is taken.',
        '  since 2026-01-01T00:00:00Z',
        '  who acts: the consumer (rename it)',
      ].join('\n'),
    );
    expect(whyText(subjectsOf(report, bound, 'team-a/fine'))).toContain('is in step.');
    expect(subjectsOf(report, bound, 'team-a/nowhere')).toMatchObject([
      { standing: 'unknown', finding: { reason: 'NoSuchObject' } },
    ]);
  });

  it('names first what holds the binding', () => {
    const broken = {
      ...report,
      findings: [{ reason: 'KubeconfigSecretNotFound', message: 'There is none.', actor: 'consumer' as const }],
    };
    expect(subjectsOf(broken, bound, 'team-a/fine')[0]).toMatchObject({
      standing: 'held',
      finding: { reason: 'KubeconfigSecretNotFound' },
    });
    expect(notInStep([broken]).map(({ name }) => name)).toEqual(['APIServiceBinding shop', 'Database team-a/orders']);
  });

  it('of everything is a table', () => {
    expect(whyAllText([report])).toMatch(
      /^WHAT +REASON +WHO ACTS +SINCE\nDatabase team-a\/orders +ForeignCopy +consumer +2026-01-01T00:00:00Z\n[^]*\n1 of 2 objects in step\.$/u,
    );
  });

  it.each(['Database', 'databases', 'database', 'DB', 'databases.example.com'])('knows the resource as %s', (word) => {
    expect(isNamed(bound, word)).toBe(true);
    expect(isNamed(bound, `${word}x`)).toBe(false);
  });
});

it('a tree has the health of each', () => {
  expect(treeText([report], Date.parse('2026-01-01T00:00:07Z'))).toBe(
    [
      'provider https://provider, cluster namespace kube-bind-x  [ok] last heartbeat 7 s ago',
      '└─ binding shop  [!]  Secret kube-bind/kubeconfig',
      '   └─ export shop, isolation Prefixed',
      '      ├─ resource databases.example.com v1, ServiceNamespace  [!]  1 in step, 1 held (ForeignCopy)',
      '      └─ claim secrets  [!]  ForbiddenOnConsumer',
    ].join('\n'),
  );
});

it('the worst of several is what somebody must see to', () => {
  expect(worst(['inStep', 'unknown', 'underWay', 'held'])).toBe('held');
  expect(worst(['inStep', 'underWay'])).toBe('underWay');
  expect(worst([])).toBe('inStep');
});

it('tells programs of a tree what it draws for people', () => {
  const object = { kind: 'Database', object: 'a/b', writes: [], standing: 'held' as const };
  const connection = { server: 'https://provider', clusterNamespace: 'kube-bind-x', alive: true };
  const report: BindingReport = {
    kind: 'APIServiceBinding',
    name: 'shop',
    standing: 'held',
    findings: [],
    connection,
    resources: [
      { name: 'databases.example.com', names: undefined, version: 'v1', standing: 'held', objects: [object, object] },
    ],
    claims: [{ group: '', resource: 'secrets', standing: 'inStep' }],
    claimed: [{ name: 'secrets', names: undefined, standing: 'inStep', objects: [{ ...object, standing: 'inStep' }] }],
    writes: [],
  };
  const none = { inStep: 0, underWay: 0, held: 0, unknown: 0 };
  expect(treeDocument([report, { ...report, name: 'other', connection: undefined }])).toMatchObject({
    connections: [
      {
        provider: connection,
        bindings: [
          {
            name: 'shop',
            resources: [{ name: 'databases.example.com', objects: { ...none, held: 2 } }],
            claims: [{ resource: 'secrets', objects: { ...none, inStep: 1 } }],
          },
        ],
      },
      { provider: undefined, bindings: [{ name: 'other' }] },
    ],
  });
});
