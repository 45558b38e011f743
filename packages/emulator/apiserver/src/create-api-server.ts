import { type Clock, type Random, type TimerHandle, systemClock } from '@hawser/clock';
import { isObject, type JsonObject, stringify } from '@hawser/json';
import { createDiscovery } from './discovery/index.js';
import { Exchanges } from './direct-exchange.js';
import { DefinitionControllers } from './registry/definition-controllers.js';
import type { Exchange, Fault, Faults, ResponseSink } from './exchange.js';
import { guardedAnswer, plainText } from './guarded-answer.js';
import type { Answer, Headers } from './handlers/answer.js';
import { type HandlerHost, header } from './handlers/context.js';
import { readJson } from './handlers/body.js';
import { handleResource } from './handlers/resource-handler.js';
import { requestInfoOf } from './handlers/request-info.js';
import { checkRestRoute, isCollectionPath, isMalformed } from './handlers/rest-routes.js';
import { WatchHub } from './handlers/watch-hub.js';
import { DecodeError } from './object/decode-error.js';
import { timestampOf } from './object/meta.js';
import { StoredObjects } from './objects.js';
import type { Personality } from './personality.js';
import type {
  ApiRequest,
  ApiResponse,
  AuthParts,
  AuthorizationAttributes,
  Controller,
  Decision,
  Endpoint,
  RequestInfo,
  ServerHost,
  UserInfo,
  VirtualResource,
} from './parts.js';
import { createAuth } from './auth/index.js';
import { createControllers } from './controllers/index.js';
import { Admission } from './registry/admission.js';
import { decodeTyped, definitionOfKind } from './registry/builtin/typed.js';
import { bootstrapNamespaces } from './registry/bootstrap.js';
import { uuid } from './registry/random-names.js';
import { Registry } from './registry/registry.js';
import { ResourceStorage } from './registry/resource-storage.js';
import { badRequest, methodNotAllowed, noSuchPath, notImplemented, unauthorized } from './status.js';
import type { ObjectStore } from './store/object-store.js';
import { Store } from './store/store.js';
import { isUnimplemented } from './unimplemented.js';
import type { ApiServerOptions, ApiServer, PersonalServer } from './api-server.js';

/** An administrator: `system:masters`, with every right. */
export const administrator: UserInfo = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  return new EmbeddedApiServer(options.store ?? new Store(), options, {});
}

/** A server of another personality, over a store that may be part of another one. */
export function createPersonalServer<S extends ObjectStore>(
  store: S,
  options: Omit<ApiServerOptions, 'store'>,
  personality: Personality,
): PersonalServer<S> {
  return new EmbeddedApiServer(store, options, personality);
}

class EmbeddedApiServer<S extends ObjectStore> implements PersonalServer<S>, ServerHost {
  readonly store: S;
  readonly clock: Clock;
  readonly random: Random;
  readonly kubernetesVersion: string;
  readonly adminToken: string;
  readonly catalog: Registry;
  readonly objects: StoredObjects;
  readonly handlers: HandlerHost;
  readonly #personality: Personality;
  readonly #auth: AuthParts;
  readonly #endpoints: readonly Endpoint[];
  readonly #controllers: readonly Controller[];
  readonly #deferred = new Set<TimerHandle>();
  readonly #exchanges: Exchanges;
  readonly #report: (error: unknown) => void;
  #faults: Faults | undefined;
  #location = { url: 'https://kubernetes.default.svc', authorityPem: '' };
  #stopped = false;

