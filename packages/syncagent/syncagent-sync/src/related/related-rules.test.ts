import type { UnstructuredObject } from '@hawser/client';
import { sprigFunctions } from '@hawser/gotemplate';
import type { RelatedObject, RelatedResource } from '@hawser/syncagent-api';
import { describe, expect, it } from '@jest/globals';
import { compileRelated, type PrimaryPair, type RelatedRule } from './index.js';
import { RelatedError } from './related-error.js';
import { TestCluster } from './testing/cluster.js';

const functions = sprigFunctions({ clock: { now: () => 0 }, random: (size) => new Uint8Array(size) });

const primary = (
  kcp: object,
  service: object,
  namespacesOn: { kcp?: string; service?: string } = { kcp: 'default', service: 'synced-default' },
): PrimaryPair => ({
  kcp: {
    apiVersion: 'kcp.example.com/v1',
    kind: 'CronTab',
    metadata: { name: 'my-crontab', ...(namespacesOn.kcp === undefined ? {} : { namespace: namespacesOn.kcp }) },
    spec: kcp,
  },
  service: {
    apiVersion: 'example.com/v1',
    kind: 'CronTab',
    metadata: { name: 'abc', ...(namespacesOn.service === undefined ? {} : { namespace: namespacesOn.service }) },
    spec: service,
  },
  cluster: '1234567890abcdef',
  path: 'root:org:team',
});

const entry = (object: RelatedObject, more: Partial<RelatedResource> = {}): RelatedResource => ({
  identifier: 'credentials',
  origin: 'service',
  kind: 'Secret',
  object,
  ...more,
});

function rule(object: RelatedObject, more: Partial<RelatedResource> = {}): RelatedRule {
  const compilation = compileRelated([entry(object, more)], { functions });
  if (compilation.kind === 'refused') throw new Error(JSON.stringify(compilation.findings));
  return compilation.value[0]!;
}

async function found(compiled: RelatedRule, of: PrimaryPair, cluster: TestCluster): Promise<readonly string[]> {
  const pairs = await compiled.resolve(of, cluster);
  return pairs.map(
    ({ origin, destination }) =>
      `${origin.namespace ?? ''}/${origin.name} -> ${destination.namespace ?? ''}/${destination.name}`,
  );
}

async function failure(run: Promise<unknown>): Promise<RelatedError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof RelatedError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('one object', () => {
  // spec/api-syncagent.md §18.9
  const both = primary({ username: 'original-value', kink: 'taxreturns' }, { username: 'mutated-value', kink: '' });
  const cluster = () => new TestCluster({ namespace: 'dummy-namespace', name: 'mutated-value' });
  const namespace = { template: { template: 'dummy-namespace' } };
  const hit = ['dummy-namespace/mutated-value -> dummy-namespace/original-value'];

  it.each<[string, RelatedObject, readonly string[]]>([
    ['by reference', { reference: { path: 'spec.username' }, namespace }, hit],
    ['by template', { template: { template: '{{ .Object.spec.username }}' }, namespace }, hit],
    [
      'by reference, in a namespace that is not there',
      { reference: { path: 'spec.username' }, namespace: { template: { template: 'nonexisting-namespace' } } },
      [],
    ],
    [
      'by template, in a namespace that is not there',
      {
        template: { template: '{{ .Object.spec.username }}' },
        namespace: { template: { template: 'nonexisting-namespace' } },
      },
      [],
    ],
    ['by a reference that is empty on one side', { reference: { path: 'spec.kink' }, namespace }, []],
    ['by a template that is empty on one side', { template: { template: '{{ .Object.spec.kink }}' }, namespace }, []],
    ['by a reference to nothing', { reference: { path: 'spec.nope' }, namespace }, []],
    ['by a template of nothing', { template: { template: '{{ .Object.spec.nope }}' }, namespace }, []],
  ])('%s', async (_name, object, expected) => {
    expect(await found(rule(object), both, cluster())).toEqual(expected);
  });
});

