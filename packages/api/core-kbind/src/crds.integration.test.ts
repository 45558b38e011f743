import { type Client, createClient, isApiError, type KubeObject, keyOf, type Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { describeWithControlPlane, sharedControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiVersion, crds, installCRDs, type Kind, resources, validate, validateUpdate } from './index.js';

type Fields = Readonly<Record<string, unknown>>;

interface Sample {
  readonly kind: Kind;
  readonly resource: Resource;
  readonly namespaced: boolean;
  readonly spec: Fields;
  readonly status: Fields;
}

const conditions = [
  {
    type: 'Ready',
    status: 'False',
    reason: 'APINotExported',
    message: 'no',
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  },
];
const bindingSpec = {
  connectionRef: { name: 'demo' },
  apis: [{ name: 'widgets.example.org' }],
  conflictPolicy: 'Adopt',
  relatedResources: [
    {
      group: '',
      resource: 'secrets',
      direction: 'FromProvider',
      selector: {
        labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] },
        names: ['one', 'two'],
      },
    },
  ],
};
const bindingStatus = {
  boundAPIs: [{ name: 'widgets.example.org', crdHash: 'sha256:0', conflictCount: 1 }],
  conditions,
};

const samples: readonly Sample[] = [
  {
    kind: 'Connection',
    resource: resources.connections,
    namespaced: false,
    spec: {
      kubeconfigSecretRef: { namespace: 'kbind', name: 'demo', key: 'kubeconfig' },
      schema: { source: 'CRD', pullPolicy: 'All', updatePolicy: 'Once' },
      autoBind: true,
    },
    status: {
      remoteClusterUID: 'r',
      localClusterUID: 'l',
      activeSchemaSource: 'CRD',
      exportedAPIs: [
        {
          name: 'widgets.example.org',
          group: 'example.org',
          resource: 'widgets',
          scope: 'Namespaced',
          versions: ['v1', 'v2'],
        },
      ],
      conditions,
    },
  },
  {
    kind: 'ClusterBinding',
    resource: resources.clusterBindings,
    namespaced: false,
    spec: bindingSpec,
    status: bindingStatus,
  },
  { kind: 'Binding', resource: resources.bindings, namespaced: true, spec: bindingSpec, status: bindingStatus },
];

const strangers: readonly unknown[] = [null, 7, '', 'Odd', true, [], {}];

/** Every way to spoil `value`: each part of it left out, or replaced by each stranger; each list doubled. */
function* spoilt(value: unknown): Generator {
  yield* strangers;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const bad of spoilt(item)) yield value.with(index, bad);
    yield [...(value as unknown[]), ...(value as unknown[])];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
      for (const bad of spoilt(field)) yield { ...value, [name]: bad };
    }
  }
}