  constructor(store: S, options: Omit<ApiServerOptions, 'store'>, personality: Personality) {
    this.#personality = personality;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.kubernetesVersion = options.kubernetesVersion ?? '1.36.3';
    this.adminToken = options.adminToken ?? uuid(this.random);
    this.store = store;
    this.#exchanges = new Exchanges(this.clock);
    this.#report =
      options.report ??
      ((error) => {
        process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      });
    this.#faults = options.faults;
    this.catalog = new Registry(this.store, personality.builtIn, personality.types);
    const admission = new Admission({
      store: this.store,
      isTerminating: (type) => this.catalog.isTerminating(type),
      plugin: personality.admission,
      checkEscalation: (user, resource, object, previous) => {
        this.#auth.checkEscalation?.(user, resource, object, previous);
      },
    });
    const storage = new ResourceStorage({ store: this.store, clock: this.clock, random: this.random, admission });
    this.objects = new StoredObjects(this.store, this.catalog, storage);
    this.#auth = createAuth(
      this,
      { ...options, tokens: { ...options.tokens, [this.adminToken]: administrator } },
      personality,
    );
    const watches = new WatchHub(this.store);
    this.handlers = {
      store: this.store,
      registry: this.catalog,
      storage,
      watches,
      clock: this.clock,
      random: this.random,
      bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
      authorize: (attributes) => this.#auth.authorize(attributes),
      forbidden: (attributes, reason) => this.#auth.forbidden(attributes, reason),
    };
    this.catalog.setVirtual(this.#auth.virtualResources);
    this.catalog.onRemoved((bucket) => {
      watches.endBucket(bucket);
    });
    this.#endpoints = createDiscovery(this);
    const definitions = new DefinitionControllers({
      objects: this.objects,
      now: () => this.timestamp(),
      defer: (task, delayMs) => this.defer(task, delayMs),
    });
    this.store.onRestore(() => {
      definitions.enqueueAll();
    });
    bootstrapNamespaces(this.objects, personality.namespaces);
    this.#auth.bootstrap?.();
    this.#controllers = [
      {
        name: 'customresourcedefinitions',
        start: () => {
          definitions.start();
        },
        stop: () => {
          definitions.stop();
        },
      },
      ...(options.controllerManager === false ? [] : [...this.#auth.controllers, ...createControllers(this)]),
    ];
    for (const controller of this.#controllers) controller.start();
  }

  // --- what the parts see ------------------------------------------------------------------------------------------------------------------------

  authorityPem(): string {
    return this.#location.authorityPem;
  }

  serverUrl(): string {
    return this.#location.url;
  }

  get host(): ServerHost {
    return this;
  }

  authorize(attributes: AuthorizationAttributes): Decision {
    return this.#auth.authorize(attributes);
  }

  newUid(): string {
    return uuid(this.random);
  }

  timestamp(): string {
    return timestampOf(this.clock.now());
  }

  defer(task: () => void, delayMs = 0): TimerHandle {
    const timer = this.clock.setTimeout(() => {
      this.#deferred.delete(timer);
      try {
        task();
      } catch (error) {
        this.report(error);
      }
    }, delayMs);
    this.#deferred.add(timer);
    return {
      cancel: () => {
        timer.cancel();
        this.#deferred.delete(timer);
      },
    };
  }

  report(error: unknown): void {
    this.#report(error);
  }

  // --- requests ----------------------------------------------------------------------------------------------------------------------------------

  setFaults(faults: Faults | undefined): void {
    this.#faults = faults;
  }

  setLocation(location: { readonly url: string; readonly authorityPem: string }): void {
    this.#location = { ...location };
  }

  handle(request: ApiRequest, sink: ResponseSink): Exchange {
    const info = requestInfoOf(request);
    const fault = this.#faults?.(request, info);
    return this.#exchanges.start(fault?.wrap?.(sink) ?? sink, fault, () =>
      this.#stopped || fault?.instead === 'reset' ? undefined : this.answer(request, info, fault),
    );
  }

  request(request: ApiRequest): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      let head: { status: number; headers: Headers } = { status: 0, headers: {} };
      let body = '';
      this.handle(request, {
        head: (status, headers) => {
          head = { status, headers };
        },
        data: (chunk) => {
          body += chunk;
        },
        end: () => {
          resolve({ ...head, body });
        },
        fail: reject,
      });
    });
  }

  stop(how: 'graceful' | 'abrupt' = 'graceful'): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const controller of this.#controllers) controller.stop();
    for (const timer of this.#deferred) timer.cancel();
    this.#deferred.clear();
    if (how === 'graceful') this.handlers.watches.endAll();
    const reset = (): void => {
      this.#exchanges.resetAll();
    };
    // Ends of watches are already being delivered.
    if (how === 'graceful') queueMicrotask(reset);
    else reset();
  }

  answer(request: ApiRequest, info: RequestInfo, fault?: Fault): Answer {
    const warnings: string[] = [];
    return guardedAnswer(
      request,
      warnings,
      (error) => {
        this.report(error);
      },
      () => {
        if (fault?.instead !== undefined && fault.instead !== 'reset') return { kind: 'whole', ...fault.instead };
        return this.#route(request, info, warnings, fault);
      },
    );
  }

  #route(request: ApiRequest, info: RequestInfo, warnings: string[], fault: Fault | undefined): Answer {
    if (isMalformed(request.path)) return plainText(400, '400 Bad Request');
    const user = this.#auth.impersonate(request, this.authenticate(request), info);
    const attributes: AuthorizationAttributes = { ...info, user };
    const decision = this.#auth.authorize(attributes);
    if (!decision.allowed) throw this.#auth.forbidden(attributes, decision.reason);
    const { apiGroup, apiVersion, resource, subresource } = info;
    if (info.isResourceRequest) {
      const served = this.catalog.served(apiGroup, apiVersion, resource);
      const virtual = this.catalog.virtual(
        apiGroup,
        apiVersion,
        subresource === '' ? resource : `${resource}/${subresource}`,
      );
      if (served !== undefined && !served.type.custom) checkRestRoute(request, { ...served, virtual });
      if (virtual !== undefined && info.verb === 'create') return this.#createVirtual(request, info, user, virtual);
      if (served !== undefined && (!served.type.custom || scopeFits(served.type.namespaced, info))) {
        if (served.version.deprecationWarning !== undefined) warnings.push(served.version.deprecationWarning);
        return handleResource({
          host: this.handlers,
          request,
          info,
          user,
          ...served,
          warnings,
          staleRevision: fault?.staleRevision,
        });
      }
      if (virtual !== undefined) throw isCollectionPath(request.path, virtual) ? methodNotAllowed() : noSuchPath();
    }
    for (const endpoint of this.#endpoints) {
      const answer = endpoint.handle(request, info);
      if (answer !== undefined) return { kind: 'whole', ...answer };
    }
    if ((this.#personality.isUnimplemented ?? isUnimplemented)(info))
      throw notImplemented(
        `${info.verb} on ${info.resource === '' ? info.path : `${resource}${apiGroup === '' ? '' : `.${apiGroup}`}`}`,
      );
    // The router of built-in groups refuses in JSON, the code behind it as text.
    if (this.#isBuiltInPath(info.path)) throw noSuchPath();
    return plainText(404, '404 page not found\n');
  }

  #isBuiltInPath(path: string): boolean {
    const [, prefix, group = ''] = path.split('/');
    if (prefix === 'api') return true;
    return prefix === 'apis' && this.catalog.resources().some((info) => info.builtIn && info.group === group);
  }

  authenticate(request: ApiRequest): UserInfo {
    const authentication = this.#auth.authenticate(request);
    switch (authentication.kind) {
      case 'user':
        return authentication.user;
      case 'anonymous':
        return ANONYMOUS;
      case 'rejected':
        throw unauthorized();
    }
  }

  #createVirtual(request: ApiRequest, info: RequestInfo, user: UserInfo, virtual: VirtualResource): Answer {
    if (header(request, 'content-type').startsWith('application/vnd.kubernetes.protobuf'))
      throw notImplemented('a request body of type application/vnd.kubernetes.protobuf');
    const { value } = readJson(request.body ?? '', 'Ignore', (text) =>
      badRequest(
        `the object provided is unrecognized (must be of type ${virtual.kind}): couldn't get version/kind; json parse error: ${text}`,
      ),
    );
    if (!isObject(value)) throw badRequest(`the object provided is unrecognized (must be of type ${virtual.kind})`);
    const body: JsonObject = virtual.create({
      user,
      info,
      body: decodeReview(virtual.kind, value),
      dryRun: info.query.has('dryRun'),
    });
    return {
      kind: 'whole',
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: `${stringify(body)}\n`,
    };
  }
}

/** As Go reads it: without unknown fields, and without zeros. */
function decodeReview(kind: string, document: JsonObject): JsonObject {
  const definition = definitionOfKind(kind);
  if (definition === undefined) return document;
  try {
    return decodeTyped(definition, document).object;
  } catch (error) {
    if (error instanceof DecodeError)
      throw badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${error.message}`);
    throw error;
  }
}

/**
 * A namespaced custom resource is named in its namespace, and listed anywhere; a cluster-scoped one has no namespace.
 */
function scopeFits(namespaced: boolean, { namespace, verb }: RequestInfo): boolean {
  if (!namespaced) return namespace === '';
  return namespace !== '' || verb === 'list' || verb === 'watch';
}
