import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '@hawser/clock';
import { type Client, createClient, isApiError, type KubeObject, keyOf, type Resource } from '@hawser/client';
import {
  describeWithControlPlane,
  type SharedControlPlane,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { apiGroup } from '../group.js';
import { allKinds, type Kind } from '../kinds/all-kinds.js';
import type { APIServiceExport } from '../kinds/api-service-export.js';
import type { APIServiceExportRequest } from '../kinds/api-service-export-request.js';
import type { BindableResourcesRequest } from '../kinds/bindable-resources-request.js';
import type { BoundSchema } from '../kinds/bound-schema.js';
import type { KindVersion } from '../kinds/kind.js';
import { resources } from '../resources.js';
import type { Problem } from '@hawser/crd';
import { validate, validateUpdate } from '../validate.js';
import { crds } from './crds.js';
import { installCRDs } from './install.js';

type Fields = Record<string, unknown>;
interface Sample {
  readonly kind: Kind;
  readonly version: KindVersion['name'];
  readonly name?: string;
  readonly spec: Fields;
  readonly status?: Fields;
}

const ref = { name: 'secret', key: 'kubeconfig', namespace: 'kube-bind' };
const localRef = { name: 'secret', key: 'kubeconfig' };
const exported = [{ group: 'example.com', resource: 'widgets', versions: ['v1'] }];
const claims = [
  {
    group: '',
    resource: 'secrets',
    selector: {
      labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] },
      namedResources: [{ name: 'n', namespace: 'x' }],
      references: [
        {
          group: 'example.com',
          resource: 'widgets',
          versions: ['v1'],
          jsonPath: { name: 'spec.secretRef.name', namespace: 'spec.ns' },
        },
      ],
    },
  },
];
const conditions = [
  {
    type: 'Ready',
    status: 'False',
    severity: 'Error',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'Because',
    message: 'of this',
  },
];
const names = {
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['w'],
  kind: 'Widget',
  listKind: 'WidgetList',
  categories: ['all'],
};
const version = {
  name: 'v1',
  served: true,
  storage: true,
  deprecated: true,
  deprecationWarning: 'old',
  schema: { openAPIV3Schema: { type: 'object' } },
  subresources: { status: {}, scale: { specReplicasPath: '.s', statusReplicasPath: '.t', labelSelectorPath: '.l' } },
  additionalPrinterColumns: [
    { name: 'A', type: 'string', format: 'byte', description: 'd', priority: 1, jsonPath: '.a' },
  ],
};