describe('which namespaces', () => {
  const named = { template: { template: 'my-credentials' } };

  it('those of the primary, where the entry does not say', async () => {
    const of = primary({}, {});
    expect(
      await found(rule(named), of, new TestCluster({ namespace: 'synced-default', name: 'my-credentials' })),
    ).toEqual(['synced-default/my-credentials -> default/my-credentials']);
    expect(
      await found(
        rule(named, { origin: 'kcp' }),
        of,
        new TestCluster({ namespace: 'default', name: 'my-credentials' }),
      ),
    ).toEqual(['default/my-credentials -> synced-default/my-credentials']);
  });

  it.each([{ kcp: 'default' }, { service: 'synced' }, {}])(
    'a primary without one needs to be told: %j',
    async (namespacesOn) => {
      const error = await failure(rule(named).resolve(primary({}, {}, namespacesOn), new TestCluster()));
      expect(error).toMatchObject({
        code: 'NoNamespace',
        identifier: 'credentials',
        field: 'spec.related[0].object.namespace',
        retryable: false,
      });
    },
  );

  it('by a template that knows the side, the workspace and the object', async () => {
    const namespace = {
      template: {
        template:
          '{{ if eq .Side "kcp" }}extra{{ else }}svc-{{ .ClusterName | trunc 4 }}-{{ .ClusterPath | replace ":" "-" }}{{ end }}',
      },
    };
    expect(
      await found(
        rule({ ...named, namespace }),
        primary({}, {}),
        new TestCluster({ namespace: 'svc-1234-root-org-team', name: 'my-credentials' }),
      ),
    ).toEqual(['svc-1234-root-org-team/my-credentials -> extra/my-credentials']);
  });

  it('by a selector, each renamed', async () => {
    const cluster = new TestCluster(
      { resource: 'namespaces', name: 'b', labels: { team: 'x' } },
      { resource: 'namespaces', name: 'a', labels: { team: 'x' } },
      { resource: 'namespaces', name: 'c', labels: { team: 'y' } },
      ...['a', 'b', 'c'].map((namespace) => ({ namespace, name: 'my-credentials' })),
    );
    const namespace = {
      selector: {
        matchLabels: { team: 'x' },
        rewrite: { template: { template: 'kcp-{{ .Value }}{{ if .RelatedObject }}!{{ end }}' } },
      },
    };
    expect(await found(rule({ ...named, namespace }), primary({}, {}), cluster)).toEqual([
      'a/my-credentials -> kcp-a/my-credentials',
      'b/my-credentials -> kcp-b/my-credentials',
    ]);
  });

  it('by a reference: pairs by position, the last of two equal ones counts', async () => {
    const of = primary({ ns: ['k1', '', 'k3', 'k4'] }, { ns: ['s1', 's2', 's1', 's4'] });
    const cluster = new TestCluster(...['s1', 's2', 's4'].map((namespace) => ({ namespace, name: 'my-credentials' })));
    expect(await found(rule({ ...named, namespace: { reference: { path: 'spec.ns' } } }), of, cluster)).toEqual([
      's1/my-credentials -> k3/my-credentials',
      's4/my-credentials -> k4/my-credentials',
    ]);
  });

  it('one that cannot be is an error, before anything is read', async () => {
    const cluster = new TestCluster();
    const error = await failure(
      rule({
        ...named,
        namespace: { template: { template: '{{ if eq .Side "kcp" }}Not_Legal{{ else }}fine{{ end }}' } },
      }).resolve(primary({}, {}), cluster),
    );
    expect(error).toMatchObject({ code: 'IllegalName', field: 'spec.related[0].object.namespace.template' });
    expect(cluster.asked).toEqual([]);
  });
});

