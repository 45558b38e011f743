import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Passage, type PassedAnswer } from '@hawser/client';
import type { ConsumerView } from '@hawser/exportrbac';
import { isFields, parse } from '@hawser/json';
import { resourceGroupName } from '@hawser/kube-bind';
import { type ObjectRequest, pathOf } from './asked.js';
import type { Fairness } from './fairness.js';
import type { Identity } from './identity.js';
import { notBefore } from './not-before.js';
import { handOn, headersOn, readBody, sendOn, textOfAnswer } from './passed.js';
import type { Read, Reads } from './reads.js';
import { sendJson } from './reads.js';
import { withReads } from './rules-review.js';
import { type Refused, alreadyExists, forbidden, notFound } from './refused.js';
import { Sight } from './sight.js';
import type { Streams } from './streams.js';

export interface ObjectsParts {
  readonly passage: Passage;
  readonly reads: Reads;
  readonly streams: Streams;
  readonly fairness: Fairness;
  /** The consumer's current view; undefined: it is no longer a consumer. */
  readonly viewOf: (identity: Identity) => ConsumerView | undefined;
  /** A version of the API server at which the namespace was already in its current state; undefined: none. */
  readonly versionOf: (identity: Identity, namespace: string) => string | undefined;
}

/** How a request is forwarded. */
interface Passing {
  /** Whether a watch may continue with the consumer's new view. */
  readonly isAllowed?: (view: ConsumerView) => boolean;
  /** Present: the name may be another consumer's by now. The API server's answer about that object is withheld. */
  readonly isTaken?: () => Promise<boolean>;
  /** The answer in that case. */
  readonly taken?: Refused;
}

/** One request about objects. */
export interface Handling {
  readonly identity: Identity;
  readonly view: ConsumerView;
  readonly request: ObjectRequest;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Decides which side answers a request about objects.
 * The gateway reads exported objects; the API server writes them, with the consumer's own credential. The API server
 * alone serves the cluster namespace, claimed objects and reviews. The gateway refuses everything else before it
 * reaches the API server.
 */
export class Objects {
  readonly #parts: ObjectsParts;

  constructor(parts: ObjectsParts) {
    this.#parts = parts;
  }

  async handle(handling: Handling): Promise<void> {
    const { identity, view, request } = handling;
    const reaches = view.resources.get(resourceGroupName(request));
    if (isInOwnNamespace(identity, request) && (reaches === undefined || request.namespace === '')) {
      await this.#passOn(this.#ofNow(handling));
    } else if (reaches !== undefined && request.group !== '') {
      await this.#exported(handling, new Sight(identity.clusterNamespace, reaches));
    } else if (isClaimed(view, request)) {
      await this.#passOn(this.#ofNow(handling), { isAllowed: (now) => isClaimed(now, request) });
    } else if (isReview(request)) {
      await this.#review(handling);
    } else throw refusal(handling);
  }

  /** A request in a namespace of the consumer. Objects there from before the consumer had it have an unknown owner. */
  #ofNow(handling: Handling): Handling {
    const { identity, request } = handling;
    if (request.namespace === '') return handling;
    return { ...handling, request: notBefore(this.#parts.versionOf(identity, request.namespace), request) };
  }

  async #exported(handling: Handling, sight: Sight): Promise<void> {
    const { identity, request, incoming, response } = handling;
    const { reads } = this.#parts;
    // No consumer has rights to subresources of exported objects.
    if (request.subresource !== '') throw refusal(handling);
    const read: Read = {
      request,
      identity,
      sight,
      sightNow: () => {
        const now = this.#parts.viewOf(identity)?.resources.get(resourceGroupName(request));
        return now === undefined ? undefined : new Sight(identity.clusterNamespace, now);
      },
      incoming,
      response,
    };
    switch (request.verb) {
      case 'get':
        return reads.get(read);
      case 'list':
        return reads.list(read);
      case 'watch':
        return reads.watch(read);
      case 'create':
        if (request.name !== '') throw refusal(handling);
        if (!sight.mayCreateIn(request.namespace)) throw noSuchNamespace(handling);
        return this.#passOn(handling);
      case 'update':
      case 'patch':
      case 'delete':
        return this.#change(handling, sight);
      case 'deletecollection':
        throw refusal(handling);
    }
  }