const samples: readonly Sample[] = [
  {
    kind: 'APIServiceBinding',
    version: 'v1alpha1',
    spec: { kubeconfigSecretRef: ref },
    status: { providerPrettyName: 'P', conditions },
  },
  {
    kind: 'APIServiceBinding',
    version: 'v1alpha2',
    spec: { kubeconfigSecretRef: ref },
    status: {
      providerPrettyName: 'P',
      conditions,
      boundSchemas: [{ group: 'example.com', resource: 'widgets' }],
      permissionClaims: claims,
    },
  },
  { kind: 'APIServiceBindingBundle', version: 'v1alpha2', spec: { kubeconfigSecretRef: ref }, status: { conditions } },
  {
    kind: 'APIServiceExport',
    version: 'v1alpha1',
    name: 'widgets.example.com',
    // No status: what is stored is v1alpha2 and has lost the names, so that v1alpha1 refuses every update, with the peers too.
    spec: {
      group: 'example.com',
      names,
      scope: 'Cluster',
      versions: [version],
      informerScope: 'Cluster',
      clusterScopedIsolation: 'Prefixed',
    },
  },
  {
    kind: 'APIServiceExport',
    version: 'v1alpha2',
    spec: {
      resources: exported,
      permissionClaims: claims,
      informerScope: 'Cluster',
      isolation: 'Prefixed',
      clusterScopedIsolation: 'None',
    },
    status: { conditions },
  },
  {
    kind: 'APIServiceExportRequest',
    version: 'v1alpha1',
    spec: { parameters: { any: { thing: 1 } }, resources: exported },
    status: { phase: 'Failed', terminalMessage: 'no', conditions },
  },
  {
    kind: 'APIServiceExportRequest',
    version: 'v1alpha2',
    spec: {
      parameters: { any: 1 },
      resources: exported,
      permissionClaims: claims,
      namespaces: [{ name: 'a' }],
      schemaUpdatePolicy: 'Always',
    },
    status: { phase: 'Succeeded', terminalMessage: 'no', conditions },
  },
  {
    kind: 'APIServiceExportTemplate',
    version: 'v1alpha2',
    spec: {
      description: 'd',
      scope: 'Namespaced',
      resources: exported,
      permissionClaims: claims,
      namespaces: [{ name: 'a' }],
      schemaUpdatePolicy: 'Never',
    },
    status: { conditions },
  },
  { kind: 'APIServiceNamespace', version: 'v1alpha1', spec: {}, status: { namespace: 'x' } },
  { kind: 'APIServiceNamespace', version: 'v1alpha2', spec: {}, status: { namespace: 'x' } },
  {
    kind: 'BindableResourcesRequest',
    version: 'v1alpha2',
    spec: {
      templateRef: { name: 't' },
      clusterIdentity: { identity: 'i', prettyName: 'p' },
      author: 'a',
      kubeconfigSecretRef: localRef,
      ttlAfterFinished: '1h',
    },
    status: {
      phase: 'Succeeded',
      namespace: 'x',
      kubeconfigSecretRef: localRef,
      completionTime: '2026-01-01T00:00:00Z',
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'SecretReady',
          message: '',
        },
      ],
    },
  },
  {
    kind: 'BoundSchema',
    version: 'v1alpha2',
    spec: {
      informerScope: 'Namespaced',
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [version],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { url: 'https://x.example.com/', caBundle: 'QQ==' },
          conversionReviewVersions: ['v1'],
        },
      },
    },
    status: { acceptedNames: names, storedVersions: ['v1'], conditions, instantiations: 1 },
  },
  { kind: 'Cluster', version: 'v1alpha2', spec: {}, status: { conditions } },
  {
    kind: 'ClusterBinding',
    version: 'v1alpha1',
    name: 'cluster',
    spec: { kubeconfigSecretRef: localRef, providerPrettyName: 'P', serviceProviderSpec: { a: 1 } },
    status: {
      lastHeartbeatTime: '2026-01-01T00:00:00Z',
      heartbeatInterval: '5m0s',
      konnectorVersion: 'v1',
      conditions,
    },
  },
  {
    kind: 'ClusterBinding',
    version: 'v1alpha2',
    name: 'cluster',
    spec: { kubeconfigSecretRef: localRef, providerPrettyName: 'P', serviceProviderSpec: { a: 1 } },
    status: {
      lastHeartbeatTime: '2026-01-01T00:00:00Z',
      heartbeatInterval: '5m0s',
      konnectorVersion: 'v1',
      conditions,
      consumerSecretRef: { name: 'n', namespace: 'x' },
    },
  },
  {
    kind: 'Collection',
    version: 'v1alpha2',
    spec: { description: 'd', templates: [{ name: 't' }] },
    status: { conditions },
  },
  {
    kind: 'APIConversion',
    version: 'v1alpha2',
    spec: {
      conversions: [
        { from: 'v1', to: 'v2', preserve: ['a'], rules: [{ field: 'a', destination: 'b', transformation: 'c' }] },
      ],
    },
  },
];

/** The values that stand in for a right one. */
const strangers: readonly unknown[] = [null, 7, '', 'Odd', true, [], {}];
/** Enough of them where the same types were tried before. */
const fewStrangers: readonly unknown[] = [null, 7, '', []];

