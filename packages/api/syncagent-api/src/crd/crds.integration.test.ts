import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, createClient, isApiError, type KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Problem } from '@hawser/crd';
import { type ControlPlane, describeWithControlPlane, startControlPlane } from '@hawser/testenv';
import { apiVersion } from '../group.js';
import type { PublishedResource } from '../kinds/published-resource.js';
import { resources } from '../resources.js';
import { validate } from '../validate.js';
import { publishedResourceCRD } from './crds.js';
import { installCRDs } from './install.js';
import { keptStatus, keptStatusFields } from './kept-status.js';
import type { CustomResourceDefinition } from '@hawser/crd';

type Fields = Readonly<Record<string, unknown>>;

const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] };
const mutation = {
  spec: [
    { delete: { path: 'a' } },
    { regex: { path: 'a', pattern: 'b', replacement: 'c' } },
    { template: { path: 'a', template: '' } },
    { cel: { path: 'a', expression: '1' } },
  ],
  status: [{ delete: { path: 'a' } }],
};
const related: Fields = {
  identifier: 'credentials',
  origin: 'service',
  group: 'cert-manager.io',
  version: 'v1',
  resource: 'certificates',
  identityHash: 'abc',
  cleanup: true,
  projection: { group: 'g', version: 'v', resource: 'r' },
  object: {
    reference: { path: 'spec.name', regex: { pattern: 'a', replacement: 'b' } },
    namespace: {
      selector: { ...selector, rewrite: { regex: { pattern: 'a' }, template: { template: 'b' } } },
      template: { template: 'x' },
    },
  },
  mutation,
  watch: { bySelector: selector },
  syncStatus: true,
};
const spec: Fields = {
  resource: { apiGroup: 'example.com', kind: 'Database', versions: ['v1'], version: 'v1' },
  filter: { resource: selector, namespace: {} },
  naming: { name: 'n', namespace: 'ns' },
  enableWorkspacePaths: true,
  projection: {
    group: 'g',
    version: 'v1',
    versions: { v1: 'v2' },
    scope: 'Cluster',
    kind: 'K',
    plural: 'ks',
    shortNames: [],
    categories: ['all'],
  },
  mutation,
  related: [related],
  synchronization: { enabled: false },
};
const status: Fields = {
  resourceSchemaName: 'v1.databases.example.com',
  observedGeneration: 3,
  phase: 'Syncing',
  counts: { objects: 7, workspaces: 2, failing: 0 },
  lastError: { reason: 'Forbidden', message: 'no', time: '2026-01-01T00:00:00Z' },
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      observedGeneration: 3,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'Fine',
      message: '',
    },
  ],
};

const strangers: readonly unknown[] = [null, 7, '', 'Odd', true, [], {}];

/** Every way to spoil `value`: each part of it left out, or replaced by each stranger. */
function* spoilt(value: unknown): Generator {
  yield* strangers;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const bad of spoilt(item)) yield value.with(index, bad);
    yield [...(value as unknown[]), ...(value as unknown[])];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      yield without(value as Fields, name);
      for (const bad of spoilt(field)) yield { ...value, [name]: bad };
    }
  }
}

function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !names.includes(key)));
}

const withStatus = (object: PublishedResource, of: Fields): PublishedResource => ({ ...object, status: of });