  async #change(handling: Handling, sight: Sight): Promise<void> {
    const { request, incoming } = handling;
    const isApply = /^application\/apply-patch/u.test(incoming.headers['content-type'] ?? '');
    // An apply creates a missing object.
    const creates = request.verb === 'patch' && isApply;
    if (!sight.mayName(request.namespace, request.name)) {
      if (!creates) throw notFound(request);
      throw sight.mayCreateIn(request.namespace) ? refusal(handling) : noSuchNamespace(handling);
    }
    if (!sight.isSharedName(request.namespace)) return this.#passOn(handling);
    const { kind } = await this.#parts.reads.stored(request, sight);
    // Answer for missing objects here as well: the API server would check rights before existence.
    if (kind !== 'own' && !creates) throw notFound(request);
    if (kind === 'other') throw alreadyExists(request);
    // Another consumer may take the name before the write arrives.
    await this.#passOn(handling, {
      isTaken: async () => (await this.#parts.reads.stored(request, sight)).kind === 'other',
      taken: kind === 'own' && !creates ? notFound(request) : alreadyExists(request),
    });
  }

  async #passOn(handling: Handling, { isAllowed = () => true, isTaken, taken }: Passing = {}): Promise<void> {
    const { identity, request, incoming, response } = handling;
    const { fairness, streams, viewOf, passage } = this.#parts;
    if (request.subresource !== '' && request.subresource !== 'status') throw refusal(handling);
    const watch = request.verb === 'watch';
    // The body of a read does not matter, so it is not kept.
    const body = methodOf(request) === 'GET' ? undefined : await readBody(incoming);
    const notCounted = watch ? fairness.watch(identity.clusterNamespace) : undefined;
    const ending = new AbortController();
    const end = (): void => {
      ending.abort();
    };
    response.on('close', end);
    const forget = watch
      ? streams.add({
          identity,
          review: () => {
            const now = viewOf(identity);
            if (now === undefined || !isAllowed(now)) end();
          },
          bookmark: () => undefined,
          end,
        })
      : undefined;
    try {
      const answer = await sendOn(
        passage,
        identity,
        {
          method: methodOf(request),
          path: pathOf(request),
          headers: headersOn(incoming, isTaken === undefined),
          body,
          watch,
        },
        ending.signal,
      );
      await handOn(
        isTaken === undefined || taken === undefined ? answer : await withoutOther(answer, isTaken, taken),
        response,
        watch,
      );
    } catch (error) {
      // The consumer may not see the rest, or the client is gone.
      if (!ending.signal.aborted) throw error;
      response.destroy();
    } finally {
      forget?.();
      notCounted?.();
    }
  }

  /** The API server knows no right to the reads that the gateway answers. */
  async #review(handling: Handling): Promise<void> {
    const { view, request, incoming, response, identity } = handling;
    const body = await readBody(incoming);
    const asked = request.resource === 'selfsubjectaccessreviews' ? readAsked(body) : undefined;
    if (asked !== undefined && isRead(view, asked.attributes)) {
      sendJson(response, 201, { ...asked.review, status: { allowed: true, reason: 'by the gateway' } });
      return;
    }
    const rules = request.resource === 'selfsubjectrulesreviews';
    // The gateway parses and extends this answer.
    const headers = rules ? { ...headersOn(incoming, false), accept: 'application/json' } : headersOn(incoming);
    const passed = { method: 'POST', path: pathOf(request), headers, body } as const;
    const answer = await sendOn(this.#parts.passage, identity, passed, new AbortController().signal);
    if (rules && answer.status === 201) sendJson(response, 201, withReads(parse(await textOfAnswer(answer)), view));
    else await handOn(answer, response);
  }
}

function readAsked(body: Buffer | undefined) {
  try {
    const review: unknown = parse(body?.toString('utf8') ?? '');
    const spec = isFields(review) ? review['spec'] : undefined;
    const attributes = isFields(spec) ? spec['resourceAttributes'] : undefined;
    return isFields(review) && isFields(attributes) ? { review, attributes } : undefined;
  } catch {
    return undefined;
  }
}

function isRead(
  view: ConsumerView,
  { verb, group, resource, subresource = '' }: Readonly<Record<string, unknown>>,
): boolean {
  return (
    typeof group === 'string' &&
    typeof resource === 'string' &&
    subresource === '' &&
    (verb === 'get' || verb === 'list' || verb === 'watch') &&
    view.resources.has(resourceGroupName({ group, resource }))
  );
}

/** The consumer's cluster namespace, and everything in it. */
function isInOwnNamespace({ clusterNamespace }: Identity, request: ObjectRequest): boolean {
  if (request.namespace !== '') return request.namespace === clusterNamespace;
  const { group, resource, name, subresource, verb } = request;
  return group === '' && resource === 'namespaces' && name === clusterNamespace && subresource === '' && verb === 'get';
}

function isClaimed(view: ConsumerView, request: ObjectRequest): boolean {
  return view.claims.has(resourceGroupName(request)) && view.claimNamespaces.has(request.namespace);
}

function isReview({ group, resource, namespace, name, verb }: ObjectRequest): boolean {
  if (verb !== 'create' || namespace !== '' || name !== '') return false;
  return group === 'authorization.k8s.io'
    ? resource === 'selfsubjectaccessreviews' || resource === 'selfsubjectrulesreviews'
    : group === 'authentication.k8s.io' && resource === 'selfsubjectreviews';
}

function methodOf({ verb }: ObjectRequest): 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' {
  switch (verb) {
    case 'get':
    case 'list':
    case 'watch':
      return 'GET';
    case 'create':
      return 'POST';
    case 'update':
      return 'PUT';
    case 'patch':
      return 'PATCH';
    case 'delete':
    case 'deletecollection':
      return 'DELETE';
  }
}

/** Words of the consumers' admission policies about objects of others. */
const OF_OTHERS = /of the consumer|another consumer|provider's/u;

/**
 * An answer, unless it reveals another consumer's object that has taken the name meanwhile: an API server shows the
 * whole object if a patch does not fit.
 * @throws {Refused} `taken` then
 */
async function withoutOther(
  answer: PassedAnswer,
  isTaken: () => Promise<boolean>,
  taken: Refused,
): Promise<PassedAnswer> {
  if (answer.status < 400) return answer;
  const text = await textOfAnswer(answer);
  if (OF_OTHERS.test(text) || (await isTaken())) throw taken;
  return { ...answer, body: Readable.from([text], { objectMode: false }) };
}

const refusal = ({ identity, request }: Handling): Refused => forbidden(identity.username, request.verb, request);

function noSuchNamespace(handling: Handling): Refused {
  const { namespace } = handling.request;
  return namespace === '' ? refusal(handling) : notFound({ group: '', resource: 'namespaces', name: namespace });
}