describeWithControlPlane('the CRDs of core.kbind.io on an API server', () => {
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    client = createClient({ name: 'consumer', connection: (await sharedControlPlane('consumer')).connection });
    await installCRDs(client, { clock: systemClock });
    namespace = uniqueNamespace('core-kbind');
    await client.create(
      { group: '', version: 'v1', resource: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    );
  });
  afterAll(() => client.close());

  const objectOf = ({ kind, namespaced, spec }: Sample, changed: unknown = spec): KubeObject =>
    ({
      apiVersion,
      kind,
      metadata: { name: namespace, ...(namespaced ? { namespace } : {}) },
      spec: changed,
    }) as KubeObject;

  /** What the server says to a request; undefined for yes. */
  async function refusal(request: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await request();
      return undefined;
    } catch (error) {
      if (isApiError(error, 'Invalid')) return error.message;
      throw error;
    }
  }

  async function disagreements(
    values: Iterable<unknown>,
    server: (value: unknown) => Promise<unknown>,
    ours: (value: unknown) => readonly { readonly path: string; readonly message: string }[] | undefined,
  ): Promise<{ readonly count: number; readonly found: readonly unknown[] }> {
    const iterator = values[Symbol.iterator]();
    const found: unknown[] = [];
    let count = 0;
    const worker = async (): Promise<void> => {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        const problems = ours(next.value);
        if (problems === undefined) continue;
        count++;
        const { value } = next;
        const answer = await refusal(() => server(value));
        // The server lets an empty list pass where a time is meant.
        const isQuirk = problems.some(({ path, message }) => path.endsWith('Time') && message.endsWith('is array'));
        if ((answer !== undefined) !== problems.length > 0 && !isQuirk)
          found.push({ value: JSON.stringify(value), answer, problems });
      }
    };
    await Promise.all(Array.from({ length: 12 }, worker));
    return { count, found };
  }

  it('are taken as they are, and written once', async () => {
    const again = await installCRDs(client, { clock: systemClock });
    expect([...again]).toEqual(crds.map(({ metadata }) => [metadata.name, 'unchanged']));
  });

  it.each(samples.map((sample) => [sample.kind, sample] as const))(
    '%s: the server refuses a spoilt spec exactly where it is refused without one',
    async (kind, sample) => {
      expect(validate(kind, objectOf(sample))).toEqual([]);
      expect(await refusal(() => client.create(sample.resource, objectOf(sample), { dryRun: true }))).toBeUndefined();
      const { count, found } = await disagreements(
        spoilt(sample.spec),
        (spec) => client.create(sample.resource, objectOf(sample, spec), { dryRun: true }),
        (spec) => validate(kind, objectOf(sample, spec)),
      );
      expect(found).toEqual([]);
      expect(count).toBeGreaterThan(strangers.length);
    },
  );

  it.each(samples.map((sample) => [sample.kind, sample] as const))(
    '%s: so it does for a spoilt status, and for what may not change',
    async (kind, sample) => {
      await client.create(sample.resource, objectOf(sample));
      const live = await client.get<KubeObject>(sample.resource, keyOf(objectOf(sample)));
      const withStatus = (status: unknown): KubeObject => ({ ...live, status }) as KubeObject;
      const stored = await client.update(sample.resource, withStatus(sample.status), { subresource: 'status' });
      try {
        const status = await disagreements(
          spoilt(sample.status),
          (value) =>
            client.update(sample.resource, { ...stored, status: value } as KubeObject, {
              dryRun: true,
              subresource: 'status',
            }),
          (value) => validateUpdate(kind, stored, { ...stored, status: value }),
        );
        expect(status.found).toEqual([]);
        const spec = await disagreements(
          spoilt(sample.spec),
          (value) => client.update(sample.resource, { ...stored, spec: value } as KubeObject, { dryRun: true }),
          (value) =>
            validate(kind, { ...stored, spec: value }).length > 0
              ? undefined
              : validateUpdate(kind, stored, { ...stored, spec: value }),
        );
        expect(spec.found).toEqual([]);
        expect(spec.count).toBeGreaterThan(0);
      } finally {
        await client.delete(sample.resource, keyOf(objectOf(sample)));
      }
    },
  );

  it('fill in what the contract defaults', async () => {
    const made = await client.create(
      resources.connections,
      {
        apiVersion,
        kind: 'Connection',
        metadata: { name: `${namespace}-defaults` },
        spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo' } },
      } as KubeObject,
      { dryRun: true },
    );
    expect(made).toMatchObject({
      spec: {
        kubeconfigSecretRef: { key: 'kubeconfig' },
        schema: { source: 'Auto', pullPolicy: 'Bound', updatePolicy: 'Always' },
        autoBind: false,
      },
    });
    const bound = await client.create(
      resources.bindings,
      {
        apiVersion,
        kind: 'Binding',
        metadata: { name: 'defaults', namespace },
        spec: {
          connectionRef: { name: 'demo' },
          apis: [{ name: 'widgets.example.org' }],
          relatedResources: [{ resource: 'secrets', direction: 'FromProvider' }],
        },
      } as KubeObject,
      { dryRun: true },
    );
    expect(bound).toMatchObject({ spec: { conflictPolicy: 'Fail', relatedResources: [{ group: '' }] } });
  });

  it('let the identity of a provider be taken away, and then set anew', async () => {
    const [sample] = samples;
    if (sample === undefined) return;
    const name = `${namespace}-pin`;
    const created = await client.create(resources.connections, {
      ...objectOf(sample),
      metadata: { name },
    });
    const write = (object: KubeObject, status: Fields): Promise<KubeObject> =>
      client.update(resources.connections, { ...object, status } as KubeObject, { subresource: 'status' });
    const pinned = await write(created, { remoteClusterUID: 'one' });
    await expect(write(pinned, { remoteClusterUID: 'two' })).rejects.toMatchObject({ code: 'Invalid' });
    const free = await write(pinned, {});
    expect(await write(free, { remoteClusterUID: 'two' })).toMatchObject({ status: { remoteClusterUID: 'two' } });
    await client.delete(resources.connections, { name });
  });
});