describe('references', () => {
  const cluster = new TestCluster(
    ...['a', 'b', 'c', '7', 'true', 'x-1'].map((name) => ({ namespace: 'synced-default', name })),
  );
  const items = (...names: readonly string[]) => ({ items: names.map((name) => ({ name })) });

  it('several values go together by position', async () => {
    const byItems = rule({ reference: { path: 'spec.items.#.name' } });
    expect(await found(byItems, primary(items('z', 'y', 'x'), items('c', 'b', 'a')), cluster)).toEqual([
      'synced-default/a -> default/x',
      'synced-default/b -> default/y',
      'synced-default/c -> default/z',
    ]);
  });

  it('pairs with an empty value are left out, on either side', async () => {
    const byItems = rule({ reference: { path: 'spec.items.#.name' } });
    expect(await found(byItems, primary(items('x', '', 'z'), items('a', 'b', 'c')), cluster)).toEqual([
      'synced-default/a -> default/x',
      'synced-default/c -> default/z',
    ]);
    expect(await found(byItems, primary(items('x', 'y', 'z'), items('a', ' ', 'c')), cluster)).toEqual([
      'synced-default/a -> default/x',
      'synced-default/c -> default/z',
    ]);
  });

  it('different numbers of values are an error', async () => {
    const error = await failure(
      rule({ reference: { path: 'spec.items.#.name' } }).resolve(primary(items('x'), items('a', 'b')), cluster),
    );
    expect(error).toMatchObject({
      code: 'CountMismatch',
      field: 'spec.related[0].object.reference',
      identifier: 'credentials',
    });
    expect(error.message).toBe(
      'related resource "credentials": spec.related[0].object.reference: spec.items.#.name has 2 values in the object on the service cluster, and 1 on the side of kcp',
    );
  });

  it('values are texts, trimmed, and rewritten by a pattern', async () => {
    expect(await found(rule({ reference: { path: 'spec.v' } }), primary({ v: 7 }, { v: 7 }), cluster)).toEqual([
      'synced-default/7 -> default/7',
    ]);
    expect(await found(rule({ reference: { path: 'spec.v' } }), primary({ v: true }, { v: true }), cluster)).toEqual([
      'synced-default/true -> default/true',
    ]);
    expect(await found(rule({ reference: { path: 'spec.v' } }), primary({ v: null }, { v: null }), cluster)).toEqual(
      [],
    );
    const regex = { pattern: '^.*/([a-z]+)$', replacement: '$1-1' };
    expect(
      await found(rule({ reference: { path: 'spec.v', regex } }), primary({ v: ' ref/x ' }, { v: 'ref/x' }), cluster),
    ).toEqual(['synced-default/x-1 -> default/x-1']);
    expect(
      await found(
        rule({ reference: { path: 'spec.v', regex: { replacement: 'a' } } }),
        primary({ v: 'q' }, { v: 'r' }),
        cluster,
      ),
    ).toEqual(['synced-default/a -> default/a']);
  });

  it.each(['../secrets', 'a/b', '.', '..', 'a%2fb'])(
    '%j is not a name on the side of the originals: nothing is read',
    async (name) => {
      const asked = new TestCluster({ namespace: 'synced-default', name });
      expect(await found(rule({ reference: { path: 'spec.v' } }), primary({ v: 'x' }, { v: name }), asked)).toEqual([]);
      expect(asked.asked).toEqual([]);
    },
  );

  it('a copy whose name cannot be is an error', async () => {
    const error = await failure(
      rule({ reference: { path: 'spec.v' } }).resolve(primary({ v: 'a/b' }, { v: 'a' }), cluster),
    );
    expect(error).toMatchObject({ code: 'IllegalName', field: 'spec.related[0].object.reference' });
  });
});