// A control plane of its own: one of the tests installs the CRD of the reference.
describeWithControlPlane('the CRD of PublishedResources on an API server', () => {
  let cluster: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    cluster = await startControlPlane();
    client = createClient({ name: 'service', connection: cluster.connection });
    await installCRDs(client, { clock: systemClock });
  });

  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  const objectOf = (of: unknown, name = 'databases'): KubeObject & { readonly spec: unknown } => ({
    apiVersion,
    kind: 'PublishedResource',
    metadata: { name },
    spec: of,
  });

  async function refusal(request: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await request();
      return undefined;
    } catch (error) {
      if (isApiError(error, 'Invalid')) return error.message;
      throw error;
    }
  }

  const createRefusal = (of: unknown): Promise<string | undefined> =>
    refusal(() => client.create(resources.publishedResources, objectOf(of), { dryRun: true }));

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

  /** The server lets an empty list pass for a string with a format. We do not follow it there. */
  const isQuirk = (problems: readonly Problem[]): boolean =>
    problems.length > 0 &&
    problems.every(({ path, message }) => message === 'must be of type string, is array' && /time$/iu.test(path));

  it('a spoilt spec is refused by the server exactly where it is refused without one', async () => {
    expect(await createRefusal(spec)).toBeUndefined();
    const disagreements: unknown[] = [];
    const count = await inParallel(spoilt(spec), async (bad) => {
      const answer = await createRefusal(bad);
      const problems = validate(objectOf(bad));
      if ((answer !== undefined) !== problems.length > 0)
        disagreements.push({ spec: JSON.stringify(bad), answer, problems });
    });
    expect(disagreements).toEqual([]);
    expect(count).toBeGreaterThan(500);
  });

  it('a spoilt status likewise', async () => {
    const object = await client.create(resources.publishedResources, objectOf(spec, 'with-status'));
    const disagreements: unknown[] = [];
    const put = (bad: unknown): Promise<string | undefined> =>
      refusal(() =>
        client.update(resources.publishedResources, { ...object, status: bad } as KubeObject, {
          dryRun: true,
          subresource: 'status',
        }),
      );
    expect(await put(status)).toBeUndefined();
    await inParallel(spoilt(status), async (bad) => {
      const answer = await put(bad);
      const problems = validate({ ...object, status: bad });
      if ((answer !== undefined) !== problems.length > 0 && !isQuirk(problems))
        disagreements.push({ status: JSON.stringify(bad), answer, problems });
    });
    expect(disagreements).toEqual([]);
  });

  const plain = without(
    related,
    'group',
    'version',
    'resource',
    'identityHash',
    'watch',
    'syncStatus',
    'projection',
    'mutation',
  );
  const gvr = { group: 'example.com', version: 'v1', resource: 'things' };

  it.each<[string, Fields, boolean]>([
    ['kind ConfigMap', { kind: 'ConfigMap' }, true],
    ['kind Secret', { kind: 'Secret' }, true],
    ['configmaps v1', { resource: 'configmaps', version: 'v1' }, true],
    ['group, resource and version', gvr, true],
    ['with an identityHash', { ...gvr, identityHash: 'abc' }, true],
    ['syncStatus from the service cluster with a watch', { ...gvr, syncStatus: true, watch: { byOwner: {} } }, true],
    ['syncStatus from kcp without a watch', { ...gvr, origin: 'kcp', syncStatus: true }, true],
    ['syncStatus false without a watch', { ...gvr, syncStatus: false }, true],
    ['nothing', {}, false],
    ['kind Service', { kind: 'Service' }, false],
    ['kind with group', { kind: 'ConfigMap', group: 'core' }, false],
    ['kind with resource', { kind: 'ConfigMap', resource: 'configmaps' }, false],
    ['kind with version', { kind: 'ConfigMap', version: 'v1' }, false],
    ['kind with identityHash', { kind: 'ConfigMap', identityHash: 'abc' }, false],
    ['kind with an empty group', { kind: 'ConfigMap', group: '' }, false],
    ['resource without version', without(gvr, 'version'), false],
    ['version without resource', without(gvr, 'resource'), false],
    ['group alone', { group: 'example.com' }, false],
    ['identityHash without group', { ...without(gvr, 'group'), identityHash: 'abc' }, false],
    ['identityHash without resource', { ...without(gvr, 'resource'), identityHash: 'abc' }, false],
    ['identityHash without version', { ...without(gvr, 'version'), identityHash: 'abc' }, false],
    ['syncStatus from the service cluster without a watch', { ...gvr, syncStatus: true }, false],
    ['a watch that says nothing', { ...gvr, watch: {} }, false],
    ['a watch that says two things', { ...gvr, watch: { byOwner: {}, bySelector: {} } }, false],
    ['an origin that is none', { ...gvr, origin: 'both' }, false],
    ['no object', { ...gvr, object: undefined }, false],
  ])('a related entry with %s', async (_, fields, accepted) => {
    const tried = { ...spec, related: [{ ...plain, ...fields }] };
    const answer = await createRefusal(tried);
    expect([answer === undefined, answer]).toEqual([accepted, answer]);
    expect(validate(objectOf(tried)).length === 0).toBe(accepted);
  });

  it('short names and categories are absent, none or some; null is the same as absent', async () => {
    const { projection } = await client
      .create<PublishedResource>(
        resources.publishedResources,
        objectOf({ ...spec, projection: { shortNames: null, categories: [] } }, 'tri-state') as PublishedResource,
      )
      .then((object) => object.spec);
    expect(projection).toEqual({ categories: [] });
  });

  it('every field is stored, and the printer columns have something to show', async () => {
    const created = await client.create<PublishedResource>(resources.publishedResources, objectOf(spec, 'whole'));
    expect(created.spec).toEqual(spec);
    const written = await client.update<PublishedResource>(resources.publishedResources, withStatus(created, status), {
      subresource: 'status',
    });
    expect(written.status).toEqual(status);
    const table = await cluster.kubectl(['get', 'publishedresources', 'whole']);
    expect(table).toMatch(
      /NAME\s+GROUP\s+KIND\s+PHASE\s+OBJECTS\s+FAILING\s+AGE\nwhole\s+example\.com\s+Database\s+Syncing\s+7\s+0/u,
    );
  });

  it('beside the CRD of the reference, what it drops is known beforehand; ours adds it', async () => {
    await cluster.kubectl(['delete', 'crd', publishedResourceCRD.metadata.name, '--wait=true']);
    const peers = structuredClone(publishedResourceCRD) as unknown as {
      spec: {
        versions: {
          additionalPrinterColumns?: unknown;
          schema: { openAPIV3Schema: { properties: { status: { properties: object } } } };
        }[];
      };
    };
    const [version] = peers.spec.versions;
    delete version!.additionalPrinterColumns;
    version!.schema.openAPIV3Schema.properties.status.properties = { resourceSchemaName: { type: 'string' } };
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(peers) });
    await cluster.kubectl([
      'wait',
      '--for=condition=Established',
      'crd',
      publishedResourceCRD.metadata.name,
      '--timeout=30s',
    ]);
    const read = (): Promise<CustomResourceDefinition> =>
      client.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
        name: publishedResourceCRD.metadata.name,
      });

    const created = await client.create<PublishedResource>(resources.publishedResources, objectOf(spec, 'pruned'));
    const wanted = status as PublishedResource['status'] & object;
    const written = await client.update<PublishedResource>(resources.publishedResources, withStatus(created, wanted), {
      subresource: 'status',
    });
    const kept = keptStatusFields(await read());
    expect([...kept]).toEqual(['resourceSchemaName']);
    expect(written.status).toEqual(keptStatus(wanted, kept));

    const outcome = await installCRDs(client, { clock: systemClock });
    expect([...outcome.values()]).toEqual(['upgraded']);
    const keptNow = keptStatusFields(await read());
    expect(keptStatus(wanted, keptNow)).toEqual(wanted);
    expect([...(await installCRDs(client, { clock: systemClock })).values()]).toEqual(['unchanged']);
  });
});