function without(fields: Fields, name: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

/** Parts that many kinds share, made of the same schema: their insides are spoilt once only. */
const sharedParts = new Set<unknown>([conditions, claims, names]);
const sharedSeen = new Set<unknown>();

/** Every way to spoil `value`: each part of it left out, or replaced by each stranger. */
function* spoilt(value: unknown, stand: readonly unknown[] = strangers): Generator {
  yield* stand;
  if (sharedParts.delete(value)) sharedSeen.add(value);
  else if (sharedSeen.has(value)) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const bad of spoilt(item, stand)) yield value.with(index, bad);
    yield [...(value as unknown[]), ...(value as unknown[])];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      yield without(value as Fields, name);
      for (const bad of spoilt(field, stand)) yield { ...value, [name]: bad };
    }
  }
}

describeWithControlPlane('the CRDs on an API server', () => {
  let cluster: SharedControlPlane;
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    cluster = await sharedControlPlane('provider');
    client = createClient({ name: 'provider', connection: cluster.connection });
    await installCRDs(client, crds, { clock: systemClock });
    namespace = uniqueNamespace('kube-bind-crds');
    await client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });

  /** The server lets an empty list pass for a string with a format. We do not follow it there. */
  const isQuirk = (problems: readonly Problem[]): boolean =>
    problems.length > 0 &&
    problems.every(
      ({ path, message }) => message === 'must be of type string, is array' && /(Time|\.url|\.caBundle)$/u.test(path),
    );

  const cleanUp: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const undo of cleanUp.splice(0)) await undo();
  });

  afterAll(async () => {
    await client.close();
  });

  const resourceOf = (sample: Sample): Resource => ({
    group: apiGroup,
    version: sample.version,
    resource: allKinds[sample.kind].plural,
  });

  function objectOf(sample: Sample, spec: unknown = sample.spec): KubeObject & { readonly spec: unknown } {
    const scope: string = allKinds[sample.kind].scope;
    return {
      apiVersion: `${apiGroup}/${sample.version}`,
      kind: sample.kind,
      metadata: {
        name: sample.name ?? `${namespace}-${sample.version}`,
        ...(scope === 'Namespaced' ? { namespace } : {}),
      },
      spec,
    };
  }

  /** What the server says to a request that would change nothing: undefined for yes. */
  async function refusal(request: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await request();
      return undefined;
    } catch (error) {
      if (isApiError(error, 'Invalid')) return error.message;
      throw error;
    }
  }

  async function stored(sample: Sample): Promise<KubeObject> {
    const object = await client.create(resourceOf(sample), objectOf(sample));
    cleanUp.push(() => client.delete(resourceOf(sample), keyOf(object)));
    return object;
  }

  async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<number> {
    const iterator = items[Symbol.iterator]();
    let count = 0;
    const worker = async (): Promise<void> => {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        count++;
        await work(next.value);
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    return count;
  }

  it.each(samples.map((sample) => [sample.kind, sample.version, sample] as const))(
    '%s %s: a spoilt spec is refused by the server exactly where it is refused without one',
    async (kind, kindVersion, sample) => {
      expect(
        await refusal(() => client.create(resourceOf(sample), objectOf(sample), { dryRun: true })),
      ).toBeUndefined();
      expect(validate(kind, objectOf(sample), kindVersion)).toEqual([]);
      const disagreements: unknown[] = [];
      const count = await inParallel(spoilt(sample.spec), async (spec) => {
        const object = objectOf(sample, spec);
        const answer = await refusal(() => client.create(resourceOf(sample), object, { dryRun: true }));
        const problems = validate(kind, object, kindVersion);
        if ((answer !== undefined) !== problems.length > 0 && !isQuirk(problems))
          disagreements.push({ spec: JSON.stringify(spec), answer, problems });
      });
      expect(disagreements).toEqual([]);
      expect(count).toBeGreaterThanOrEqual(strangers.length);
    },
  );

  it.each(
    samples
      .filter(({ status }) => status !== undefined)
      .map((sample) => [sample.kind, sample.version, sample] as const),
  )('%s %s: a spoilt status likewise', async (kind, kindVersion, sample) => {
    const object = await stored(sample);
    const update = (status: unknown): Promise<string | undefined> =>
      refusal(() =>
        client.update(resourceOf(sample), { ...object, status } as KubeObject, { dryRun: true, subresource: 'status' }),
      );
    expect(await update(sample.status)).toBeUndefined();
    const disagreements: unknown[] = [];
    await inParallel(spoilt(sample.status, fewStrangers), async (status) => {
      const answer = await update(status);
      const problems = validate(kind, { ...object, status }, kindVersion);
      if ((answer !== undefined) !== problems.length > 0 && !isQuirk(problems))
        disagreements.push({ status: JSON.stringify(status), answer, problems });
    });
    expect(disagreements).toEqual([]);
  });

  it.each(samples.map((sample) => [sample.kind, sample.version, sample] as const))(
    '%s %s: what may not change is the same on the server and without one',
    async (kind, kindVersion, sample) => {
      const object = await stored(sample);
      const disagreements: unknown[] = [];
      await inParallel(spoilt(sample.spec, [null, '', 'Odd', 'Always']), async (spec) => {
        const changed = { ...object, spec } as KubeObject;
        // What would be refused in itself says nothing about the change.
        if (validate(kind, changed, kindVersion).length > 0) return;
        const answer = await refusal(() => client.update(resourceOf(sample), changed, { dryRun: true }));
        const problems = validateUpdate(kind, object, changed, kindVersion);
        if ((answer !== undefined) !== problems.length > 0 && !isQuirk(problems))
          disagreements.push({ spec: JSON.stringify(spec), answer, problems });
      });
      expect(disagreements).toEqual([]);
    },
  );

  it('the isolation of an export cannot be changed, claims can be added and withdrawn but not changed', async () => {
    const base = samples.find(({ kind, version: one }) => kind === 'APIServiceExport' && one === 'v1alpha2')!;
    const spec = without(base.spec, 'permissionClaims');
    let object = await stored({ ...base, name: 'claims', spec });
    const put = (change: Fields): Promise<string | undefined> =>
      refusal(async () => {
        object = await client.update(resourceOf(base), { ...object, spec: { ...spec, ...change } } as KubeObject);
      });
    expect(await put({ permissionClaims: claims })).toBeUndefined();
    expect(await put({ permissionClaims: [{ group: '', resource: 'configmaps', selector: {} }] })).toMatch(
      /cannot be changed/u,
    );
    expect(await put({})).toBeUndefined();
    expect(await put({ isolation: 'None' })).toMatch(/spec\.isolation.*cannot be changed/u);
  });

  it('what a request leaves out cannot be added later, and what it says cannot be taken away', async () => {
    const base = samples.find(({ kind, version: one }) => kind === 'APIServiceExportRequest' && one === 'v1alpha2')!;
    for (const [name, value] of Object.entries({
      permissionClaims: claims,
      namespaces: [{ name: 'a' }],
      parameters: { any: 1 },
    })) {
      const spec = without(base.spec, name);
      const put = async (before: Fields, after: Fields): Promise<string | undefined> => {
        const object = await stored({ ...base, name: `settled-${Math.random().toString(36).slice(2)}`, spec: before });
        return refusal(() => client.update(resourceOf(base), { ...object, spec: after } as KubeObject));
      };
      expect(await put(spec, { ...spec, [name]: value })).toMatch(/cannot be added or removed/u);
      expect(await put({ ...spec, [name]: value }, spec)).toMatch(/cannot be added or removed/u);
      expect(await put(spec, spec)).toBeUndefined();
    }
  });

  it('defaults are set by the server', async () => {
    const request = await client.create<APIServiceExportRequest>(
      resources.apiServiceExportRequests,
      {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceExportRequest',
        metadata: { name: 'defaults', namespace },
        spec: { resources: [{ resource: 'widgets' }] },
      } as KubeObject,
      { dryRun: true },
    );
    expect(request.spec).toEqual({ resources: [{ group: '', resource: 'widgets' }], schemaUpdatePolicy: 'Never' });
    expect(request.status).toEqual({ phase: 'Pending' });
    const bindable = await client.create<BindableResourcesRequest>(
      resources.bindableResourcesRequests,
      {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'BindableResourcesRequest',
        metadata: { name: 'defaults', namespace },
        spec: { author: 'a', clusterIdentity: {} },
      } as KubeObject,
      { dryRun: true },
    );
    expect(bindable.status).toEqual({ phase: 'Pending' });
    const schema = await client.create<BoundSchema>(
      resources.boundSchemas,
      {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'BoundSchema',
        metadata: { name: 'defaults', namespace },
        spec: {
          informerScope: 'Cluster',
          group: 'g',
          names: { plural: 'p', kind: 'K' },
          scope: 'Cluster',
          versions: [{ name: 'v1', storage: true, schema: {} }],
        },
      } as KubeObject,
      { dryRun: true },
    );
    expect(schema.spec?.versions[0]?.served).toBe(true);
  });

  it('unknown fields are dropped, those of schemas and parameters are kept', async () => {
    const sample = samples.find(({ kind, version: one }) => kind === 'APIServiceExport' && one === 'v1alpha2')!;
    const result = await client.create<APIServiceExport>(
      resourceOf(sample),
      objectOf(sample, { ...sample.spec, odd: 1 }),
      { dryRun: true },
    );
    expect(result.spec).not.toHaveProperty('odd');
    const bound = samples.find(({ kind }) => kind === 'BoundSchema')!;
    const schema = { type: 'object', odd: { er: [1, { deep: true }] } };
    const kept = await client.create<BoundSchema>(
      resourceOf(bound),
      objectOf(bound, { ...bound.spec, versions: [{ ...version, schema }] }),
      { dryRun: true },
    );
    expect(kept.spec?.versions[0]?.schema).toEqual(schema);
  });

  it.each<[Kind, readonly string[], readonly string[]]>([
    ['APIServiceBinding', ['NAME', 'PROVIDER', 'READY', 'INSYNC', 'MESSAGE', 'AGE'], ['RESOURCES']],
    ['APIServiceBindingBundle', ['NAME', 'PROVIDER', 'READY', 'MESSAGE', 'AGE'], ['RESOURCES']],
    ['APIServiceExport', ['NAME', 'AGE'], ['ESTABLISHED']],
    ['APIServiceExportRequest', ['NAME', 'READY', 'AGE'], []],
    ['APIServiceExportTemplate', ['NAME', 'RESOURCES', 'PERMISSIONCLAIMS', 'AGE'], []],
    ['APIServiceNamespace', ['NAME', 'NAMESPACE', 'AGE'], []],
    ['BindableResourcesRequest', ['NAME', 'TEMPLATE', 'PHASE', 'AGE'], []],
    ['BoundSchema', ['NAME', 'AGE'], []],
    ['Cluster', ['NAME', 'READY'], []],
    ['ClusterBinding', ['NAME', 'KONNECTOR VERSION', 'LAST HEARTBEAT', 'READY', 'AGE'], []],
    ['Collection', ['NAME', 'DESCRIPTION', 'TEMPLATES', 'AGE'], []],
  ])('kubectl get shows the columns of %s', async (kind, narrow, wide) => {
    const sample = samples.find((one) => one.kind === kind && one.version === 'v1alpha2')!;
    await stored(sample);
    const columns = async (...more: string[]): Promise<string[]> => {
      const text = await cluster.kubectl([
        'get',
        `${allKinds[kind].plural}.v1alpha2.${apiGroup}`,
        '-n',
        namespace,
        ...more,
      ]);
      return (text.split('\n')[0] ?? '').trim().split(/\s{2,}/u);
    };
    expect(await columns()).toEqual(narrow);
    expect([...(await columns('-o', 'wide'))].sort()).toEqual([...narrow, ...wide].sort());
  });

  it('short names and categories work', async () => {
    expect(await cluster.kubectl(['api-resources', '--api-group', apiGroup, '--no-headers'])).toMatch(
      /apiservicebindings\s+sb\s/u,
    );
    expect(
      await cluster.kubectl([
        'api-resources',
        '--api-group',
        apiGroup,
        '--no-headers',
        '--categories',
        'kube-bind',
        '-o',
        'name',
      ]),
    ).toBe('apiserviceexporttemplates.kube-bind.io\nclusters.kube-bind.io\ncollections.kube-bind.io\n');
  });
});
