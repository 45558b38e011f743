import { systemClock } from '@hawser/clock';
import { stringify } from '@hawser/json';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import type { RequestDescription } from './api-error.js';
import type {
  Client,
  DeleteOptions,
  DeleteResult,
  ListOptions,
  Patch,
  ReadOptions,
  RequestOptions,
  WatchOptions,
  WatchStream,
  WriteOptions,
} from './client.js';
import { type ClientMetrics, clientMetrics } from './client-metrics.js';
import { asDeleteResult, asList, asObject, parseJson } from './decode.js';
import { JSON_TYPE, acceptList, acceptObject, encodePatch, writeQuery } from './encoding.js';
import { EventStream } from './event-stream.js';
import type { ByteSink, HttpResponse } from './exchange.js';
import { KeptWarm } from './kept-warm.js';
import { Limiter } from './limiter.js';
import type { KubeList, KubeObject, ObjectKey, Resource, UnstructuredObject } from './object.js';
import { keyOf, resourceName } from './object-key.js';
import { basePathOf, collectionPath, objectPath, withQuery } from './path.js';
import { Outages, type Recovery } from './recovery.js';
import { type RequestScope, ScopeEndedError } from './request-scope.js';
import { Requester } from './requester.js';
import { ServerTime } from './server-time.js';
import { Transport } from './transport.js';
import type { ClientOptions } from './client-options.js';
import { type Build, type Target, attemptBuild, decodeRaw } from './message.js';
import { answers } from './readiness-probe.js';

/**
 * Creates a client of one API server. It opens no connection before the first request, and owns its sockets until
 * {@link Client.close}.
 */
export function createClient(options: ClientOptions): Client {
  const {
    name,
    connection,
    clock = systemClock,
    random = Math.random,
    logger = silentLogger,
    metrics = noMetrics,
    concurrency = 64,
  } = options;
  const transport = new Transport({
    connection,
    connections: options.connections ?? concurrency,
    dispatcher: options.dispatcher,
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    clock,
    logger,
  });
  const limiter = new Limiter({ clock, concurrency, qps: options.qps, burst: options.burst });
  const counted = clientMetrics(metrics, name);
  const probe = (): Promise<boolean> => answers(transport, options.userAgent ?? 'hawser');
  const outages = new Outages({ clock, random, probe });
  const watches = new Set<unknown>();
  const warm = new KeptWarm({
    clock,
    random,
    isFar: () => (transport.connectMs ?? 0) >= FAR_MS,
    isWatched: () => watches.size > 0,
    touch: probe,
  });
  const serverTime = new ServerTime(clock);
  const requester = new Requester({ transport, limiter, clock, random, logger, metrics: counted, outages, serverTime });
  const shared: Shared = {
    name,
    transport,
    requester,
    outages,
    warm,
    serverTime,
    metrics: counted,
    userAgent: options.userAgent ?? 'hawser',
    watches,
  };
  return new RestClient(shared, [], undefined);
}

/**
 * From this time to connect on, a server counts as far. Connecting takes two round trips and some milliseconds of CPU.
 */
const FAR_MS = 30;

/** State that a client shares with its guarded views. */
interface Shared {
  readonly name: string;
  readonly transport: Transport;
  readonly requester: Requester;
  readonly outages: Outages;
  readonly warm: KeptWarm;
  readonly serverTime: ServerTime;
  readonly metrics: ClientMetrics;
  readonly userAgent: string;
  readonly watches: Set<unknown>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** A page of 500 objects, a quarter of a mebibyte each. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

/** A path of the host, instead of the one in the server's URL, and the name of that cluster. */
interface PathScope {
  readonly basePath: string;
  readonly name: string;
}

class RestClient implements Client {
  readonly #shared: Shared;
  readonly #guards: readonly AbortSignal[];
  readonly #scope: PathScope | undefined;

  constructor(shared: Shared, guards: readonly AbortSignal[], scope: PathScope | undefined) {
    this.#shared = shared;
    this.#guards = guards;
    this.#scope = scope;
  }

  get name(): string {
    return this.#scope?.name ?? this.#shared.name;
  }

