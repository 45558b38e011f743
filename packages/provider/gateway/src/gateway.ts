import type { Server } from 'node:https';
import { type Resource, createPassage } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type Controller, type ControllerContext, type Scope, createController } from '@hawser/controller';
import type { ConsumerView } from '@hawser/exportrbac';
import { isOlder } from '@hawser/informer';
import type { Dialect } from '@hawser/kube-bind';
import { type CertificateFiles, type ConnectionConfig, followCertificate, hostAndPort } from '@hawser/kubeconfig';
import { type ConnectionBounds, Connections } from './connections.js';
import { Fairness, type Shares } from './fairness.js';
import { Handler } from './handler.js';
import { Identities, type Identity } from './identity.js';
import { Objects } from './objects.js';
import type { Described } from './printer.js';
import { Reads } from './reads.js';
import { close, listen, openServer } from './server.js';
import { Sight } from './sight.js';
import { Sources } from './sources.js';
import { Streams } from './streams.js';
import { ViewChanges } from './view-changes.js';
import { DialectViews } from './views.js';
import { differs } from './watcher.js';

export interface GatewayOptions {
  /** The dialects whose consumers are served. */
  readonly dialects: readonly Dialect[];
  /** Address of the API server. Writes of consumers do not use its credentials. */
  readonly connection: () => ConnectionConfig;
  /** `host:port` to listen on. Port 0: any free one. */
  readonly address: string;
  /** PEM files. Read again when they change. */
  readonly tls: CertificateFiles;
  readonly shares?: Shares | undefined;
  readonly connections?: ConnectionBounds | undefined;
}

/** A gateway that reports its address once it has started. */
export interface Gateway extends Controller<'provider'> {
  /** `host:port`; undefined before the start and after the end. */
  readonly address: string | undefined;
}

/** Interval for reviewing the tokens of open watches. */
const REVIEW_MS = 5_000;
const REVIEWS_AT_A_TIME = 16;
const EXPIRY_MS = 1_000;
const BOOKMARK_MS = 30_000;
const SWEEP_MS = 60_000;
/** Interval between log lines about a client that opens connections as fast as it can. */
const REPORT_AGAIN_MS = 60_000;

/**
 * The API server as consumers see it: each sees only its own objects, under every isolation and informer scope.
 * Any number of replicas serve at the same time and share nothing. Versions are the API server's, so a client can
 * switch replicas.
 */
export function createGateway(options: GatewayOptions): Gateway {
  let address: string | undefined;
  const controller = createController<'provider'>('gateway', async (ctx, scope) => {
    const { server, ready } = await openGateway(options, ctx, scope);
    const { host, port } = hostAndPort(options.address);
    await listen(server, host, port);
    const bound = server.address();
    address = typeof bound === 'object' && bound !== null ? `${host}:${bound.port}` : undefined;
    scope.own(() => {
      address = undefined;
    });
    // Until then, clients are asked to retry.
    await scope.synced();
    await ready();
    ctx.logger.info('gateway works', { address });
  });
  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    get address() {
      return address;
    },
  };
}

async function openGateway(
  options: GatewayOptions,
  ctx: ControllerContext<'provider'>,
  scope: Scope,
): Promise<{ readonly server: Server; readonly ready: () => Promise<void> }> {
  const { provider } = ctx.clusters;
  const { client } = provider;
  const { clock, random, logger, metrics } = ctx;
  const streams = new Streams();
  const changes = new ViewChanges(clock);
  const sources = new Sources({ client, clock, random, logger });
  let isReady = false;
  const views = options.dialects.map((dialect) => {
    const followed = new FollowedViews(dialect.name, sources, changes, streams);
    const own = new DialectViews(provider, scope, dialect, (clusterNamespace) => {
      if (isReady) followed.changed(clusterNamespace, (each) => own.viewOf(each));
    });
    return { own, followed };
  });
  const viewOf = (identity: Identity): ConsumerView | undefined => {
    const found = views.find(({ own }) => own.dialect === identity.dialect);
    if (found?.own.isConsumer(identity.clusterNamespace, identity.uid) !== true) return undefined;
    const view = found.own.viewOf(identity.clusterNamespace);
    found.followed.seen(identity.clusterNamespace, view);
    return view;
  };
  const passage = createPassage(options.connection);
  const fairness = new Fairness(options.shares);
  const identities = new Identities(client, clock, options.dialects);
  const described = (identity: Identity, resource: Resource): Described | undefined =>
    views.find(({ own }) => own.dialect === identity.dialect)?.own.described(identity.clusterNamespace, resource);
  const reads = new Reads({ client, clock, random, sources, streams, changes, fairness, described });
  const versionOf = ({ dialect }: Identity, namespace: string): string | undefined =>
    views.find(({ own }) => own.dialect === dialect)?.own.versionOf(namespace);
  const objects = new Objects({ passage, reads, streams, fairness, viewOf, versionOf });
  const requests = metrics.counter({
    name: 'hawser_gateway_requests_total',
    help: 'Requests of consumers that the gateway has answered.',
    labels: ['verb', 'code'],
  });
  metrics.gauge({
    name: 'hawser_gateway_watches',
    help: 'Watches of consumers that are open.',
    collect: (gauge) => {
      gauge.set(streams.size);
    },
  });
  const handler = new Handler({
    passage,
    identities,
    objects,
    fairness,
    logger,
    viewOf,
    isReady: () => isReady,
    answered: (asked, _identity, status) => {
      requests.inc({ verb: asked?.kind === 'objects' ? asked.verb : (asked?.kind ?? 'unknown'), code: String(status) });
    },
  });
  const connections = connectionsOf(options.connections, ctx);
  const server = await openServer({
    tls: options.tls,
    connections,
    handle: (request, response) => {
      void handler.handle(request, response);
    },
  });
  scope.own(async () => {
    isReady = false;
    streams.endAll();
    await close(server);
    await passage.close();
    await sources.close();
  });
  scope.own(
    followCertificate(server, options.tls, (error) => {
      logger.warn('The certificate of the gateway cannot be read again; the former one stays.', { error });
    }),
  );
  watchOver(streams, identities, clock, scope);
  scope.every(SWEEP_MS, async () => {
    await sources.sweep();
    changes.sweep((resource, version) => sources.isForgotten(resource, version));
  });
  return {
    server,
    ready: async () => {
      await Promise.all(views.map(({ own }) => own.filled(scope.signal)));
      isReady = true;
    },
  };
}

