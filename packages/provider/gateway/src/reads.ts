import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Client, type KubeObject, type Resource, isApiError } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { isOlder } from '@hawser/informer';
import { stringify } from '@hawser/json';
import { resourceGroupName } from '@hawser/kube-bind';
import type { ObjectRequest } from './asked.js';
import type { Fairness } from './fairness.js';
import type { Identity } from './identity.js';
import { type ListOptions, readListOptions } from './options.js';
import { ANY_VERSION, type Page, ownObjects, pageOf, readToken, textOf, tokenOf } from './page.js';
import { type Described, type Printer, printerFor } from './printer.js';
import { Refused, noSuchPath, notFound, tooLarge } from './refused.js';
import type { Sight } from './sight.js';
import type { Snapshot, Source } from './source.js';
import type { Sources } from './sources.js';
import type { Streams } from './streams.js';
import { refusalOf } from './upstream-error.js';
import type { ViewChanges } from './view-changes.js';
import { Watcher } from './watcher.js';

export interface ReadsParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly sources: Sources;
  readonly streams: Streams;
  readonly changes: ViewChanges;
  readonly fairness: Fairness;
  /** The provider's description of a resource for a consumer. */
  readonly described: (identity: Identity, resource: Resource) => Described | undefined;
}

/** A read of exported objects, with the caller and its view. */
export interface Read {
  readonly request: ObjectRequest;
  readonly identity: Identity;
  readonly sight: Sight;
  /** The current view of the consumer; undefined: it has none any more. */
  readonly sightNow: () => Sight | undefined;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a name holds, for one consumer. Closed. */
export type Stored =
  | { readonly kind: 'own'; readonly object: KubeObject }
  /** It exists, and belongs to another consumer. No answer reveals more. */
  | { readonly kind: 'other' }
  | { readonly kind: 'absent' };

const LONGEST_WATCH_MS = 1_800_000;
/** Shorter lists are sent uncompressed, as by an API server. */
const GZIP_OBJECTS = 50;

/** Answers reads of exported objects from one watch for all consumers, each with its own objects only. */
export class Reads {
  readonly #parts: ReadsParts;

  constructor(parts: ReadsParts) {
    this.#parts = parts;
  }

  /**
   * One object, as stored now.
   * @throws {Refused} 404, the same for a missing object and for one of another consumer
   */
  async get(read: Read): Promise<void> {
    const { request, sight, response } = read;
    const printer = this.#printer(read);
    const found = await this.stored(request, sight);
    if (found.kind !== 'own') throw notFound(request);
    sendJson(response, 200, printer.object(found.object));
  }

  /** What a name holds now. */
  async stored({ group, version, resource, namespace, name }: ObjectRequest, sight: Sight): Promise<Stored> {
    if (!sight.mayName(namespace, name)) return { kind: 'absent' };
    const source = await this.#parts.sources.get({ group, version, resource });
    if (source.served.namespaced !== (namespace !== '')) throw noSuchPath();
    // Before that, the owner of an object is unknown.
    await source.filled();
    const known = source.history.get(namespace, name);
    // Ask for an impossible name if the object is known to be another's: the answer then takes as long as for a missing
    // object.
    const isForeign = known !== undefined && !sight.sees(known);
    const key = { name: isForeign ? absentName(name) : name, ...(namespace === '' ? {} : { namespace }) };
    try {
      const object = await this.#parts.client.get(source.served.resource, key);
      return !isForeign && sight.sees(object) ? { kind: 'own', object } : { kind: 'other' };
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (error.code !== 'NotFound') throw refusalOf(error);
      return { kind: isForeign ? 'other' : 'absent' };
    }
  }

