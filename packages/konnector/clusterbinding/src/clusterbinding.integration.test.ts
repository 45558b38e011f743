import { FakeClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import { type ClusterBinding, type Secret, getCondition, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, settled } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type KonnectorPair,
  binderRules,
  openKonnectorPair,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createClusterBinding } from './index.js';

const execKubeconfig = `
current-context: default
contexts: [{name: default, context: {cluster: default, user: default, namespace: x}}]
clusters: [{name: default, cluster: {server: 'https://example.com'}}]
users: [{name: default, user: {exec: {command: /bin/true, apiVersion: client.authentication.k8s.io/v1}}}]
`;

describeWithControlPlane('clusterbinding', () => {
  let pair: KonnectorPair;
  let running: Controller<'consumer' | 'provider'>[];
  let number = 0;
  const fresh = (): string => `cb-${pair.clusterNamespace}-${++number}`;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  beforeEach(async () => {
    pair = await openKonnectorPair();
    running = [];
    pair.secrets.push({ namespace: pair.secretNamespace, name: 'kubeconfig', key: 'kubeconfig' });
  });
  afterEach(async () => {
    await Promise.all(running.map((controller) => controller.stop()));
    await pair.close();
  });

  async function start(
    options: { version?: string; clock?: FakeClock } = {},
  ): Promise<Controller<'consumer' | 'provider'>> {
    const controller = createClusterBinding({ connection: pair.connection, version: options.version ?? 'v0.8.1' });
    running.push(controller);
    await controller.start(pair.context(options));
    return controller;
  }
  const createClusterBindingObject = (): Promise<unknown> =>
    pair.provider.create(resources.clusterBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'ClusterBinding',
      metadata: { namespace: pair.clusterNamespace, name: 'cluster' },
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Databases Inc.' },
    } as never);
  const secret = (
    namespace: string,
    data: Record<string, string>,
    fields: object = {},
    metadata: object = {},
  ): Secret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'kubeconfig', ...metadata },
    data,
    ...fields,
  });
  const provided = () => ({ namespace: pair.clusterNamespace, name: 'kubeconfig' });
  const mirrored = () => ({ namespace: pair.secretNamespace, name: 'kubeconfig' });
  /** The usual state: a ClusterBinding, the provider's Secret and the same on the consumer. */
  async function prepare(): Promise<string> {
    const data = { kubeconfig: base64(pair.access.kubeconfig) };
    await createClusterBindingObject();
    await pair.provider.create(resources.secrets, secret(pair.clusterNamespace, data));
    await pair.consumer.create(
      resources.secrets,
      secret(pair.secretNamespace, data, {}, { labels: { 'kube-bind.io/provider-kubeconfig': 'true' } }),
    );
    return data.kubeconfig;
  }
  const setProvided = (data: Record<string, string | null>): Promise<unknown> =>
    pair.provider.patch(resources.secrets, provided(), { type: 'merge', patch: { data } });
  const consumerData = async (): Promise<Secret['data']> =>
    (await pair.find<Secret>(pair.consumer, resources.secrets, mirrored()))?.data;
  const clusterBinding = (): Promise<ClusterBinding> =>
    pair.provider.get<ClusterBinding>(resources.clusterBindings, { namespace: pair.clusterNamespace, name: 'cluster' });
  async function clusterBindingHas(
    type: string,
    expected: { status: string; reason?: string; words?: string },
  ): Promise<void> {
    await eventually(
      async () => {
        const condition = getCondition((await clusterBinding()).status?.conditions, type);
        expect(condition).toMatchObject({
          status: expected.status,
          ...(expected.reason === undefined ? {} : { reason: expected.reason, severity: 'Warning' }),
        });
        expect(condition?.message ?? '').toContain(expected.words ?? '');
      },
      { timeoutMs: 20_000 },
    );
  }
  const providerWrites = async (since: { offset: number }) =>
    (await pair.providerPlane.auditLog().writes({ since, namespace: pair.clusterNamespace })).map(
      ({ verb, resource, subresource }) => `${verb} ${resource}/${subresource ?? ''}`,
    );

  it('reports to the provider, and tells every binding of the connection', async () => {
    await prepare();
    const [first, later] = [fresh(), fresh()];
    await pair.bind(first);
    await start();
    await pair.becomes(first, 'Heartbeating', { status: 'True' });
    await pair.bind(later);
    await pair.becomes(later, 'Heartbeating', { status: 'True' });
    // Nobody has looked at the export here.
    expect(await pair.condition(later, 'Ready')).toMatchObject({ status: 'False', reason: 'Pending' });

    // The first heartbeat may go out before the Secret has been looked at: what it reports then follows.
    await clusterBindingHas('SecretValid', { status: 'True' });
    const { status } = await clusterBinding();
    expect(status).toMatchObject({
      heartbeatInterval: '5m0s',
      konnectorVersion: 'v0.8.1',
      consumerSecretRef: mirrored(),
    });
    expect(status?.lastHeartbeatTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u);
    expect(Math.abs(Date.parse(status?.lastHeartbeatTime ?? '') - Date.now())).toBeLessThan(30_000);
    expect(status?.conditions?.map((condition) => [condition.type, condition.status])).toEqual([
      ['Ready', 'True'],
      ['SecretValid', 'True'],
      ['ValidVersion', 'True'],
    ]);
  });

  it('sends a heartbeat within half the interval, and writes nothing else', async () => {
    await prepare();
    const name = fresh();
    await pair.bind(name);
    const clock = new FakeClock(Math.floor(Date.now() / 1000) * 1000);
    await start({ clock });
    await pair.becomes(name, 'Heartbeating', { status: 'True' });
    await clusterBindingHas('SecretValid', { status: 'True' });
    let last = (await clusterBinding()).status?.lastHeartbeatTime ?? '';
    const since = await pair.providerPlane.auditLog().mark();
    for (let beat = 0; beat < 3; beat++) {
      // What was reported last may be seen before its answer has come, and only then the next one is due.
      await eventually(() => {
        const due = clock.dueTimes.map((at) => at - Date.parse(last));
        expect(due.filter((afterMs) => afterMs > 125_000 && afterMs <= 150_000)).not.toEqual([]);
      });
      await clock.advance(Date.parse(last) + 125_000 - clock.now());
      expect((await clusterBinding()).status?.lastHeartbeatTime).toBe(last);
      await clock.advance(25_000);
      last = await eventually(async () => {
        const now = (await clusterBinding()).status?.lastHeartbeatTime ?? '';
        expect(Date.parse(now)).toBeGreaterThan(Date.parse(last));
        expect(Date.parse(now) - Date.parse(last)).toBeLessThanOrEqual(150_000);
        return now;
      });
    }
    expect(await providerWrites(since)).toEqual(Array.from({ length: 3 }, () => 'patch clusterbindings/status'));
  });

  it('writes nothing on either side after a restart', async () => {
    await prepare();
    const begun = await pair.providerPlane.auditLog().mark();
    const name = fresh();
    await pair.bind(name);
    const first = await start();
    await pair.becomes(name, 'Heartbeating', { status: 'True' });
    await clusterBindingHas('SecretValid', { status: 'True' });
    // What it has sent, the API server writes even after the client has stopped waiting.
    await settled(() => providerWrites(begun));
    await first.stop();
    const since = [await pair.providerPlane.auditLog().mark(), await pair.consumerPlane.auditLog().mark()] as const;
    await start();
    const later = fresh();
    await pair.bind(later);
    await pair.becomes(later, 'Heartbeating', { status: 'True' });
    expect(await providerWrites(since[0])).toEqual([]);
    expect(await pair.consumerPlane.auditLog().writes({ since: since[1], name })).toEqual([]);
    expect(await pair.consumerPlane.auditLog().writes({ since: since[1], namespace: pair.secretNamespace })).toEqual(
      [],
    );
  });

  it('leaves a kubeconfig alone that an administrator has put there for another provider', async () => {
    await prepare();
    await start();
    await clusterBindingHas('SecretValid', { status: 'True' });
    const setConsumer = (value: string): Promise<unknown> =>
      pair.consumer.patch(resources.secrets, mirrored(), { type: 'merge', patch: { data: { kubeconfig: value } } });
    // The same without a word that a reader understands is put right.
    await setConsumer(base64('garbage'));
    await eventually(async () => {
      expect((await consumerData())?.['kubeconfig']).toBe(base64(pair.access.kubeconfig));
    });
    const other = base64(pair.access.kubeconfig.replace(/server: \S+/u, 'server: "https://another.example.com"'));
    expect(other).not.toBe(base64(pair.access.kubeconfig));
    await setConsumer(other);
    const since = await pair.consumerPlane.auditLog().mark();
    // Something else to do, which makes it look again.
    await setProvided({ kubeconfig: base64(`${pair.access.kubeconfig}\n# rotated`) });
    await settled(async () => pair.consumerPlane.auditLog().writes({ since, namespace: pair.secretNamespace }));
    expect((await consumerData())?.['kubeconfig']).toBe(other);
  });

  it('copies a rotated kubeconfig, all of the data and nothing of the metadata', async () => {
    await prepare();
    await start();
    await clusterBindingHas('SecretValid', { status: 'True' });
    const rotated = base64(`${pair.access.kubeconfig}\n# rotated`);
    await setProvided({ kubeconfig: rotated, 'ca.crt': base64('x') });
    await eventually(async () => {
      expect(await consumerData()).toEqual({ kubeconfig: rotated, 'ca.crt': base64('x') });
    });
    expect((await pair.consumer.get(resources.secrets, mirrored())).metadata.labels).toEqual({
      'kube-bind.io/provider-kubeconfig': 'true',
    });
    await setProvided({ 'ca.crt': null });
    await eventually(async () => {
      expect(await consumerData()).toEqual({ kubeconfig: rotated });
    });
  });

  it('makes a missing consumer Secret again, where it was', async () => {
    const kubeconfig = await prepare();
    await start();
    await clusterBindingHas('SecretValid', { status: 'True' });
    await pair.consumer.delete(resources.secrets, mirrored());
    await eventually(async () => {
      expect(await consumerData()).toEqual({ kubeconfig });
    });
  });

  it('keeps the kubeconfig under the key that bindings name', async () => {
    const kubeconfig = await prepare();
    pair.secrets.splice(0, 1, { namespace: pair.secretNamespace, name: 'kubeconfig', key: 'config' });
    await pair.consumer.patch(resources.secrets, mirrored(), {
      type: 'merge',
      patch: { data: { config: kubeconfig, kubeconfig: null } },
    });
    await start();
    await eventually(async () => {
      expect(await consumerData()).toEqual({ config: kubeconfig, kubeconfig });
    });
  });

  it('does not replace a working kubeconfig by one that runs a program', async () => {
    const kubeconfig = await prepare();
    const name = fresh();
    await pair.bind(name);
    await start();
    await clusterBindingHas('SecretValid', { status: 'True' });
    await setProvided({ kubeconfig: base64(execKubeconfig) });
    await clusterBindingHas('SecretValid', { status: 'False', reason: 'ProviderSecretInvalid', words: 'exec' });
    await clusterBindingHas('Ready', { status: 'False' });
    expect(await consumerData()).toEqual({ kubeconfig });
    await eventually(() => {
      expect(pair.events).toContainEqual(
        expect.stringMatching(new RegExp(`^APIServiceBinding ${name} Warning ProviderSecretInvalid: .*exec`, 'u')),
      );
    });
    await setProvided({ kubeconfig });
    await clusterBindingHas('Ready', { status: 'True' });
  });

  it('goes on with the copy when the provider has lost its Secret, or the key', async () => {
    const kubeconfig = await prepare();
    await start();
    await clusterBindingHas('SecretValid', { status: 'True' });
    await setProvided({ kubeconfig: null, other: base64('x') });
    await clusterBindingHas('SecretValid', {
      status: 'False',
      reason: 'ProviderSecretInvalid',
      words: 'key kubeconfig',
    });
    await pair.provider.delete(resources.secrets, provided());
    await clusterBindingHas('SecretValid', {
      status: 'False',
      reason: 'ProviderSecretNotFound',
      words: 'Secret kubeconfig',
    });
    expect(await consumerData()).toEqual({ kubeconfig });
  });

  it('does not put its own kubeconfig back once its credentials are refused', async () => {
    await prepare();
    await start();
    await clusterBindingHas('SecretValid', { status: 'True' });
    // As an expired token: what is cached stays, what is asked is refused.
    await pair.grant(
      binderRules.map((rule) => (rule.resources.includes('secrets') ? { ...rule, verbs: ['list', 'watch'] } : rule)),
    );
    const since = await pair.providerPlane.auditLog().mark();
    const repaired = base64(`${pair.access.kubeconfig}\n# by the administrator`);
    await pair.consumer.patch(resources.secrets, mirrored(), {
      type: 'merge',
      patch: { data: { kubeconfig: repaired } },
    });
    await eventually(async () => {
      expect(
        await pair.providerPlane
          .auditLog()
          .entries({ since, verbs: ['get'], resource: 'secrets', succeeded: false, namespace: pair.clusterNamespace }),
      ).not.toEqual([]);
    });
    expect(await consumerData()).toEqual({ kubeconfig: repaired });
    expect(getCondition((await clusterBinding()).status?.conditions, 'SecretValid')).toMatchObject({ status: 'True' });
  });

  it('says that the consumer does not take the kubeconfig, and sends heartbeats all the same', async () => {
    const kubeconfig = await prepare();
    await pair.consumer.patch(resources.secrets, mirrored(), { type: 'merge', patch: { immutable: true } });
    const clock = new FakeClock(Math.floor(Date.now() / 1000) * 1000);
    await start({ clock });
    await setProvided({ kubeconfig: base64(`${pair.access.kubeconfig}\n# rotated`) });
    await clusterBindingHas('SecretValid', {
      status: 'False',
      reason: 'ConsumerSecretUpdateFailed',
      words: 'consumer: patch secrets',
    });
    expect(await consumerData()).toEqual({ kubeconfig });
    const before = (await clusterBinding()).status?.lastHeartbeatTime ?? '';
    await clock.advance(150_000);
    await eventually(async () => {
      expect((await clusterBinding()).status?.lastHeartbeatTime).not.toBe(before);
    });
    // Whoever repairs it need not wait for the next try.
    await pair.consumer.delete(resources.secrets, mirrored());
    await eventually(async () => {
      expect(await consumerData()).not.toEqual({ kubeconfig });
    });
    await clusterBindingHas('SecretValid', { status: 'True' });
  });

  it('tells the bindings that there is no ClusterBinding, and recovers', async () => {
    const name = fresh();
    await pair.bind(name);
    await start();
    await pair.becomes(name, 'Heartbeating', {
      status: 'False',
      severity: 'Warning',
      reason: 'ClusterBindingNotFound',
    });
    await pair.becomes(name, 'Ready', { status: 'False' });
    await createClusterBindingObject();
    await pair.becomes(name, 'Heartbeating', { status: 'True' });
    await clusterBindingHas('SecretValid', { status: 'False', reason: 'ProviderSecretNotFound' });
  });

  it('tells the bindings that the report is refused, by whom and why, and recovers', async () => {
    await prepare();
    await pair.grant(binderRules.filter((rule) => !rule.resources.includes('clusterbindings/status')));
    const name = fresh();
    await pair.bind(name);
    await start();
    await pair.becomes(name, 'Heartbeating', {
      status: 'False',
      severity: 'Warning',
      reason: 'ClusterBindingUpdateFailed',
      message: 'provider: patch clusterbindings.kube-bind.io/status',
    });
    await pair.grant(binderRules);
    await pair.becomes(name, 'Heartbeating', { status: 'True' });
  });

  it('reports a version that cannot be read', async () => {
    await prepare();
    await start({ version: 'v1.25.2+foo' });
    await clusterBindingHas('ValidVersion', { status: 'False', reason: 'ParseError' });
    expect((await clusterBinding()).status?.konnectorVersion).toBe('unknown');
  });
});
