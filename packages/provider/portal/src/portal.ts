import { randomBytes } from 'node:crypto';
import type { Server as TlsServer } from 'node:tls';
import type { KubeObject } from '@hawser/client';
import { type Controller, type ControllerContext, type Scope, createController } from '@hawser/controller';
import { resources } from '@hawser/kube-bind';
import { followCertificate, hostAndPort, readCertificate } from '@hawser/kubeconfig';
import { spokenDialects } from '@hawser/consumer-states';
import type { Logger } from '@hawser/telemetry';
import type { FastifyInstance } from 'fastify';
import { Access } from './access.js';
import { Api } from './api.js';
import { registerApplyApi } from './apply/apply-api.js';
import { OneClick, type OneClickOptions } from './apply/one-click.js';
import { Reachable } from './apply/reachable.js';
import { Binder } from './binder.js';
import { registerBundleApi } from './bundle-api.js';
import { registerBindingApi } from './bindings/binding-api.js';
import { BindingReader } from './bindings/binding-reader.js';
import { CredentialActions } from './bindings/credential-actions.js';
import { kubeBindClusters } from './bindings/own-cluster.js';
import { BundleCodes } from './bundle-codes.js';
import { Bundles } from './bundles.js';
import { Catalogue } from './catalogue.js';
import { ClusterProofs } from './clusters/cluster-proofs.js';
import { Consumers } from './consumers.js';
import { Cookies } from './cookies.js';
import { PORTAL_LABEL } from './expiring-leases.js';
import { DeviceCodes } from './device-codes.js';
import { registerDeviceApi } from './device-api.js';
import { Issuer } from './issuer.js';
import { KlutchCatalogue } from './klutch/klutch-catalogue.js';
import { KlutchConsumers } from './klutch/klutch-consumers.js';
import { KlutchHomes } from './klutch/klutch-homes.js';
import { KEYS_READ_MS, KeyStore } from './key-store.js';
import { Operators } from './operators/operators.js';
import type { PortalOptions } from './options.js';
import { registerPages } from './pages/pages.js';
import { PersonTurns } from './person-turns.js';
import { Refreshes } from './refreshes.js';
import { REVOCATION_PURPOSE, Revocations } from './revocations.js';
import { Sealer } from './seal.js';
import { REQUESTS_PER_MINUTE, openServer } from './server.js';
import { Sessions } from './sessions.js';
import { SignedIn } from './signed-in.js';
import { SignIn } from './sign-in.js';
import { SubjectLimit } from './subject-limit.js';

/** The portal, with its listening address once started. */
export interface Portal extends Controller<'provider'> {
  /** `host:port`; undefined before the start and after the end. */
  readonly address: string | undefined;
}

const SWEEP_MS = 600_000;

/**
 * Creates the entry for people and terminals. Any number of replicas serve in parallel, without a leader: the cluster
 * holds shared state, and browsers and terminals present the rest.
 * @throws {RangeError} for unsafe options
 */