  async list(read: Read): Promise<void> {
    const { request, incoming, response } = read;
    const printer = this.#printer(read);
    const options = readListOptions(request.query, false);
    const source = await this.#source(request);
    const release = source.use();
    try {
      await source.checkFields(options.fields.fields);
      const page = await pageFor(source, options, read);
      const text = Readable.from(textOf(source.served, page, printer), { objectMode: false });
      const zipped = page.objects.length > GZIP_OBJECTS && takesGzip(incoming);
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(zipped ? { 'content-encoding': 'gzip', vary: 'Accept-Encoding' } : {}),
      });
      await (zipped ? pipeline(text, createGzip({ level: 1 }), response) : pipeline(text, response));
    } finally {
      release();
    }
  }

  async watch(read: Read): Promise<void> {
    const { request, identity } = read;
    const { fairness } = this.#parts;
    const printer = this.#printer(read);
    const options = readListOptions(request.query, true);
    const consumer = identity.clusterNamespace;
    const notCounted = fairness.watch(consumer);
    try {
      const source = await this.#source(request);
      const release = source.use();
      try {
        await source.checkFields(options.fields.fields);
        await this.#watch(read, source, options, printer);
      } finally {
        release();
      }
    } finally {
      notCounted();
    }
  }

  async #watch(read: Read, source: Source, options: ListOptions, printer: Printer): Promise<void> {
    const { request, identity, response, sightNow } = read;
    const { clock, random, streams, changes } = this.#parts;
    const { resourceVersion, initialEvents } = options;
    // Before anything is sent: a failure can then be an answer of its own.
    let initial = initialEvents ? await initialFor(source, options) : undefined;
    const sight = sightNow();
    if (sight === undefined || response.destroyed) return;
    const ended = Promise.withResolvers<undefined>();
    response.on('close', () => {
      ended.resolve(undefined);
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watcher = new Watcher({
      served: source.served,
      history: source.history,
      options,
      printer,
      sight,
      namespace: request.namespace,
      clock,
      lifeMs: options.timeoutMs ?? LONGEST_WATCH_MS * (1 + random()),
      sink: {
        write: (text) => response.write(text),
        onDrain: (drained) => response.on('drain', drained),
        end: () => response.end(),
      },
    });
    const forget = streams.add({
      identity,
      review: () => {
        const now = sightNow();
        if (now === undefined) watcher.end();
        else watcher.see(now);
      },
      bookmark: () => {
        watcher.bookmark();
      },
      end: () => {
        watcher.end();
      },
    });
    try {
      const key = `${identity.dialect.name}/${identity.clusterNamespace}`;
      if (initial !== undefined) {
        const beginning = await beginningOf(initial, sight, options, request.namespace);
        // The client may be slow. Keep no objects of others for it.
        initial = undefined;
        await begin(watcher, beginning, response);
      } else if (changes.mustList(key, resourceGroupName(request), resourceVersion, source.newestShown))
        watcher.expire();
      else watcher.startAfter(resourceVersion);
      await ended.promise;
    } finally {
      forget();
      watcher.end();
    }
  }

  /** Also sends the warning of a deprecated version. @throws {Refused} 400, 406 */
  #printer({ request, identity, incoming, response }: Read): Printer {
    const { clock, described } = this.#parts;
    const description = described(identity, request);
    if (description?.warning !== undefined)
      response.setHeader('warning', `299 - ${inAscii(JSON.stringify(description.warning))}`);
    return printerFor(incoming, request.query, description?.columns ?? [], () => clock.now());
  }

  async #source({ group, version, resource, namespace }: ObjectRequest): Promise<Source> {
    const source = await this.#parts.sources.get({ group, version, resource });
    if (!source.served.namespaced && namespace !== '') throw noSuchPath();
    await source.ready();
    return source;
  }
}

/** The answer to a list. While a slow client reads it, the gateway keeps no objects of others for it. */
async function pageFor(source: Source, options: ListOptions, read: Read): Promise<Page> {
  const { request, sight } = read;
  const snapshot = await snapshotFor(source, options, sight.clusterNamespace);
  const own = await ownObjects(snapshot, sight, options, request.namespace);
  return pageOf(own, snapshot.version, options);
}

/**
 * The state that a list shows (spec of `resourceVersion` and `resourceVersionMatch` in the Kubernetes API).
 * @throws {Refused} 410, 504
 */
async function snapshotFor(source: Source, options: ListOptions, consumer: string): Promise<Snapshot> {
  const { resourceVersion, match, limit, continueToken } = options;
  if (continueToken !== '') return continued(source, continueToken, consumer);
  if (resourceVersion === '') return source.latest();
  if (resourceVersion === '0') return source.known();
  if (match === 'Exact' || (match === '' && limit > 0)) return source.at(resourceVersion, consumer);
  return fresh(source, resourceVersion);
}

/**
 * The state that a list continues with. If it is forgotten, the answer has a token that continues with the current
 * state.
 */
async function continued(source: Source, token: string, consumer: string): Promise<Snapshot> {
  const { version, start } = readToken(token);
  if (version === ANY_VERSION) return source.latest();
  try {
    return await source.at(version, consumer);
  } catch (error) {
    if (!(error instanceof Refused) || error.status.code !== 410) throw error;
    throw new Refused(
      410,
      'Expired',
      'The list cannot go on as it was. Start again, or go on with the token in this answer: it shows what there is now.',
      undefined,
      undefined,
      tokenOf(ANY_VERSION, start),
    );
  }
}

function initialFor(source: Source, { resourceVersion }: ListOptions): Promise<Snapshot> {
  if (resourceVersion === '') return source.latest();
  return resourceVersion === '0' ? Promise.resolve(source.known()) : fresh(source, resourceVersion);
}

async function fresh(source: Source, version: string): Promise<Snapshot> {
  const snapshot = await source.notOlderThan(version);
  if (isOlder(snapshot.version, version)) throw tooLarge(version, snapshot.version, 1);
  return snapshot;
}

/** The consumer's part of the state that a watch begins with. */
async function beginningOf(
  initial: Snapshot,
  sight: Sight,
  options: ListOptions,
  namespace: string,
): Promise<Snapshot> {
  return { version: initial.version, objects: await ownObjects(initial, sight, options, namespace) };
}

/** Sends the initial state of a watch, at the pace of the client. */
async function begin(watcher: Watcher, { version, objects }: Snapshot, response: ServerResponse): Promise<void> {
  for (const object of objects) {
    if (watcher.over) return;
    if (!watcher.initial(object)) await drained(response);
  }
  watcher.initialEnd(version);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (!response.writableNeedDrain || response.destroyed) done();
  });
}

/** Headers allow only ASCII. */
const inAscii = (text: string): string => text.replaceAll(/[^\x20-\x7e]/gu, '?');

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, Buffer.from(`${stringify(value)}\n`, 'utf8'));
}

/** @param json text that is sent unchanged. */
export function sendText(response: ServerResponse, status: number, json: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': json.length });
  response.end(json);
}

export function sendRefusal(response: ServerResponse, { retryAfterSeconds, status }: Refused): void {
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  sendJson(response, status.code, status);
}

/** About as long as `name`. No object can have it: names of objects have no capital letters. */
const absentName = (name: string): string => `${name.slice(0, 200)}.Absent`;

const takesGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b/u.test(headers['accept-encoding']?.toString() ?? '');