describe('selectors', () => {
  const rewrite = { regex: { pattern: '^', replacement: 'copy-' } };
  const cluster = () =>
    new TestCluster(
      { namespace: 'synced-default', name: 'two', labels: { find: 'me', tenant: 'b' }, fields: { data: { k: 'v' } } },
      { namespace: 'synced-default', name: 'one', labels: { find: 'me', tenant: 'a' } },
      { namespace: 'synced-default', name: 'three', labels: { tenant: 'a', size: '16' } },
      { namespace: 'elsewhere', name: 'four', labels: { find: 'me' } },
    );

  it('find objects of the namespace, and rename each', async () => {
    expect(
      await found(rule({ selector: { matchLabels: { find: 'me' }, rewrite } }), primary({}, {}), cluster()),
    ).toEqual(['synced-default/one -> default/copy-one', 'synced-default/two -> default/copy-two']);
  });

  it('read each object once, in one request', async () => {
    const asked = cluster();
    await rule({ selector: { matchLabels: { find: 'me' }, rewrite } }).resolve(primary({}, {}), asked);
    expect(asked.asked).toEqual(['list secrets synced-default find=me']);
  });

  it('rename by what is found', async () => {
    const template = {
      template:
        '{{ .Value }}-{{ .RelatedObject.metadata.labels.tenant }}-{{ .LocalObject.metadata.name }}-{{ .RemoteObject.metadata.name }}-{{ .ClusterName }}',
    };
    expect(
      await found(
        rule({
          selector: {
            matchLabels: { find: 'me' },
            matchExpressions: [{ key: 'tenant', operator: 'In', values: ['a', 'c'] }],
            rewrite: { template },
          },
        }),
        primary({}, {}),
        cluster(),
      ),
    ).toEqual(['synced-default/one -> default/one-a-abc-my-crontab-1234567890abcdef']);
  });

  it('render keys and values with the objects of both sides, trimmed', async () => {
    const matchLabels = {
      '{{ .RemoteObject.spec.key }} ': ' {{ .ClusterName | len }} ',
      '{{ .LocalObject.spec.nope | default "" }}': 'dropped',
    };
    expect(await found(rule({ selector: { matchLabels, rewrite } }), primary({ key: 'size' }, {}), cluster())).toEqual([
      'synced-default/three -> default/copy-three',
    ]);
  });

  it('are rendered for each primary object: no object gets the labels of another (RE-3)', async () => {
    const spec = { selector: { matchLabels: { tenant: '{{ .RemoteObject.spec.tenant }}' }, rewrite } };
    const before = structuredClone(spec);
    const byTenant = rule(spec);
    const tenant = (name: string) => found(byTenant, primary({ tenant: name }, {}), cluster());
    expect(await Promise.all([tenant('a'), tenant('b'), tenant('a')])).toEqual([
      ['synced-default/one -> default/copy-one', 'synced-default/three -> default/copy-three'],
      ['synced-default/two -> default/copy-two'],
      ['synced-default/one -> default/copy-one', 'synced-default/three -> default/copy-three'],
    ]);
    expect(spec).toEqual(before);
  });

  it('select nothing, rather than everything, when no label is left of them', async () => {
    const asked = cluster();
    expect(
      await found(
        rule({ selector: { matchLabels: { '{{ .RemoteObject.spec.nope | default "" }}': 'x' }, rewrite } }),
        primary({}, {}),
        asked,
      ),
    ).toEqual([]);
    expect(asked.asked).toEqual([]);
    expect(await found(rule({ selector: { rewrite } }), primary({}, {}), asked)).toHaveLength(3);
  });

  it.each(['x,find=me', 'x)', '<no value>', 'a b', '!'])(
    'a label that comes out as %j is an error, and never a selector',
    async (value) => {
      const asked = cluster();
      const error = await failure(
        rule({ selector: { matchLabels: { tenant: '{{ .RemoteObject.spec.tenant }}' }, rewrite } }).resolve(
          primary({ tenant: value }, {}),
          asked,
        ),
      );
      expect(error).toMatchObject({
        code: 'IllegalSelector',
        field: 'spec.related[0].object.selector.matchLabels[tenant]',
      });
      expect(error.message).not.toContain(value);
      expect(asked.asked).toEqual([]);
    },
  );

  it('names that come out empty are errors', async () => {
    const error = await failure(
      rule({
        selector: { matchLabels: { find: 'me' }, rewrite: { regex: { pattern: '.*', replacement: '' } } },
      }).resolve(primary({}, {}), cluster()),
    );
    expect(error).toMatchObject({ code: 'IllegalName', field: 'spec.related[0].object.selector' });
  });
});

describe('what is resolved', () => {
  it('has the original whole, and the resources of both sides', async () => {
    const cluster = new TestCluster({
      resource: 'widgets',
      namespace: 'synced-default',
      name: 'w',
      fields: { spec: { a: 9223372036854775807n } },
    });
    const compiled = rule(
      { template: { template: 'w' } },
      {
        kind: undefined,
        group: 'example.com',
        version: 'v1',
        resource: 'widgets',
        projection: { group: 'kcp.example.com' },
        cleanup: true,
      },
    );
    expect(compiled).toMatchObject({
      identifier: 'credentials',
      origin: 'service',
      resources: {
        kcp: { group: 'kcp.example.com', version: 'v1', resource: 'widgets' },
        service: { group: 'example.com', version: 'v1', resource: 'widgets' },
      },
      cleanup: true,
      syncStatus: false,
      mutations: undefined,
    });
    const [pair] = await compiled.resolve(primary({}, {}), cluster);
    expect(pair?.origin.object).toEqual({
      apiVersion: 'v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'synced-default' },
      spec: { a: 9223372036854775807n },
    });
  });

  it('a cluster-scoped object is found once', async () => {
    const cluster = new TestCluster(
      { resource: 'namespaces', name: 'a' },
      { resource: 'namespaces', name: 'b' },
      { resource: 'widgets', name: 'w' },
    );
    const namespace = { selector: { rewrite: { regex: { pattern: '^', replacement: 'k-' } } } };
    const compiled = rule(
      { template: { template: 'w' }, namespace },
      { kind: undefined, version: 'v1', resource: 'widgets' },
    );
    expect(await found(compiled, primary({}, {}), cluster)).toEqual(['/w -> k-a/w']);
  });

  it('what cannot be read is not taken for missing (RE-21)', async () => {
    class Forbidden extends TestCluster {
      override get(): Promise<UnstructuredObject | undefined> {
        return Promise.reject(new Error('forbidden'));
      }
    }
    await expect(rule({ template: { template: 'w' } }).resolve(primary({}, {}), new Forbidden())).rejects.toThrow(
      'forbidden',
    );
  });

  it('templates that do not fit are errors without content', async () => {
    const error = await failure(
      rule({ template: { template: '{{ .Object.spec.token.deeper }}' } }).resolve(
        primary({ token: 'hunter2' }, { token: 'hunter2' }),
        new TestCluster(),
      ),
    );
    expect(error).toMatchObject({ code: 'TemplateFailed', field: 'spec.related[0].object.template.template' });
    expect(error.message).not.toContain('hunter2');
  });

  it('__proto__ is a key, and a name', async () => {
    const of = primary(
      JSON.parse('{"__proto__":{"name":"__proto__"}}') as object,
      JSON.parse('{"__proto__":{"name":"a"}}') as object,
    );
    expect(
      await found(
        rule({ reference: { path: 'spec.__proto__.name' } }),
        of,
        new TestCluster({ namespace: 'synced-default', name: 'a' }),
      ),
    ).toEqual(['synced-default/a -> default/__proto__']);
  });
});