  get recovery(): Recovery {
    return this.#shared.outages;
  }

  get serverTime(): Pick<ServerTime, 'now'> {
    return this.#shared.serverTime;
  }

  get<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    key: ObjectKey,
    options: ReadOptions = {},
  ): Promise<T> {
    const target = { verb: 'get', resource, ...key };
    return this.#read(target, options, asObject<T>, () => ({
      method: 'GET',
      path: objectPath(resource, key),
      accept: acceptObject(options),
    }));
  }

  list<T extends KubeObject = UnstructuredObject>(resource: Resource, options: ListOptions = {}): Promise<KubeList<T>> {
    const target = { verb: 'list', resource, namespace: options.namespace };
    return this.#read(
      target,
      options,
      (answer) => asList<T>(answer, options.onUnusable),
      () => ({
        method: 'GET',
        path: withQuery(collectionPath(resource, options.namespace), {
          labelSelector: options.labelSelector,
          fieldSelector: options.fieldSelector,
          limit: options.limit,
          continue: options.continue,
          resourceVersion: options.resourceVersion,
          resourceVersionMatch: options.resourceVersionMatch,
        }),
        accept: acceptList(options),
        maxBytes: options.maxBytes,
      }),
    );
  }

  create<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    object: KubeObject,
    options: WriteOptions = {},
  ): Promise<T> {
    const { namespace, name } = object.metadata;
    const target = { verb: 'create', resource, namespace, name, subresource: options.subresource };
    return this.#write(target, options, asObject<T>, () => ({
      method: 'POST',
      path: withQuery(
        options.subresource === undefined
          ? collectionPath(resource, namespace)
          : objectPath(resource, keyOf(object), options.subresource),
        writeQuery(options),
      ),
      accept: acceptObject(options),
      body: stringify(object),
      contentType: JSON_TYPE,
    }));
  }

  update<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    object: KubeObject,
    options: WriteOptions = {},
  ): Promise<T> {
    const key = keyOf(object);
    const target = { verb: 'update', resource, ...key, subresource: options.subresource };
    return this.#write(target, options, asObject<T>, () => ({
      method: 'PUT',
      path: withQuery(objectPath(resource, key, options.subresource), writeQuery(options)),
      accept: acceptObject(options),
      body: stringify(object),
      contentType: JSON_TYPE,
    }));
  }

  patch<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const target = {
      verb: patch.type === 'apply' ? 'apply' : 'patch',
      resource,
      ...key,
      subresource: options.subresource,
    };
    return this.#write(target, options, asObject<T>, () => {
      const { contentType, body, force } = encodePatch(patch);
      return {
        method: 'PATCH',
        path: withQuery(objectPath(resource, key, options.subresource), { ...writeQuery(options), force }),
        accept: acceptObject(options),
        body: stringify(body),
        contentType,
      };
    });
  }

  delete(resource: Resource, key: ObjectKey, options: DeleteOptions = {}): Promise<DeleteResult> {
    const target = { verb: 'delete', resource, ...key };
    return this.#write(target, options, asDeleteResult, () => ({
      method: 'DELETE',
      path: objectPath(resource, key),
      accept: JSON_TYPE,
      body: stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: options.preconditions,
        propagationPolicy: options.propagationPolicy,
        dryRun: options.dryRun === true ? ['All'] : undefined,
      }),
      contentType: JSON_TYPE,
    }));
  }

  async watch<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    options: WatchOptions = {},
  ): Promise<WatchStream<T>> {
    const { requester, metrics, outages, watches } = this.#shared;
    const description = this.#describe({ verb: 'watch', resource, namespace: options.namespace });
    // Until the watch is open, it is an ordinary request with a deadline.
    const scope = requester.scope([options.signal], DEFAULT_TIMEOUT_MS);
    const stream = new EventStream<T>({
      known: options.known,
      onUnusable: options.onUnusable,
      toError: (problem) => requester.toError(problem, description),
      onClose: () => {
        scope.dispose();
        // Its connection may have ended with its server.
        outages.lost();
        watches.delete(stream);
        metrics.openWatches(watches.size);
      },
    });
    await this.#send(
      description,
      scope,
      () => ({
        method: 'GET',
        path: withQuery(collectionPath(resource, options.namespace), {
          watch: true,
          labelSelector: options.labelSelector,
          fieldSelector: options.fieldSelector,
          resourceVersion: options.resourceVersion,
          resourceVersionMatch: options.resourceVersionMatch,
          allowWatchBookmarks: options.allowBookmarks,
          sendInitialEvents: options.sendInitialEvents,
          timeoutSeconds: options.timeoutSeconds,
        }),
        accept: acceptObject(options),
      }),
      stream,
    ).catch((error: unknown) => {
      scope.dispose();
      throw error;
    });
    scope.clearTimeout();
    scope.onEnd((ending) => {
      stream.abort(requester.toError(new ScopeEndedError(ending), description));
    });
    if (!stream.closed) {
      watches.add(stream);
      metrics.openWatches(watches.size);
      this.#shared.warm.used();
    }
    return stream;
  }

  raw(method: 'GET' | 'POST', path: string, body?: unknown, options: RequestOptions = {}): Promise<unknown> {
    const description = { cluster: this.name, verb: method.toLowerCase(), resource: path.replace(/\?.*$/u, '') };
    return this.#request(description, method === 'GET' ? [] : this.#guards, options, decodeRaw, () => ({
      method,
      path,
      accept: `${JSON_TYPE}, */*`,
      ...(body === undefined ? {} : { body: stringify(body), contentType: JSON_TYPE }),
    }));
  }

  withWriteGuard(signal: AbortSignal): Client {
    return new RestClient(this.#shared, [...this.#guards, signal], this.#scope);
  }

  at(path: string, name = this.name): Client {
    return new RestClient(this.#shared, this.#guards, { basePath: basePathOf(path), name });
  }

  async close(): Promise<void> {
    if (this.#scope !== undefined) return;
    this.#shared.outages.close();
    this.#shared.warm.close();
    await this.#shared.transport.close();
    this.#shared.metrics.close();
  }

  #read<T>(target: Target, options: RequestOptions, decode: (answer: unknown) => T, build: Build): Promise<T> {
    return this.#request(this.#describe(target), [], options, (response) => decode(parseJson(response.body)), build);
  }

  #write<T>(target: Target, options: RequestOptions, decode: (answer: unknown) => T, build: Build): Promise<T> {
    return this.#request(
      this.#describe(target),
      this.#guards,
      options,
      (response) => decode(parseJson(response.body)),
      build,
    );
  }

  async #request<T>(
    description: RequestDescription,
    guards: readonly AbortSignal[],
    options: RequestOptions,
    decode: (response: HttpResponse) => T,
    build: Build,
  ): Promise<T> {
    const { requester, warm } = this.#shared;
    const scope = requester.scope([options.signal, ...guards], options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    try {
      const answer = await this.#send(description, scope, build);
      warm.used();
      return decode(answer);
    } catch (error) {
      throw requester.toError(error, description);
    } finally {
      scope.dispose();
    }
  }

  async #send(
    description: RequestDescription,
    scope: RequestScope,
    build: Build,
    sink?: ByteSink,
  ): Promise<HttpResponse> {
    const { requester, userAgent } = this.#shared;
    try {
      const { method, path, accept, body, contentType, maxBytes } = attemptBuild(build);
      const headers: Record<string, string> = { accept, 'user-agent': userAgent };
      if (contentType !== undefined) headers['content-type'] = contentType;
      return await requester.send(
        { description, method, path, basePath: this.#scope?.basePath, headers, body, maxBytes },
        scope,
        sink,
      );
    } catch (error) {
      throw requester.toError(error, description);
    }
  }

  #describe(target: Target): RequestDescription {
    const resource = resourceName(target.resource);
    return {
      cluster: this.name,
      verb: target.verb,
      resource: target.subresource === undefined ? resource : `${resource}/${target.subresource}`,
      namespace: target.namespace,
      name: target.name,
    };
  }
}
