import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Passage } from '@hawser/client';
import type { ConsumerView } from '@hawser/exportrbac';
import { parse } from '@hawser/json';
import type { Logger } from '@hawser/telemetry';
import { type Asked, readRequest } from './asked.js';
import { Shown, shownDocument, shownGroups, shownIndex, shownResources } from './discovery.js';
import { clientOf } from './connections.js';
import { Documents } from './documents.js';
import type { Fairness } from './fairness.js';
import { type Identities, type Identity, noConsumer } from './identity.js';
import { handOn, sendOn, textOfAnswer } from './passed.js';
import type { Objects } from './objects.js';
import { sendJson, sendRefusal, sendText } from './reads.js';
import { Refused, noSuchPath, unavailable } from './refused.js';

export interface HandlerParts {
  readonly passage: Passage;
  readonly identities: Identities;
  readonly objects: Objects;
  readonly fairness: Fairness;
  readonly logger: Logger;
  readonly viewOf: (identity: Identity) => ConsumerView | undefined;
  /** Whether the views of consumers are known. */
  readonly isReady: () => boolean;
  /** Called for each answered request. */
  readonly answered: (asked: Asked | undefined, identity: Identity | undefined, status: number) => void;
}

/** Answers one HTTP request. Never throws: a failure is an answer, or ends the connection. */
export class Handler {
  readonly #parts: HandlerParts;
  readonly #documents = new Documents();

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let asked: Asked | undefined;
    let identity: Identity | undefined;
    response.setHeader('cache-control', 'no-cache, private');
    try {
      asked = readRequest(incoming.method ?? '', incoming.url ?? '');
      if (asked.kind === 'health') {
        this.#health(response);
        return;
      }
      identity = await this.#identify(incoming);
      await this.#answer(asked, identity, incoming, response);
    } catch (error) {
      // Do not wait for the rest of a long request.
      if (!response.headersSent && hasLongRest(incoming)) response.setHeader('connection', 'close');
      this.#fail(error, response);
    } finally {
      this.#parts.answered(asked, identity, response.statusCode);
    }
  }

  #health(response: ServerResponse): void {
    const ready = this.#parts.isReady();
    response.writeHead(ready ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(ready ? 'ok' : 'not ready');
  }

  async #identify({ headersDistinct, socket }: IncomingMessage): Promise<Identity> {
    if (!this.#parts.isReady()) throw unavailable('the gateway has just started, please try again');
    const [authorization, ...more] = headersDistinct['authorization'] ?? [];
    return this.#parts.identities.identify(
      more.length === 0 ? authorization : undefined,
      clientOf(socket.remoteAddress ?? ''),
    );
  }

  async #answer(asked: Asked, identity: Identity, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { objects, fairness, viewOf } = this.#parts;
    const view = viewOf(identity);
    if (view === undefined) throw noConsumer(identity.username);
    if (asked.kind === 'objects' && asked.verb === 'watch') {
      await objects.handle({ identity, view, request: asked, incoming, response });
      return;
    }
    const done = await fairness.request(identity.clusterNamespace);
    try {
      if (asked.kind === 'objects') await objects.handle({ identity, view, request: asked, incoming, response });
      else await this.#describe(asked, identity, new Shown(identity, view), response);
    } finally {
      done();
    }
  }

  async #describe(
    asked: Exclude<Asked, { readonly kind: 'objects' }>,
    identity: Identity,
    shown: Shown,
    response: ServerResponse,
  ): Promise<void> {
    switch (asked.kind) {
      case 'health':
        this.#health(response);
        return;
      case 'coreVersions':
        sendJson(response, 200, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] });
        return;
      case 'version': {
        const request = { method: 'GET', path: '/version', headers: JSON_ONLY } as const;
        await handOn(await sendOn(this.#parts.passage, identity, request, endOf(response)), response);
        return;
      }
      case 'groups':
        sendJson(response, 200, shownGroups(await this.#document('/apis', identity, response), shown));
        return;
      case 'group':
        if (!shown.group(asked.group)) throw noSuchPath();
        sendJson(response, 200, await this.#document(`/apis/${asked.group}`, identity, response));
        return;
      case 'resources': {
        const { group, version } = asked;
        if (!shown.group(group)) throw noSuchPath();
        const document = await this.#document(`${rootOf(group)}/${version}`, identity, response);
        sendJson(response, 200, shownResources(document, group, shown));
        return;
      }
      case 'openapiIndex':
        sendJson(response, 200, shownIndex(await this.#document('/openapi/v3', identity, response), shown));
        return;
      case 'openapi': {
        const { group, version } = asked;
        if (!shown.group(group)) throw noSuchPath();
        const path = `/openapi/v3${rootOf(group)}/${version}`;
        await this.#keptDocument(path, identity, response, shown.resourcesOf(group), (document) =>
          shownDocument(document, group, shown),
        );
        return;
      }
    }
  }

  /** @param parts of the visible APIs. */
  async #keptDocument(
    path: string,
    identity: Identity,
    response: ServerResponse,
    parts: readonly string[],
    shown: (document: unknown) => unknown,
  ): Promise<void> {
    const text = await this.#documents.get({
      key: JSON.stringify([path, identity.dialect.name, ...parts]),
      ask: (etag) => {
        const headers = { ...JSON_ONLY, ...(etag === undefined ? {} : { 'if-none-match': etag }) };
        return sendOn(this.#parts.passage, identity, { method: 'GET', path, headers }, endOf(response));
      },
      shown,
    });
    sendText(response, 200, text);
  }

  /** The API server's discovery answer for the consumer. @throws {Refused} as the API server does */
  async #document(path: string, identity: Identity, response: ServerResponse): Promise<unknown> {
    const request = { method: 'GET', path, headers: JSON_ONLY } as const;
    const answer = await sendOn(this.#parts.passage, identity, request, endOf(response));
    const text = await textOfAnswer(answer);
    if (answer.status === 404) throw noSuchPath();
    if (answer.status !== 200) throw unavailable('the API server does not tell of its APIs, please try again');
    return parse(text);
  }

  #fail(error: unknown, response: ServerResponse): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const refused = error instanceof Refused ? error : new Refused(500, 'InternalError', 'Internal error occurred');
    if (refused !== error) this.#parts.logger.error('A request could not be answered.', { error });
    sendRefusal(response, refused);
  }
}

/** A shorter rest of a request is read and dropped, so that its connection serves the next one. */
const LONGEST_REST = 65_536;

/**
 * Whether the rest of a request may be so long that closing the connection is better. A request without a body is
 * complete, even while its headers are being read.
 */
function hasLongRest({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? '0') > LONGEST_REST;
}

const JSON_ONLY = { accept: 'application/json' };
const rootOf = (group: string): string => (group === '' ? '/api' : `/apis/${group}`);

function endOf(response: ServerResponse): AbortSignal {
  const ending = new AbortController();
  response.on('close', () => {
    ending.abort();
  });
  return ending.signal;
}
