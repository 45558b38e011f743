import { kubeBindDialect } from '@hawser/kube-bind';
import {
  type ApiRequest,
  type ApiResponse,
  type ApiServer,
  DirectDispatcher,
  type ResponseSink,
  Store,
  administrator,
  createApiServer,
} from '@hawser/apiserver';
import { type Client, type Resource, type UnstructuredObject, createClient, getIfExists } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import { crdOf } from '@hawser/installation';
import { type EventMessage, noMetrics, silentLogger } from '@hawser/telemetry';

import type { PairSettings } from '../observed.js';
import type { HeldSchema } from '../problem-of.js';
import type { ServiceNamespaces } from '../service-namespaces.js';
import { type Sync, createSync } from '../sync.js';
import { type SyncOptions } from '../sync-options.js';

type SideName = 'consumer' | 'provider';

/** Effect of an admission on a write: another body, an answer instead, or nothing. */
export type Admission = (
  write: { readonly method: string; readonly path: string; readonly body: UnstructuredObject },
  side: SideName,
) => UnstructuredObject | { readonly refused: number; readonly message: string } | undefined;

/** A sync between two API servers in this process, on its own clock, with admission on both sides. */
export interface EmbeddedPair {
  readonly clock: FakeClock;
  readonly sync: Sync;
  readonly resource: Resource;
  /** Clients that bypass the admission and the counts. */
  readonly clients: Readonly<Record<SideName, Client>>;
  readonly events: EventMessage[];
  /** The sync's requests for objects of the resource, except watches and lists: `PATCH consumer one`. */
  readonly requests: string[];
  admission: Admission | undefined;
  /** The held change of the schema. */
  heldSchema: HeldSchema | undefined;
  /** Unreachable sides. */
  readonly down: Set<SideName>;
  readonly stores: Readonly<Record<SideName, Store>>;
  object(name: string, spec: Record<string, unknown>, metadata?: Record<string, unknown>): UnstructuredObject;
  on(side: SideName, name: string): Promise<UnstructuredObject | undefined>;
  /**
   * From then on, RBAC allows the sync only this on objects of the resource on that side. `reviews` counts rights
   * reviews.
   */
  allow(side: SideName, verbs: readonly string[]): Promise<void>;
  readonly reviews: string[];
  /** The provider no longer reports which namespace stands for the consumer's. */
  loseNamespace(): void;
  /** Lets that much time pass step by step, with all that happens in it. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const NAMESPACES: Readonly<Record<SideName, string>> = { consumer: 'team', provider: 'kube-bind-x-team' };
const NAMESPACE: Resource = { group: '', version: 'v1', resource: 'namespaces' };
const ROLES: Resource = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
const ROLE_BINDINGS: Resource = { ...ROLES, resource: 'clusterrolebindings' };
const CRDS: Resource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const STEP_MS = 50;
const REASONS: Readonly<Record<number, string>> = { 403: 'Forbidden', 500: 'InternalError' };

export async function openEmbeddedPair(
  settings: Partial<PairSettings> = {},
  more: Partial<SyncOptions> = {},
): Promise<EmbeddedPair> {
  const clock = new FakeClock();
  const resource: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
  const requests: string[] = [];
  const reviews: string[] = [];
  const down = new Set<SideName>();
  const stores = { consumer: new Store(), provider: new Store() };
  const events: EventMessage[] = [];
  const closers: (() => Promise<void> | void)[] = [];
  const admitted = (side: SideName, server: ApiServer) => ({
    handle(request: ApiRequest, sink: Parameters<ApiServer['handle']>[1]): ReturnType<ApiServer['handle']> {
      const name = new RegExp(`/${resource.resource}(?:/(?<name>[^/?]+))?`, 'u').exec(request.path)?.groups?.['name'];
      if (request.path.includes(`/${resource.resource}`) && (name !== undefined || request.method === 'POST'))
        requests.push(`${request.method} ${side}${name === undefined ? '' : ` ${name}`}`);
      if (request.path.includes('/selfsubjectaccessreviews')) reviews.push(side);
      const isWrite =
        request.method !== 'GET' &&
        request.path.includes(`/${resource.resource}`) &&
        request.body !== undefined &&
        request.body !== '' &&
        request.method !== 'DELETE';
      const outcome = isWrite
        ? pair.admission?.(
            { method: request.method, path: request.path, body: JSON.parse(request.body) as UnstructuredObject },
            side,
          )
        : undefined;
      if (outcome === undefined)
        return server.handle(request, /[?&]watch=(?:true|1)/u.test(request.path) ? late(sink) : sink);
      if (!('refused' in outcome)) return server.handle({ ...request, body: JSON.stringify(outcome) }, sink);
      const answer: ApiResponse = {
        status: Number(outcome['refused']),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          message: outcome['message'],
          reason: REASONS[Number(outcome['refused'])] ?? 'Invalid',
          code: outcome['refused'],
        }),
      };
      queueMicrotask(() => {
        sink.head(answer.status, answer.headers);
        sink.data(answer.body);
        sink.end();
      });
      return { abort: () => undefined };
    },
  });
  const open = async (
    side: SideName,
  ): Promise<{ readonly direct: Client; readonly used: Client; readonly informers: SharedInformers }> => {
    const server = createApiServer({ store: stores[side], controllerManager: false });
    const client = (handler: Pick<ApiServer, 'handle'>): Client =>
      createClient({
        name: side,
        connection: { server: 'http://api.test', credentials: { kind: 'none' } },
        clock,
        random: () => 0.5,
        dispatcher: () =>
          new DirectDispatcher({
            server: () => (handler !== server && down.has(side) ? undefined : handler),
            user: handler === server ? administrator : { name: 'konnector', groups: ['system:authenticated'] },
          }),
      });
    const direct = client(server);
    const used = client(admitted(side, server));
    await direct.create(
      CRDS,
      crdOf(
        { group: resource.group, plural: resource.resource, kind: 'Database', scope: 'Namespaced' },
        {
          properties: {
            spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ),
    );
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'konnector' } };
    await direct.create(ROLES, { ...role, kind: 'ClusterRole', rules: rulesOf(['*']) } as UnstructuredObject);
    await direct.create(ROLE_BINDINGS, {
      ...role,
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: ROLES.group, kind: 'ClusterRole', name: 'konnector' },
      subjects: [{ kind: 'User', apiGroup: ROLES.group, name: 'konnector' }],
    } as UnstructuredObject);
    await direct.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACES[side] } });
    const informers = createSharedInformers({
      client: used,
      clock,
      random: () => 0.5,
      logger: silentLogger,
      metrics: noMetrics,
    });
    closers.push(
      () => informers.close(),
      () => used.close(),
      () => direct.close(),
      () => {
        server.stop();
      },
    );
    return { direct, used, informers };
  };
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  };
  const mapped = createMap();
  const [consumer, provider] = [await open('consumer'), await open('provider')];
  await turns(20);
  const sync = createSync({
    name: 'databases',
    resource,
    settings: {
      dialect: kubeBindDialect,
      isolation: 'ServiceNamespace',
      clusterNamespace: 'kube-bind-x',
      clusterNamespaceUid: 'ns-uid',
      consumerCluster: 'test-cluster',
      statusSubresource: true,
      ...settings,
    },
    informerScope: 'Namespaced',
    consumer: {
      client: consumer.used,
      informers: consumer.informers,
      events: {
        record: (_, event) => {
          events.push(event);
        },
        flush: () => Promise.resolve(),
      },
    },
    provider: { client: provider.used, informers: provider.informers },
    namespaces: mapped.namespaces,
    exportOwner: {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      name: 'databases',
      uid: 'export-uid',
    },
    prove: () => Promise.resolve({ kind: 'byUser' }),
    heldSchema: () => pair.heldSchema,
    clock,
    random: () => 0.5,
    logger: silentLogger,
    metrics: noMetrics,
    ...more,
  });
  const pair: EmbeddedPair = {
    clock,
    sync,
    resource,
    events,
    requests,
    reviews,
    down,
    stores,
    clients: { consumer: consumer.direct, provider: provider.direct },
    admission: undefined,
    heldSchema: undefined,
    object: (name, spec, metadata = {}) => ({
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { name, namespace: NAMESPACES.consumer, ...metadata },
      spec,
    }),
    on: (side, name) =>
      getIfExists(side === 'consumer' ? consumer.direct : provider.direct, resource, {
        namespace: NAMESPACES[side],
        name,
      }),
    async allow(side, verbs) {
      await pair.clients[side].patch(ROLES, { name: 'konnector' }, { type: 'merge', patch: { rules: rulesOf(verbs) } });
    },
    loseNamespace: () => {
      mapped.lose();
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        await turns(4);
        await clock.advance(STEP_MS);
      }
      await turns(20);
    },
    async close() {
      await sync.stop();
      for (const close of closers) await close();
    },
  };
  const started = sync.start(AbortSignal.timeout(20_000));
  await turns(50);
  await started;
  return pair;
}

const rulesOf = (verbs: readonly string[]): { apiGroups: string[]; resources: string[]; verbs: string[] }[] => [
  { apiGroups: ['example.com'], resources: ['*'], verbs: [...verbs] },
];

/** Events come after the answers to their writes, as they often do over a socket. */
function late(sink: ResponseSink): ResponseSink {
  let before = Promise.resolve();
  const after = (what: () => void): void => {
    before = before
      .then(
        () =>
          new Promise((resolve) => {
            setImmediate(resolve);
          }),
      )
      .then(what);
  };
  return {
    head: (status, headers) => {
      sink.head(status, headers);
    },
    data: (chunk) => {
      after(() => {
        sink.data(chunk);
      });
    },
    end: () => {
      after(() => {
        sink.end();
      });
    },
    fail: (error) => {
      sink.fail(error);
    },
  };
}

/** One namespace of the consumer is assigned, until it is lost. */
function createMap(): { readonly namespaces: ServiceNamespaces; lose(): void } {
  let provider: string | undefined = NAMESPACES.provider;
  const listeners: Parameters<ServiceNamespaces['onChange']>[0][] = [];
  return {
    lose() {
      const before = provider;
      provider = undefined;
      for (const listener of listeners) listener({ consumer: NAMESPACES.consumer, before, after: undefined });
    },
    namespaces: {
      toProvider: (namespace) => (namespace === NAMESPACES.consumer ? provider : undefined),
      toConsumer: (namespace) => (namespace === provider ? NAMESPACES.consumer : undefined),
      pendingSince: () => undefined,
      ensure: () => Promise.resolve('pending'),
      share: () => Promise.resolve(),
      unshared: () => undefined,
      onChange(listener) {
        listeners.push(listener);
        listener({ consumer: NAMESPACES.consumer, before: undefined, after: provider });
        return { close: () => undefined };
      },
      assigned: () => (provider === undefined ? [] : [{ consumer: NAMESPACES.consumer, provider }]),
    },
  };
}
