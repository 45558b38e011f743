import {
  type Client,
  createClient,
  getIfExists,
  isNotFound,
  type KubeObject,
  type UnstructuredObject,
} from '@hawser/client';
import { type Binding, labels, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { createConnectionController } from '@hawser/kbind-connection';
import {
  type ControlPlane,
  describeWithControlPlane,
  eventually,
  type RunningController,
  runController,
  startControlPlane,
} from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type KbindClusters,
  openKbindClusters,
  openProvider,
} from '../../kbind-connection/src/testing/kbind-clusters.js';
import { createBindingController } from './index.js';

type Where = 'alpha' | 'beta';

function ifThere(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

describeWithControlPlane('one API at several Connections', () => {
  let clusters: KbindClusters;
  let second: ControlPlane;
  let consumer: Client;
  let providers: Record<Where, Client>;
  let running: RunningController[] = [];
  let number = 0;
  /** Of the API of a test. */
  let plural: string;

  beforeAll(async () => {
    clusters = await openKbindClusters(['team', 'shop']);
    second = await startControlPlane({ name: 'kbind-provider-beta' });
    ({ consumer } = clusters);
    providers = {
      alpha: clusters.provider,
      beta: createClient({ name: 'beta', connection: second.connection }),
    };
    await clusters.putSecret('alpha');
    await clusters.putSecret('beta', second.kubeconfig);
    await clusters.connect('alpha');
    await clusters.connect('beta');
    await start();
  });
  afterAll(async () => {
    await stop();
    await providers.beta.close();
    await second.stop();
    await clusters.close();
  });
  beforeEach(() => {
    plural = `widgets${++number}`;
  });
  afterEach(async () => {
    const release = { metadata: { annotations: { 'hawser.dev/release': 'the test is over' } } };
    for (const resource of [resources.clusterBindings, resources.bindings])
      for (const { metadata } of (await consumer.list(resource)).items) {
        // One that is on its way out may be gone by now.
        await consumer.patch(resource, metadata, { type: 'merge', patch: release }).catch(ifThere);
        await consumer.delete(resource, metadata).catch(ifThere);
      }
    await eventually(async () => {
      const left = [resources.clusterBindings, resources.bindings].map((resource) => consumer.list(resource));
      expect((await Promise.all(left)).flatMap(({ items }) => items)).toEqual([]);
    });
  });

  async function start(): Promise<void> {
    const connections = createConnectionController({ open: openProvider });
    running = [
      await runController(createBindingController({ links: connections.links }), { consumer }),
      await runController(connections, { consumer }),
    ];
  }

  async function stop(): Promise<void> {
    for (const one of running) await one.stop();
  }

  const resource = () => ({ group: 'example.org', version: 'v1', resource: plural });
  const api = () => `${plural}.example.org`;
  const openSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

  async function offer(...where: readonly Where[]): Promise<void> {
    const crd = crdOf(
      { group: 'example.org', plural, kind: `Widget${number}`, scope: 'Namespaced' },
      { properties: { spec: openSchema, status: openSchema }, statusSubresource: true },
    );
    for (const one of where)
      await providers[one].create(customResourceDefinitions, {
        ...crd,
        metadata: { ...crd.metadata, labels: { [labels.exported]: 'true' } },
      });
  }

  interface Rule {
    readonly name: string;
    readonly namespace?: string;
    readonly to: Where;
    readonly selector?: string;
  }

  const resourceOf = (namespace: string | undefined) =>
    namespace === undefined ? resources.clusterBindings : resources.bindings;

  async function bind({ name, namespace, to, selector }: Rule): Promise<void> {
    await consumer.create(resourceOf(namespace), {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: namespace === undefined ? 'ClusterBinding' : 'Binding',
      metadata: {
        name,
        namespace,
        ...(selector === undefined ? {} : { annotations: { 'hawser.dev/object-selector': selector } }),
      },
      spec: { connectionRef: { name: to }, apis: [{ name: api() }] },
    } as KubeObject);
  }

  const change = (name: string, namespace: string | undefined, patch: Record<string, unknown>): Promise<unknown> =>
    consumer.patch(resourceOf(namespace), { name, namespace }, { type: 'merge', patch });

  async function conditionText(name: string, namespace: string | undefined, type: string): Promise<string> {
    const found = await consumer.get<Binding>(resourceOf(namespace), { name, namespace });
    const present = found.status?.conditions?.find((condition) => condition.type === type);
    return `${present?.status ?? ''} ${present?.reason ?? ''}: ${present?.message ?? ''}`;
  }

  const becomes = (name: string, namespace: string | undefined, expected: RegExp, type = 'Ready'): Promise<void> =>
    eventually(async () => {
      expect(await conditionText(name, namespace, type)).toMatch(expected);
    });

  async function make(name: string, namespace: string, tier?: string): Promise<void> {
    const made = {
      apiVersion: 'example.org/v1',
      kind: `Widget${number}`,
      metadata: { name, namespace, ...(tier === undefined ? {} : { labels: { tier } }) },
      spec: { size: 'small' },
    };
    await eventually(() => consumer.create(resource(), made));
  }

  const here = (name: string, namespace: string): Promise<UnstructuredObject | undefined> =>
    getIfExists(consumer, resource(), { namespace, name });

  const copy = (where: Where, name: string, namespace: string): Promise<UnstructuredObject | undefined> =>
    getIfExists(providers[where], resource(), { namespace, name }).catch(() => undefined);

  /** Waits until the object has its copy there, and shows what that one says. */
  async function isServed(where: Where, name: string, namespace: string, phase = where as string): Promise<void> {
    await eventually(async () => {
      expect(await copy(where, name, namespace)).toBeDefined();
    });
    const status = { type: 'merge', patch: { status: { phase } } } as const;
    await providers[where].patch(resource(), { namespace, name }, status, { subresource: 'status' });
    await eventually(async () => {
      expect(await here(name, namespace)).toMatchObject({ status: { phase } });
    });
  }

  const size = (name: string, namespace: string, text: string): Promise<unknown> =>
    consumer.patch(resource(), { name, namespace }, { type: 'merge', patch: { spec: { size: text } } });

  const label = (name: string, namespace: string, tier: string): Promise<unknown> =>
    consumer.patch(resource(), { name, namespace }, { type: 'merge', patch: { metadata: { labels: { tier } } } });

  /** Waits until an Event of that reason tells of the object. */
  const isReported = (
    name: string,
    reason: string,
    words: RegExp,
    binding = 'gold',
    namespace = 'team',
  ): Promise<void> =>
    eventually(async () => {
      expect(await conditionText(binding, namespace, 'Routed')).toMatch(new RegExp(`^False ${reason}: .*${name}`, 'u'));
      expect(await conditionText(binding, namespace, 'Routed')).toMatch(words);
    });

  /** An admission strips the annotation from all objects. The result ends that. */
  async function stripNote(): Promise<() => Promise<void>> {
    const admission = (plural: string) => ({
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      resource: plural,
    });
    const name = `strip.${api()}`;
    const rule = { apiGroups: ['example.org'], apiVersions: ['v1'], operations: ['UPDATE'], resources: [plural] };
    const note = '/metadata/annotations/hawser.dev~1connection';
    await consumer.create(admission('mutatingadmissionpolicies'), {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        matchConditions: [
          {
            name: 'noted',
            expression:
              'has(object.metadata.annotations) && object.metadata.annotations.exists(key, key == "hawser.dev/connection")',
          },
        ],
        mutations: [
          { patchType: 'JSONPatch', jsonPatch: { expression: `[JSONPatch{op: "remove", path: "${note}"}]` } },
        ],
        reinvocationPolicy: 'Never',
      },
    } as UnstructuredObject);
    await consumer.create(admission('mutatingadmissionpolicybindings'), {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name },
    } as UnstructuredObject);
    const [probed] = (await consumer.list(resource(), { namespace: 'team' })).items;
    const strips = async (): Promise<boolean> => {
      const metadata = { annotations: { 'hawser.dev/connection': 'beta' } };
      const key = { namespace: 'team', name: probed?.metadata.name ?? '' };
      const after = await consumer.patch(resource(), key, { type: 'merge', patch: { metadata } }, { dryRun: true });
      return after.metadata.annotations?.['hawser.dev/connection'] === undefined;
    };
    await eventually(
      async () => {
        expect(await strips()).toBe(true);
      },
      { timeoutMs: 20_000 },
    );
    return async () => {
      await consumer.delete(admission('mutatingadmissionpolicybindings'), { name });
      await consumer.delete(admission('mutatingadmissionpolicies'), { name });
      await eventually(
        async () => {
          expect(await strips()).toBe(false);
        },
        { timeoutMs: 20_000 },
      );
    };
  }

  it('is routed by namespace', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'one', namespace: 'team', to: 'alpha' });
    await becomes('one', 'team', /^True/u);
    await bind({ name: 'two', namespace: 'shop', to: 'beta' });
    await becomes('two', 'shop', /^True/u);
    await make('a', 'team');
    await make('a', 'shop');
    await isServed('alpha', 'a', 'team');
    await isServed('beta', 'a', 'shop');
    expect(await copy('alpha', 'a', 'shop')).toBeUndefined();
    expect(await copy('beta', 'a', 'team')).toBeUndefined();
    await becomes('two', 'shop', /^True/u, 'Synced');

    // Each takes back what is its own.
    await consumer.delete(resources.bindings, { namespace: 'team', name: 'one' });
    await eventually(async () => {
      expect(await copy('alpha', 'a', 'team')).toBeUndefined();
    });
    await size('a', 'shop', 'large');
    await eventually(async () => {
      expect(await copy('beta', 'a', 'shop')).toMatchObject({ spec: { size: 'large' } });
    });
    await consumer.delete(resource(), { namespace: 'shop', name: 'a' });
    await eventually(async () => {
      expect(await here('a', 'shop')).toBeUndefined();
      expect(await copy('beta', 'a', 'shop')).toBeUndefined();
    });
  });

  it('goes where the older of two overlapping Bindings leads, and the younger names it', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'older', namespace: 'team', to: 'alpha' });
    await becomes('older', 'team', /^True/u);
    // Times of creation have a resolution of a second: the names decide then, and they agree.
    await bind({ name: 'younger', namespace: 'team', to: 'beta' });
    await becomes('younger', 'team', /^False OverlappingBinding: .*Binding team\/younger.*Binding team\/older/u);
    await make('a', 'team');
    await isServed('alpha', 'a', 'team');
    expect(await copy('beta', 'a', 'team')).toBeUndefined();
    await becomes('older', 'team', /^True/u);

    // The older one makes room by a selector.
    await change('older', 'team', { metadata: { annotations: { 'hawser.dev/object-selector': 'tier=gold' } } });
    await change('younger', 'team', { metadata: { annotations: { 'hawser.dev/object-selector': 'tier!=gold' } } });
    await becomes('younger', 'team', /^True/u);
    await make('b', 'team');
    await isServed('beta', 'b', 'team');
    expect(await copy('alpha', 'b', 'team')).toBeUndefined();
  });

  it('goes where the ClusterBinding leads, before a Binding that overlaps', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'own', namespace: 'team', to: 'beta' });
    await becomes('own', 'team', /^True/u);
    await make('a', 'team');
    await isServed('beta', 'a', 'team');
    await bind({ name: 'all', to: 'alpha' });
    await becomes('all', undefined, /^True/u);
    await becomes('own', 'team', /^False OverlappingBinding: .*ClusterBinding all/u);
    await make('b', 'team');
    await isServed('alpha', 'b', 'team');
    expect(await copy('beta', 'b', 'team')).toBeUndefined();
    // What was at the other one stays there, and is kept in step.
    await size('a', 'team', 'large');
    await eventually(async () => {
      expect(await copy('beta', 'a', 'team')).toMatchObject({ spec: { size: 'large' } });
    });
    expect(await copy('alpha', 'a', 'team')).toBeUndefined();
    await isServed('beta', 'a', 'team', 'Later');
  });

  it('gives no other Connection an object whose note of its Connection an admission strips', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'one', namespace: 'team', to: 'alpha', selector: 'tier=one' });
    await becomes('one', 'team', /^True/u);
    await bind({ name: 'two', namespace: 'team', to: 'beta', selector: 'tier=two' });
    await becomes('two', 'team', /^True/u);
    await make('before', 'team', 'two');
    await isServed('beta', 'before', 'team');

    const admit = await stripNote();
    await make('after', 'team', 'two');
    await becomes('two', 'team', /team\/after/u, 'Synced');
    // Anybody's change takes the note off.
    await size('before', 'team', 'large');
    await becomes('one', 'team', /team\/before.*Nothing says at which Connection/u, 'Routed');
    const nothingAtAlpha = async (): Promise<void> => {
      for (const name of ['before', 'after']) expect(await copy('alpha', name, 'team')).toBeUndefined();
    };
    await nothingAtAlpha();

    await admit();
    await isServed('beta', 'after', 'team');
    await eventually(async () => {
      expect((await here('before', 'team'))?.metadata.annotations).toMatchObject({ 'hawser.dev/connection': 'beta' });
      expect(await copy('beta', 'before', 'team')).toMatchObject({ spec: { size: 'large' } });
    });
    await becomes('one', 'team', /^True/u, 'Routed');
    await nothingAtAlpha();
  });

  it('waits without its note, also for its deletion and over a restart, and holds up no binding that ends', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'one', namespace: 'team', to: 'alpha', selector: 'tier=one' });
    await becomes('one', 'team', /^True/u);
    await bind({ name: 'two', namespace: 'team', to: 'beta', selector: 'tier=two' });
    await becomes('two', 'team', /^True/u);
    await make('gone', 'team', 'two');
    await isServed('beta', 'gone', 'team');
    await make('kept', 'team', 'two');
    await isServed('beta', 'kept', 'team');

    const admit = await stripNote();
    await stop();
    await size('gone', 'team', 'large');
    await size('kept', 'team', 'large');
    await consumer.delete(resource(), { namespace: 'team', name: 'gone' });
    await start();
    await becomes('one', 'team', /Nothing says at which Connection/u, 'Routed');
    await becomes('two', 'team', /hawser\.dev\/connection/u, 'Synced');
    for (const name of ['gone', 'kept']) {
      expect(await here(name, 'team')).toBeDefined();
      expect(await copy('beta', name, 'team')).toBeDefined();
      expect(await copy('alpha', name, 'team')).toBeUndefined();
    }

    await admit();
    await eventually(async () => {
      expect([await here('gone', 'team'), await copy('beta', 'gone', 'team')]).toEqual([undefined, undefined]);
      expect(await copy('beta', 'kept', 'team')).toMatchObject({ spec: { size: 'large' } });
    });
    const again = await stripNote();
    await size('kept', 'team', 'small');
    await consumer.delete(resources.bindings, { namespace: 'team', name: 'one' });
    await eventually(async () => {
      expect(await getIfExists(consumer, resources.bindings, { namespace: 'team', name: 'one' })).toBeUndefined();
    });
    await again();
    await eventually(async () => {
      expect(await copy('beta', 'kept', 'team')).toMatchObject({ spec: { size: 'small' } });
    });
    expect(await copy('alpha', 'kept', 'team')).toBeUndefined();
  }, 120_000);

  it('leaves an object without its note to the Connection that has the copy, when the CRD changes hands', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'one', namespace: 'team', to: 'alpha', selector: 'tier=one' });
    await becomes('one', 'team', /^True/u);
    await bind({ name: 'two', namespace: 'team', to: 'beta', selector: 'tier=two' });
    await becomes('two', 'team', /^True/u);
    await make('first', 'team', 'one');
    await isServed('alpha', 'first', 'team');
    await make('second', 'team', 'two');
    await isServed('beta', 'second', 'team');

    await stop();
    const bare = { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/connection': null } } } } as const;
    for (const name of ['first', 'second']) await consumer.patch(resource(), { namespace: 'team', name }, bare);
    await change('one', 'team', { metadata: { finalizers: null } });
    await consumer.delete(resources.bindings, { namespace: 'team', name: 'one' });
    const admit = await stripNote();
    await start();
    await size('second', 'team', 'large');
    await eventually(() => {
      const recorded = running.flatMap(({ events }) =>
        events.map(({ event: { reason, message } }) => `${reason} ${message}`),
      );
      expect(recorded).toContainEqual(
        expect.stringMatching(/^WritesUndone .*hawser\.dev\/connection of .* team\/first/u),
      );
    });
    expect(await copy('beta', 'first', 'team')).toBeUndefined();
    await admit();
    await eventually(async () => {
      expect(await copy('beta', 'second', 'team')).toMatchObject({ spec: { size: 'large' } });
    });
    const noteOf = async (name: string): Promise<string | undefined> =>
      (await here(name, 'team'))?.metadata.annotations?.['hawser.dev/connection'];
    expect([await noteOf('first'), await noteOf('second')]).toEqual(['alpha', 'beta']);
    expect(await copy('beta', 'first', 'team')).toBeUndefined();
    expect(await copy('alpha', 'second', 'team')).toBeUndefined();
  });

  it('is routed by labels, and an object stays where it is when its labels change', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'gold', namespace: 'team', to: 'alpha', selector: 'tier=gold' });
    await bind({ name: 'silver', namespace: 'team', to: 'beta', selector: 'tier in (silver)' });
    await becomes('gold', 'team', /^True/u);
    await becomes('silver', 'team', /^True/u);
    await make('a', 'team', 'gold');
    await make('b', 'team', 'silver');
    await make('c', 'team');
    await isServed('alpha', 'a', 'team');
    await isServed('beta', 'b', 'team');
    await label('a', 'team', 'silver');
    await isReported('a', 'ObjectsElsewhere', /Binding team\/silver.*beta.*hawser move team\/a --to beta/u);
    await size('a', 'team', 'large');
    await eventually(async () => {
      expect(await copy('alpha', 'a', 'team')).toMatchObject({ spec: { size: 'large' } });
    });
    await isServed('alpha', 'a', 'team', 'Later');
    expect(await copy('beta', 'a', 'team')).toBeUndefined();
    await label('a', 'team', 'bronze');
    await isReported('a', 'ObjectsElsewhere', /no binding selects/u);
    expect(await copy('alpha', 'a', 'team')).toBeDefined();
    expect((await here('c', 'team'))?.metadata.finalizers).toBeUndefined();
    await label('a', 'team', 'gold');
    await becomes('gold', 'team', /^True/u, 'Routed');

    await label('a', 'team', 'silver');
    await consumer.delete(resource(), { namespace: 'team', name: 'a' });
    await eventually(async () => {
      expect(await here('a', 'team')).toBeUndefined();
      expect(await copy('alpha', 'a', 'team')).toBeUndefined();
    });
  });

  it('is left as it is by a selector that is none', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'gold', namespace: 'team', to: 'alpha', selector: 'tier=gold' });
    await becomes('gold', 'team', /^True/u);
    await make('a', 'team', 'gold');
    await isServed('alpha', 'a', 'team');
    await change('gold', 'team', { metadata: { annotations: { 'hawser.dev/object-selector': 'tier=(' } } });
    await becomes('gold', 'team', /^False InvalidSelector: .*hawser\.dev\/object-selector/u);
    await make('b', 'team', 'gold');
    await size('a', 'team', 'large');
    await eventually(async () => {
      expect(await copy('alpha', 'a', 'team')).toMatchObject({ spec: { size: 'large' } });
    });
    expect(await copy('alpha', 'b', 'team')).toBeUndefined();

    await consumer.delete(resources.bindings, { namespace: 'team', name: 'gold' });
    await becomes('gold', 'team', /^False Unbinding: .*selector/u);
    expect(await copy('alpha', 'a', 'team')).toMatchObject({ spec: { size: 'large' } });
    await change('gold', 'team', { metadata: { annotations: { 'hawser.dev/object-selector': 'tier=gold' } } });
    await eventually(async () => {
      expect(await copy('alpha', 'a', 'team')).toBeUndefined();
    });
  });

  it('leaves an object whose Connection no binding names any more, and says so', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'one', namespace: 'team', to: 'alpha' });
    await becomes('one', 'team', /^True/u);
    await make('a', 'team');
    await isServed('alpha', 'a', 'team');
    // As the Go konnector leaves it: that of the CRD counts, and stays known when the CRD follows another one.
    const unmarked = { metadata: { annotations: { 'hawser.dev/connection': null } } };
    await consumer.patch(resource(), { namespace: 'team', name: 'a' }, { type: 'merge', patch: unmarked });
    await change('one', 'team', { spec: { connectionRef: { name: 'beta' } } });
    await eventually(async () => {
      expect(await consumer.get(customResourceDefinitions, { name: api() })).toMatchObject({
        metadata: { annotations: { 'core.kbind.io/connection': 'beta' } },
      });
    });
    expect(await here('a', 'team')).toMatchObject({ metadata: { annotations: { 'hawser.dev/connection': 'alpha' } } });
    await isReported('a', 'ObjectsElsewhere', /Connection alpha/u, 'one');
    await make('b', 'team');
    await isServed('beta', 'b', 'team');
    expect(await copy('beta', 'a', 'team')).toBeUndefined();
    expect(await copy('alpha', 'a', 'team')).toBeDefined();
    // Nor is it let go of while nobody can see to the copy.
    await consumer.delete(resource(), { namespace: 'team', name: 'a' });
    await isReported('a', 'ObjectsElsewhere', /Connection alpha/u, 'one');
    expect((await here('a', 'team'))?.metadata.finalizers).toEqual(['core.kbind.io/syncer']);
    await change('one', 'team', { spec: { connectionRef: { name: 'alpha' } } });
    await eventually(async () => {
      expect(await here('a', 'team')).toBeUndefined();
      expect(await copy('alpha', 'a', 'team')).toBeUndefined();
    });
  });

  it('goes on at one Connection when the ClusterBinding to the other is deleted', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'all', to: 'alpha', selector: '!tier' });
    await becomes('all', undefined, /^True/u);
    await bind({ name: 'tiers', to: 'beta', selector: 'tier' });
    await becomes('tiers', undefined, /^True/u);
    await make('a', 'team');
    await make('b', 'team', 'gold');
    await isServed('alpha', 'a', 'team');
    await isServed('beta', 'b', 'team');
    await consumer.delete(resources.clusterBindings, { name: 'all' });
    await eventually(async () => {
      expect(await getIfExists(consumer, resources.clusterBindings, { name: 'all' })).toBeUndefined();
    });
    expect(await copy('alpha', 'a', 'team')).toBeUndefined();
    expect(await here('a', 'team')).toMatchObject({ metadata: { name: 'a' } });
    expect((await here('a', 'team'))?.metadata.finalizers).toBeUndefined();
    await isServed('beta', 'b', 'team', 'Later');
  });

  it('is told where the CRD of the other Connection has another schema', async () => {
    await offer('alpha', 'beta');
    const crd = await providers.beta.get(customResourceDefinitions, { name: api() });
    expect(crd.metadata.name).toBe(api());
    const names = { spec: { names: { shortNames: ['wi'] } } };
    await providers.beta.patch(customResourceDefinitions, { name: api() }, { type: 'merge', patch: names });
    await bind({ name: 'one', namespace: 'team', to: 'alpha' });
    await becomes('one', 'team', /^True/u);
    await bind({ name: 'two', namespace: 'shop', to: 'beta' });
    await becomes('two', 'shop', /^True/u);
    await becomes('two', 'shop', /^False SchemaOfOtherConnection: .*alpha/u, 'SchemaInSync');
    await becomes('one', 'team', /^True/u, 'SchemaInSync');

    // Without a binding of the first Connection the second one has the say over the CRD.
    await consumer.delete(resources.bindings, { namespace: 'team', name: 'one' });
    await becomes('two', 'shop', /^True/u, 'SchemaInSync');
    expect(await consumer.get(customResourceDefinitions, { name: api() })).toMatchObject({
      metadata: { annotations: { 'core.kbind.io/connection': 'beta' } },
    });
  });

  it('is served by one provider while the other is down', async () => {
    await offer('alpha', 'beta');
    await bind({ name: 'one', namespace: 'team', to: 'alpha' });
    await becomes('one', 'team', /^True/u);
    await bind({ name: 'two', namespace: 'shop', to: 'beta' });
    await becomes('two', 'shop', /^True/u);
    await make('a', 'team');
    await make('a', 'shop');
    await isServed('alpha', 'a', 'team');
    await isServed('beta', 'a', 'shop');
    await second.stop();
    await size('a', 'shop', 'large');
    await size('a', 'team', 'large');
    await eventually(async () => {
      expect(await copy('alpha', 'a', 'team')).toMatchObject({ spec: { size: 'large' } });
    });
    await isServed('alpha', 'a', 'team', 'Later');
    await make('b', 'team');
    await isServed('alpha', 'b', 'team');
    expect(await here('a', 'shop')).toMatchObject({ status: { phase: 'beta' } });
  });
});