export function createPortal(options: PortalOptions): Portal {
  const publicUrl = safeUrl('publicUrl', options.publicUrl);
  safeUrl('issuer.url', options.issuer.url);
  let address: string | undefined;
  const controller = createController<'provider'>('portal', async (ctx, scope) => {
    const app = await openPortal(options, publicUrl, ctx, scope);
    const { host, port } = hostAndPort(options.address);
    address = (await app.listen({ host, port })).replace(/^https?:\/\//u, '');
    scope.own(() => {
      address = undefined;
    });
    ctx.logger.info('portal works', { address, url: publicUrl.origin });
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

async function openPortal(
  options: PortalOptions,
  publicUrl: URL,
  ctx: ControllerContext<'provider'>,
  scope: Scope,
): Promise<FastifyInstance> {
  const { logger: log } = ctx;
  const { tls } = options;
  const binding = openBinding(options, publicUrl, ctx, scope);
  const operation = openOperation(options, binding, ctx, scope);
  await scope.synced();
  const app = await openServer({
    ...options,
    publicUrl,
    tls: tls === undefined ? undefined : await readCertificate(tls),
    log,
  });
  scope.own(() => app.close());
  await registerRoutes(app, options, binding, operation, ctx);
  if (tls !== undefined)
    scope.own(
      followCertificate(app.server as unknown as TlsServer, tls, (error) => {
        log.warn('the certificate of the portal cannot be read again; the former one stays', { error });
      }),
    );
  return app;
}

/** Parts for binding, from sign-in to bundle. */
interface Binding extends SignInParts {
  readonly publicUrl: URL;
  readonly access: Access;
  readonly catalogue: Catalogue;
  readonly proofs: ClusterProofs;
  readonly consumers: Consumers;
  readonly binder: Binder;
  readonly bundles: Bundles;
  readonly signedIn: SignedIn;
  readonly audit: Logger;
}

function openBinding(
  options: PortalOptions,
  publicUrl: URL,
  ctx: ControllerContext<'provider'>,
  scope: Scope,
): Binding {
  const { client, events } = ctx.clusters.provider;
  const { clock, logger: log, random } = ctx;
  const { namespace } = options;
  const people = openSignIn(options, publicUrl, ctx, scope);
  const access = new Access({ client, clock, allowed: options.allowed, prefixes: options.prefixes });
  const catalogue = new Catalogue(client, access, clock);
  const proofs = new ClusterProofs({ issuers: options.clusterIssuers ?? [], audience: publicUrl.origin, clock, log });
  scope.own(proofs);
  const consumers = new Consumers({ client, clock, events, namespace, quota: options, proofs });
  const audit = log.child({ log: 'audit' });
  const turns = new PersonTurns({ client, clock, random, namespace });
  scope.every(SWEEP_MS, () => turns.sweep(scope.signal), 0.5);
  const binder = new Binder({ client, catalogue, consumers, turns, audit });
  const codes = new BundleCodes({ client, clock, sealer: people.sealer, namespace, randomBytes });
  scope.every(SWEEP_MS, () => codes.sweep(scope.signal), 0.5);
  const servesKonnector = konnectorImageOf(options) !== undefined;
  return {
    ...people,
    publicUrl,
    access,
    catalogue,
    proofs,
    consumers,
    binder,
    bundles: new Bundles({ client, binder, codes, proofs, publicUrl, servesKonnector }),
    signedIn: new SignedIn(
      people.sessions,
      publicUrl,
      new SubjectLimit(clock, options.requestsPerMinute ?? REQUESTS_PER_MINUTE),
    ),
    audit,
  };
}

/** Parts that show and end bindings, for consumers and operators. */
interface Operation {
  /** Undefined: Klutch is not served. */
  readonly homes: KlutchHomes | undefined;
  readonly reader: BindingReader;
  readonly operators: Operators;
  readonly credentials: CredentialActions;
}

function openOperation(
  options: PortalOptions,
  { access, audit, consumers }: Binding,
  ctx: ControllerContext<'provider'>,
  scope: Scope,
): Operation {
  const { client, events } = ctx.clusters.provider;
  const { clock, logger: log } = ctx;
  const { namespace, version, lease, klutch = false } = options;
  const spoken = spokenDialects(client, klutch);
  const homes = klutch ? openKlutchHomes(ctx, scope) : undefined;
  const clusters = [kubeBindClusters(consumers), ...(homes === undefined ? [] : [homes])];
  const reader = new BindingReader({ spoken, clusters, log });
  const operators = new Operators({
    client,
    spoken,
    reader,
    clock,
    access,
    events,
    audit,
    namespace,
    version,
    lease,
  });
  return { homes, reader, operators, credentials: new CredentialActions({ spoken, clock, audit }) };
}

async function registerRoutes(
  app: FastifyInstance,
  options: PortalOptions,
  binding: Binding,
  { homes, reader, operators, credentials }: Operation,
  { clock, logger: log, clusters: { provider } }: ControllerContext<'provider'>,
): Promise<void> {
  const { client } = provider;
  const { version, prettyName, terminals = true } = options;
  const { signedIn, catalogue, consumers, binder, bundles, proofs, publicUrl, access, audit, ...people } = binding;
  const { sessions, signIn, refreshes, devices, sealer } = people;
  const konnectorImage = konnectorImageOf(options);
  const shared = { signedIn, catalogue, consumers, binder, publicUrl, prettyName };
  new Api({ ...shared, proofs, refreshes, sessions, signIn, clock, version, konnectorImage }).register(app);
  registerBundleApi(app, { bundles, signedIn, proofs });
  const oneClick = openOneClick(options, { bundles, proofs, publicUrl, audit });
  if (oneClick !== undefined) registerApplyApi(app, { oneClick, signedIn });
  if (devices !== undefined) registerDeviceApi(app, { codes: devices, clock, publicUrl });
  registerBindingApi(app, { reader, operators, credentials, signedIn, clock });
  await registerPages(app, {
    ...shared,
    sessions,
    bundles,
    reader,
    credentials,
    operators,
    sealer,
    clock,
    terminals,
    log,
    oneClick,
    device: devices === undefined ? undefined : { codes: devices, signIn, refreshMs: options.refreshMs ?? 0 },
    klutch:
      homes === undefined
        ? undefined
        : {
            signIn,
            catalogue: new KlutchCatalogue(client, access),
            consumers: new KlutchConsumers({ client, homes, clock, prettyName, quota: options }),
            client,
            binder,
            publicUrl,
            prettyName,
            terminals,
          },
  });
  app.get('/api/openapi.json', () => app.swagger());
}

function konnectorImageOf({ konnectorImage }: PortalOptions): string | undefined {
  return konnectorImage === '' ? undefined : konnectorImage;
}

function openOneClick(
  { oneClickApply }: PortalOptions,
  shared: Omit<OneClickOptions, 'reachable'>,
): OneClick | undefined {
  if (oneClickApply === undefined) return undefined;
  const { own = [] } = oneClickApply;
  return new OneClick({
    ...shared,
    reachable: new Reachable({ ...oneClickApply, own, isLocal: isLoopback(shared.publicUrl) }),
  });
}

function openKlutchHomes({ clusters: { provider } }: ControllerContext<'provider'>, scope: Scope): KlutchHomes {
  const namespaces = scope.cache<KubeObject>(provider, { resource: resources.namespaces, projection: 'metadata' });
  return new KlutchHomes(provider.client, namespaces);
}

/** Parts for identity and its duration; the cluster holds what replicas share. */
interface SignInParts {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly refreshes: Refreshes;
  readonly devices: DeviceCodes | undefined;
  readonly sealer: Sealer;
}

function openSignIn(
  options: PortalOptions,
  publicUrl: URL,
  { clusters: { provider }, clock, logger }: ControllerContext<'provider'>,
  scope: Scope,
): SignInParts {
  const { client } = provider;
  const { namespace, terminals = true, sessionMs = 3_600_000, keyMs = 30 * 86_400_000, refreshMs = 0 } = options;
  const cookies = new Cookies(publicUrl);
  const keys = new KeyStore({
    client,
    clock,
    namespace,
    name: options.keySecret ?? 'hawser-portal-keys',
    times: { sealsForMs: keyMs, spreadMs: KEYS_READ_MS * 2, lifeMs: Math.max(sessionMs, refreshMs, 600_000) },
    randomBytes,
  });
  const sealer = new Sealer(keys, clock);
  const ended = scope.cache<KubeObject>(provider, {
    resource: resources.leases,
    namespace,
    labelSelector: `${PORTAL_LABEL}=${REVOCATION_PURPOSE}`,
    projection: 'metadata',
  });
  const revocations = new Revocations(client, ended, clock, namespace);
  scope.every(SWEEP_MS, () => revocations.sweep(scope.signal), 0.5);
  const issuer = new Issuer(options.issuer, publicUrl, clock, logger);
  scope.own(issuer);
  const sessions = new Sessions({ sealer, revocations, clock, cookies, refreshMs });
  const newId = (): string => randomBytes(18).toString('base64url');
  const refreshes = new Refreshes({ issuer, sealer, sessions, revocations, clock, sessionMs, refreshMs });
  const grants = { client, clock, sealer, namespace, audit: logger.child({ log: 'audit' }) };
  const devices =
    options.deviceCodes === true
      ? new DeviceCodes({ ...grants, refreshes, revocations, randomBytes, newId })
      : undefined;
  if (devices !== undefined) scope.every(SWEEP_MS, () => devices.sweep(scope.signal), 0.5);
  const shared = { issuer, sealer, sessions, clock, cookies, publicUrl, sessionMs, refreshMs, newId };
  const signIn = new SignIn({ ...shared, terminals, devices });
  return { sessions, signIn, refreshes, devices, sealer };
}

/** Cookies, tokens and codes go there: only over TLS, or not over any network. */
function safeUrl(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:') return url;
  if (url?.protocol === 'http:' && isLoopback(url)) return url;
  throw new RangeError(`${option}: must be an https URL; http is possible on the loopback interface alone.`);
}

function isLoopback({ hostname }: URL): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