/** Ends watches with an expired or revoked credential, and sends bookmarks on the others. */
function watchOver(streams: Streams, identities: Identities, clock: Clock, scope: Scope): void {
  scope.every(EXPIRY_MS, () => {
    for (const stream of streams.all()) if ((stream.identity.expiresAt ?? Infinity) <= clock.now()) stream.end();
  });
  scope.every(REVIEW_MS, () => endRevoked(streams, identities), 0.2);
  scope.every(BOOKMARK_MS, () => {
    for (const stream of streams.all()) stream.bookmark();
  });
}

/** Counts open connections, and reports refused ones. */
function connectionsOf(
  bounds: ConnectionBounds | undefined,
  { clock, logger, metrics }: ControllerContext<'provider'>,
): Connections {
  const refused = metrics.counter({
    name: 'hawser_gateway_refused_connections_total',
    help: 'Connections that the gateway has refused since one address, or all together, have too many.',
    labels: ['reason'],
  });
  let reportedAt = -Infinity;
  const connections = new Connections({
    bounds,
    refused: (reason, address) => {
      refused.inc({ reason });
      if (clock.monotonic() - reportedAt < REPORT_AGAIN_MS) return;
      reportedAt = clock.monotonic();
      logger.warn(
        reason === 'address'
          ? 'One address has as many connections as it may have; the gateway refuses more.'
          : 'The gateway has as many connections as it may have, and refuses more.',
        { address },
      );
    },
  });
  metrics.gauge({
    name: 'hawser_gateway_connections',
    help: 'Connections of clients that are open.',
    collect: (gauge) => {
      gauge.set(connections.size);
    },
  });
  return connections;
}

/** Tracks the views of consumers, and their changes that affect existing objects. */
class FollowedViews {
  readonly #seen = new Map<string, ConsumerView>();
  readonly #dialect: string;
  readonly #sources: Sources;
  readonly #changes: ViewChanges;
  readonly #streams: Streams;

  constructor(dialect: string, sources: Sources, changes: ViewChanges, streams: Streams) {
    this.#dialect = dialect;
    this.#sources = sources;
    this.#changes = changes;
    this.#streams = streams;
  }

  seen(clusterNamespace: string, view: ConsumerView): void {
    this.#seen.set(clusterNamespace, view);
  }

  changed(clusterNamespace: string | undefined, viewOf: (clusterNamespace: string) => ConsumerView): void {
    for (const each of clusterNamespace === undefined ? [...this.#seen.keys()] : [clusterNamespace]) {
      const before = this.#seen.get(each);
      const now = viewOf(each);
      if (before !== now) this.#compare(each, before, now);
      if (before !== undefined) this.#seen.set(each, now);
    }
    this.#streams.review(this.#dialect, clusterNamespace);
  }

  #compare(clusterNamespace: string, before: ConsumerView | undefined, now: ConsumerView): void {
    for (const { served, history, newestShown } of this.#sources.all) {
      const name = `${served.resource.resource}.${served.resource.group}`;
      const was = new Sight(clusterNamespace, before?.resources.get(name) ?? []);
      const is = new Sight(clusterNamespace, now.resources.get(name) ?? []);
      if (was.equals(is)) continue;
      // Objects that were listed but are not in the history yet cannot be compared.
      const matters = isOlder(history.resourceVersion, newestShown) || differs(history, was, is);
      this.#changes.record(`${this.#dialect}/${clusterNamespace}`, name, newestShown, matters);
    }
  }
}

/**
 * Ends watches whose token the API server no longer accepts. Reviews some at a time, so that new tokens do not wait
 * behind all of them.
 */
async function endRevoked(streams: Streams, identities: Identities): Promise<void> {
  const waiting = [...new Map([...streams.all()].map(({ identity }) => [identity.token, identity])).values()];
  const review = async (): Promise<void> => {
    for (let identity = waiting.pop(); identity !== undefined; identity = waiting.pop()) {
      const { token } = identity;
      if (await identities.isStillValid(identity)) continue;
      for (const stream of [...streams.all()]) if (stream.identity.token === token) stream.end();
    }
  };
  await Promise.all(Array.from({ length: REVIEWS_AT_A_TIME }, review));
}