describe('what is wrong with the entries', () => {
  it('is listed all at once, with the path of each field', () => {
    const compilation = compileRelated(
      [
        entry({}),
        entry({ reference: { path: '', regex: { pattern: '(' } }, namespace: {} }),
        entry({ reference: { path: 'spec.a', regex: { pattern: '(' } }, template: { template: 'b' } }),
        entry({
          selector: {
            matchLabels: { 'a b': 'c', '{{ nope }}': 'd', e: '{{' },
            matchExpressions: [
              { key: 'k', operator: 'Is' },
              { key: 'k', operator: 'In' },
              { key: '', operator: 'Exists' },
            ],
            rewrite: {},
          },
        }),
        entry({ template: { template: '{{ uuidv4 }}' }, namespace: { template: { template: '{{ end }}' } } }),
        entry({ template: { template: 'x' } }, { mutation: { spec: [{}], status: [{ delete: { path: 'a' } }] } }),
      ],
      { functions },
    );
    expect(compilation.kind).toBe('refused');
    if (compilation.kind !== 'refused') return;
    expect(compilation.findings.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      'error spec.related[0].object',
      'error spec.related[1].object.reference.path',
      'error spec.related[1].object.namespace',
      'warning spec.related[2].object',
      'error spec.related[2].object.reference.regex.pattern',
      'error spec.related[3].object.selector.matchExpressions[0].operator',
      'error spec.related[3].object.selector.matchExpressions[1].values',
      'error spec.related[3].object.selector.matchExpressions[2].key',
      'error spec.related[3].object.selector.matchLabels[a b]',
      'error spec.related[3].object.selector.matchLabels[{{ nope }}]',
      'error spec.related[3].object.selector.matchLabels[e]',
      'error spec.related[3].object.selector.rewrite',
      'error spec.related[4].object.template.template',
      'error spec.related[4].object.namespace.template.template',
      'error spec.related[5].mutation.spec[0]',
      'warning spec.related[5].mutation.status',
    ]);
  });

  it('one that does not say by what it is watched is refused', () => {
    expect(compileRelated([{ ...entry({ template: { template: 'x' } }), watch: {} }], { functions })).toEqual({
      kind: 'refused',
      findings: [{ severity: 'error', path: 'spec.related[0].watch', message: 'needs one of byOwner, bySelector' }],
    });
  });

  it('one that has several mechanisms works by the first, with a warning', async () => {
    const compilation = compileRelated([entry({ reference: { path: 'spec.v' }, template: { template: 'b' } })], {
      functions,
    });
    expect(compilation).toMatchObject({
      kind: 'compiled',
      warnings: [
        { severity: 'warning', path: 'spec.related[0].object', message: 'only reference counts, not template' },
      ],
    });
    if (compilation.kind !== 'compiled') return;
    expect(
      await found(
        compilation.value[0]!,
        primary({ v: 'a' }, { v: 'a' }),
        new TestCluster({ namespace: 'synced-default', name: 'a' }),
      ),
    ).toEqual(['synced-default/a -> default/a']);
  });

  it('no entries are no rules', () => {
    expect(compileRelated(undefined, { functions })).toEqual({ kind: 'compiled', value: [], warnings: [] });
  });
});
