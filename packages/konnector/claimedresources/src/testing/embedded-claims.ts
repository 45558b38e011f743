import {
  type ApiRequest,
  type ApiServer,
  DirectDispatcher,
  type ResponseSink,
  administrator,
  createApiServer,
} from '@hawser/apiserver';
import { type Client, type Resource, type UnstructuredObject, createClient, getIfExists } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { createDeletionBudget } from '@hawser/controller';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import type { BindingPolicy } from '@hawser/konnector-sync';
import { resources } from '@hawser/kube-bind';
import { type EventMessage, type Logger, noMetrics, silentLogger } from '@hawser/telemetry';

import { type ClaimSync, createClaimSync } from '../claim-sync.js';
import type { Side } from '../marks.js';

/** Replaces the API server's answer to a write of the sync, or to a rights review (method `REVIEW`). */
export type Refusal = (
  write: { readonly method: string; readonly name: string | undefined },
  side: Side,
) => { readonly code: number; readonly message: string } | undefined;

/** Body of the sync's write after a mutating admission; undefined: unchanged. */
export type Admission = (body: UnstructuredObject, side: Side) => UnstructuredObject | undefined;

/** A sync of claimed Secrets, those labelled `app: db`, between two API servers in this process, on its own clock. */
export interface EmbeddedClaims {
  readonly clock: FakeClock;
  readonly sync: ClaimSync;
  /** Clients without refusals and counts. */
  readonly clients: Readonly<Record<Side, Client>>;
  /** The sync's writes to Secrets, such as `POST provider`, `PATCH consumer one`, and its rights reviews. */
  readonly requests: string[];
  /** Warnings in the log, with their fields. */
  readonly warnings: Readonly<Record<string, unknown>>[];
  refusal: Refusal | undefined;
  admission: Admission | undefined;
  /** Sides that the sync cannot reach. */
  readonly down: Set<Side>;
  /** Whether the export does not own the APIServiceNamespace; it becomes an owner when the sync adds it. */
  unshared: boolean;
  use(policy: BindingPolicy): void;
  secret(
    side: Side,
    name: string,
    more?: {
      readonly annotations?: Record<string, string>;
      readonly labels?: Record<string, string>;
      readonly data?: Record<string, string>;
    },
  ): Promise<UnstructuredObject>;
  on(side: Side, name: string): Promise<UnstructuredObject | undefined>;
  /** Lets that much time pass step by step, with all that happens in it. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const NAMESPACES: Readonly<Record<Side, string>> = { consumer: 'team', provider: 'kube-bind-x-team' };
const REASONS: Readonly<Record<number, string>> = { 403: 'Forbidden', 500: 'InternalError' };
const STEP_MS = 50;

export async function openEmbeddedClaims(
  consumerCluster = 'test-cluster',
  resource: Resource = resources.secrets,
  events: EventMessage[] = [],
): Promise<EmbeddedClaims> {
  const clock = new FakeClock();
  const requests: string[] = [];
  const down = new Set<Side>();
  const warnings: Readonly<Record<string, unknown>>[] = [];
  const closers: (() => Promise<void> | void)[] = [];
  const logger: Logger = {
    ...silentLogger,
    child: () => logger,
    warn: (_, fields = {}) => {
      warnings.push(fields);
    },
  };
  const guarded = (side: Side, server: ApiServer) => ({
    handle(request: ApiRequest, sink: ResponseSink): ReturnType<ApiServer['handle']> {
      const name = /\/secrets(?:\/(?<name>[^/?]+))?/u.exec(request.path)?.groups?.['name'];
      const method = request.path.includes('/selfsubjectaccessreviews') ? 'REVIEW' : request.method;
      if (method === 'GET' || (method !== 'REVIEW' && !request.path.includes('/secrets')))
        return server.handle(request, sink);
      requests.push(`${method} ${side}${name === undefined ? '' : ` ${name}`}`);
      const refusal = claims.refusal?.({ method, name }, side);
      if (refusal === undefined) {
        const body =
          method === 'REVIEW' || request.body === undefined || request.body === ''
            ? undefined
            : claims.admission?.(JSON.parse(request.body) as UnstructuredObject, side);
        return server.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) }, sink);
      }
      queueMicrotask(() => {
        sink.head(refusal.code, { 'content-type': 'application/json' });
        sink.data(
          JSON.stringify({
            kind: 'Status',
            apiVersion: 'v1',
            status: 'Failure',
            message: refusal.message,
            reason: REASONS[refusal.code] ?? 'Invalid',
            code: refusal.code,
          }),
        );
        sink.end();
      });
      return { abort: () => undefined };
    },
  });
  const open = async (
    side: Side,
  ): Promise<{ readonly direct: Client; readonly client: Client; readonly informers: SharedInformers }> => {
    const server = createApiServer({ controllerManager: false });
    const clientOf = (handler: Pick<ApiServer, 'handle'>): Client =>
      createClient({
        name: side,
        connection: { server: 'http://api.test', credentials: { kind: 'none' } },
        clock,
        random: () => 0.5,
        dispatcher: () =>
          new DirectDispatcher({
            server: () => (handler !== server && down.has(side) ? undefined : handler),
            user: administrator,
          }),
      });
    const [direct, client] = [clientOf(server), clientOf(guarded(side, server))];
    await direct.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: NAMESPACES[side] },
    });
    const informers = createSharedInformers({
      client,
      clock,
      random: () => 0.5,
      logger: silentLogger,
      metrics: noMetrics,
    });
    closers.push(
      () => informers.close(),
      () => client.close(),
      () => direct.close(),
      () => {
        server.stop();
      },
    );
    return { direct, client, informers };
  };
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  };
  const [consumer, provider] = [await open('consumer'), await open('provider')];
  const sync = createClaimSync({
    resource,
    settings: {
      consumerCluster,
      clusterNamespace: 'kube-bind-x',
      clusterNamespaceUid: 'ns-uid',
      namespaceGraceMs: 30_000,
    },
    consumer: {
      client: consumer.client,
      informers: consumer.informers,
      events: {
        record: (_, event) => {
          events.push(event);
        },
        flush: () => Promise.resolve(),
      },
    },
    provider,
    namespaces: {
      toProvider: (namespace) => (namespace === NAMESPACES.consumer ? NAMESPACES.provider : undefined),
      toConsumer: (namespace) => (namespace === NAMESPACES.provider ? NAMESPACES.consumer : undefined),
      pendingSince: () => undefined,
      ensure: () => Promise.resolve('assigned'),
      share: () => {
        claims.unshared = false;
        requests.push('SHARE provider');
        return Promise.resolve();
      },
      unshared: () => (claims.unshared ? 'ours' : undefined),
      onChange(listener) {
        listener({ consumer: NAMESPACES.consumer, before: undefined, after: NAMESPACES.provider });
        return { close: () => undefined };
      },
      assigned: () => [NAMESPACES],
    },
    exportOwner: (binding) => ({
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      name: binding,
      uid: 'export-uid',
    }),
    protection: () => undefined,
    landing: () => 'open',
    maxObjects: 1_000,
    copies: () => 0,
    deletions: createDeletionBudget({ clock }),
    onRoom: () => undefined,
    concurrency: 4,
    clock,
    random: () => 0.5,
    logger,
    metrics: noMetrics,
    onProblems: () => undefined,
    onReplaced: () => undefined,
  });
  const claim = { binding: 'b', resource, labels: { matchLabels: { app: 'db' } }, named: [], references: [] };
  const claims: EmbeddedClaims = {
    clock,
    sync,
    requests,
    warnings,
    down,
    clients: { consumer: consumer.direct, provider: provider.direct },
    refusal: undefined,
    admission: undefined,
    unshared: false,
    use: (policy) => {
      sync.setClaims([claim], new Map([['b', policy]]));
    },
    secret: (side, name, { annotations = {}, labels = {}, data = { k: 'dg==' } } = {}) =>
      claims.clients[side].create(resources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: NAMESPACES[side], name, labels: { app: 'db', ...labels }, annotations },
        data,
      } as UnstructuredObject),
    on: (side, name) => getIfExists(claims.clients[side], resources.secrets, { namespace: NAMESPACES[side], name }),
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
  sync.setClaims([claim], new Map());
  await turns(50);
  return claims;
}
