import { type Client, createClient } from '@hawser/client';
import { resources, kubeBindDialect } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import {
  type ClaimsPair,
  claimOn,
  openClaimsPair,
} from '../../../konnector/claimedresources/src/testing/claims-pair.js';
import {
  type BindingReport,
  type ExplainContext,
  type ExplainOptions,
  claimedSubjects,
  explain,
  isNamed,
  planJson,
  planText,
  stepsOf,
  treeText,
  whyAllText,
} from './index.js';

describeWithControlPlane('explain, of claimed objects', () => {
  let pair: ClaimsPair;
  let app: { readonly app: string };
  let clients: Client[];
  beforeEach(async () => {
    pair = await openClaimsPair();
    app = { app: pair.group };
    clients = [];
    await pair.consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace: pair.secretNamespace, labels: app },
      data: { kubeconfig: Buffer.from(pair.access.kubeconfig).toString('base64') },
    } as never);
  });
  afterEach(async () => {
    await pair.close();
    await Promise.all(clients.map((client) => client.close()));
  });

  const connect = (connection: Parameters<ExplainContext['connect']>[0]): Client => {
    const client = createClient({ name: 'provider', connection });
    clients.push(client);
    return client;
  };
  const look = async (options: Partial<ExplainOptions> = {}): Promise<BindingReport> => {
    const [report] = await explain(
      {
        dialect: kubeBindDialect,
        consumer: pair.consumer,
        policy: {},
        now: () => Date.now(),
        signal: new AbortController().signal,
        connect,
      },
      { dryRun: false, binding: pair.name, objects: 'all', ...options },
    );
    return report!;
  };
  const bound = async (): Promise<void> => {
    await pair.start();
    await pair.bound([
      claimOn('secrets', { labelSelector: { matchLabels: app } }),
      claimOn('configmaps', {
        references: [{ group: pair.group, resource: 'tests', jsonPath: { name: 'spec.settings' } }],
      }),
    ]);
    await pair.assign();
  };
  const claimedWrites = (report: BindingReport): readonly string[] =>
    stepsOf([report])
      .filter(({ resource }) => ['secrets', 'configmaps', 'apiservicenamespaces'].includes(resource.resource))
      .map(
        ({ side, verb, resource, key, withheld }) =>
          `${side}: ${verb} ${resource.resource} ${key.name}${withheld === true ? ' held back' : ''}`,
      );

  it('plans what the konnector then does, and shows nothing of a Secret', async () => {
    await bound();
    await pair.secret('consumer', 'changed', { labels: app });
    await pair.secret('consumer', 'going', { labels: app });
    for (const name of ['changed', 'going']) await pair.eventuallyOn('provider', name);
    await pair.stop();

    await pair.secret('consumer', 'mine', { labels: app, data: { k: 'c2VjcmV0LXdvcmRz' } });
    await pair.secret('consumer', 'private');
    await pair.secret('provider', 'theirs', { labels: app });
    await pair.consumer.create(resources.configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: pair.key('consumer', 'settings'),
      data: { colour: 'blue' },
    } as never);
    await pair.consumer.create(pair.tests, {
      apiVersion: `${pair.group}/v1`,
      kind: 'Test',
      metadata: pair.key('consumer', 'one'),
      spec: { settings: 'settings' },
    } as never);
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'changed'), {
      type: 'merge',
      patch: { data: { k: 'bmV3' } },
    });
    await pair.consumer.delete(resources.secrets, pair.key('consumer', 'going'));

    const report = await look();
    const planned = claimedWrites(report);
    expect([...planned].sort()).toEqual([
      'consumer: create secrets theirs',
      'consumer: patch configmaps settings',
      'consumer: patch secrets mine',
      'provider: create configmaps settings',
      'provider: create secrets mine',
      'provider: delete secrets going',
      'provider: patch secrets changed',
      'provider: patch secrets theirs',
    ]);
    // With the answers of the servers: the same, and nothing has come of it.
    expect(claimedWrites(await look({ dryRun: true }))).toEqual(planned);
    expect(await pair.read('provider', 'mine')).toBeUndefined();
    for (const text of [
      planText([report], { values: true }),
      planJson([report]),
      whyAllText([report]),
      treeText([report], Date.now()),
    ])
      expect(text).not.toMatch(/c2VjcmV0LXdvcmRz|secret-words|bmV3/u);
    expect(planText([report], { values: true })).toContain('  + data.colour: "blue"');
    // The kubeconfig is claimed by its label, and is not for providers.
    expect(
      report.claimed
        .flatMap(({ objects }) => objects)
        .find(({ object }) => object === `${pair.secretNamespace}/kubeconfig`),
    ).toMatchObject({ standing: 'held', writes: [], finding: { reason: 'ClaimedObjectProtected', actor: 'provider' } });

    const done = await pair.writesDuring(async () => {
      await pair.start(undefined, { missingGraceMs: 500 });
      for (const name of ['mine', 'theirs'])
        for (const side of ['consumer', 'provider'] as const)
          await pair.eventuallyOn(side, name, ({ metadata }) => {
            expect(metadata.labels).toHaveProperty(['kube-bind.io/owner']);
          });
      await pair.eventuallyOn('provider', 'settings', undefined, resources.configMaps);
      await pair.eventuallyOn('provider', 'changed', ({ data }) => {
        expect(data).toEqual({ k: 'bmV3' });
      });
      await eventually(async () => {
        expect(await pair.read('provider', 'going')).toBeUndefined();
      });
    });
    expect(
      [
        ...new Set(
          done
            .filter((line) => / (?:secrets|configmaps) .* 20[01]$/u.test(line))
            .map((line) => line.replace(/ 20[01]$/u, '')),
        ),
      ].sort(),
    ).toEqual([...planned].sort());
    await pair.stop();
    const after = await look();
    expect(claimedWrites(after)).toEqual([]);
    expect(
      after.claimed.map(({ name, objects }) => [name, objects.filter(({ standing }) => standing === 'inStep').length]),
    ).toEqual([
      ['secrets', 3],
      ['configmaps', 1],
    ]);
  });

  it('tells what somebody has changed on a copy, and what would be done about it', async () => {
    await bound();
    await pair.secret('provider', 'theirs', { labels: app });
    await pair.eventuallyOn('consumer', 'theirs');
    await pair.stop();
    await pair.consumer.patch(
      resources.secrets,
      pair.key('consumer', 'theirs'),
      { type: 'merge', patch: { data: { k: 'c2VjcmV0LXdvcmRz' } } },
      { fieldManager: 'somebody' },
    );
    const policy = (value: string): Promise<unknown> =>
      pair.consumer.patch(
        resources.apiServiceBindings,
        { name: pair.name },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/drift-policy': value } } } },
      );
    expect(claimedWrites(await look())).toEqual(['consumer: patch secrets theirs']);
    await policy('Report');
    const reported = await look();
    expect(claimedWrites(reported)).toEqual(['consumer: patch secrets theirs held back']);
    const theirs = ({ claimed }: BindingReport): unknown =>
      claimed[0]?.objects.find(({ object }) => object === `${pair.team}/theirs`);
    expect(theirs(reported)).toMatchObject({
      standing: 'held',
      finding: { reason: 'ClaimedObjectDrifted', actor: 'operator', message: expect.stringContaining('data.k') },
    });
    for (const text of [planText([reported], { values: true }), planJson([reported]), whyAllText([reported])])
      expect(text).not.toMatch(/c2VjcmV0LXdvcmRz|dg==|wanted-hash/u);
    await policy('Ignore');
    const ignored = await look();
    expect(claimedWrites(ignored)).toEqual([]);
    expect(theirs(ignored)).toMatchObject({ standing: 'inStep' });
  });

  it('answers for one claimed object by its name, selected or not, there or not', async () => {
    await bound();
    await pair.secret('consumer', 'mine', { labels: app });
    await pair.eventuallyOn('provider', 'mine');
    await pair.secret('consumer', 'private');
    await pair.stop();
    const why = async (kind: string, name: string): Promise<unknown> => {
      const key = `${pair.team}/${name}`;
      const report = await look({ objects: (resource) => (isNamed(resource, kind) ? key : undefined) });
      return claimedSubjects([report], kind, key).map((subject) => [
        subject.name.replace(`${pair.team}/`, ''),
        subject.standing,
        subject.finding?.reason,
      ]);
    };
    expect(await why('secret', 'mine')).toEqual([['Secret mine', 'inStep', undefined]]);
    expect(await why('Secrets', 'private')).toEqual([['Secret private', 'inStep', 'NotSelected']]);
    expect(await why('cm', 'settings')).toEqual([['ConfigMap settings', 'unknown', 'NoSuchObject']]);
    expect(await why('serviceaccount', 'mine')).toEqual([]);
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'mine'), {
      type: 'merge',
      patch: { metadata: { annotations: { 'hawser.dev/paused': 'not now' } }, data: { k: 'bmV3' } },
    });
    expect(await why('secret', 'mine')).toEqual([['Secret mine', 'held', 'Paused']]);
  });

  it('knows claims on any resource as the konnector is told of them', async () => {
    const services = { group: '', version: 'v1', resource: 'services' };
    await pair.grant([{ apiGroups: [''], resources: ['services'], verbs: ['*'] }]);
    await pair.start(undefined, { claimable: 'Any' });
    await pair.bound([claimOn('services', { labelSelector: { matchLabels: app } })]);
    await pair.assign();
    await pair.stop();
    await pair.provider.create(services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...pair.key('provider', 'db'), labels: { ...app, 'kube-bind.io/owner': 'provider' } },
      spec: { ports: [{ port: 80 }] },
    } as never);
    const looked = async (claims: 'Contract' | 'Any'): Promise<BindingReport | undefined> => {
      const [report] = await explain(
        {
          dialect: kubeBindDialect,
          consumer: pair.consumer,
          policy: {},
          claims: { claimable: claims },
          now: () => Date.now(),
          signal: new AbortController().signal,
          connect,
        },
        { dryRun: true, binding: pair.name, objects: 'all' },
      );
      return report;
    };
    const [contract, any] = [await looked('Contract'), await looked('Any')];
    expect([contract?.claimed, contract?.findings.map(({ reason }) => reason)]).toEqual([
      [],
      expect.arrayContaining(['ClaimNotSupported']),
    ]);
    expect(
      stepsOf(any === undefined ? [] : [any]).map(
        ({ side, verb, resource, key }) => `${side}: ${verb} ${resource.resource} ${key.name}`,
      ),
    ).toContain('consumer: create services db');
  });

  it('asks for the namespace of a claimed object first, and tells what is paused and what cannot be read', async () => {
    await pair.start();
    await pair.bound([claimOn('secrets', { labelSelector: { matchLabels: app } })]);
    await pair.stop();
    await pair.secret('consumer', 'mine', { labels: app });
    expect(claimedWrites(await look())).toEqual([`provider: create apiservicenamespaces ${pair.team}`]);
    await pair.assign();
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'mine'), {
      type: 'merge',
      patch: { metadata: { annotations: { 'hawser.dev/paused': 'not now' } } },
    });
    const paused = await look();
    expect(claimedWrites(paused)).toEqual(['consumer: patch secrets mine held back']);
    expect(planText([paused], { values: false })).toContain(`Secret ${pair.team}/mine: Paused: `);
    await pair.provider.delete(
      { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' },
      { name: `claims-${pair.clusterNamespace}` },
    );
    await eventually(
      async () => {
        const refused = await look();
        expect(refused.claimed).toMatchObject([
          {
            name: 'secrets',
            standing: 'held',
            finding: { reason: 'ForbiddenByProvider', actor: 'provider' },
            objects: [],
          },
        ]);
      },
      { timeoutMs: 20_000 },
    );
  });
});
