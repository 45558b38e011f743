import { randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import type { Logger } from '@hawser/telemetry';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { errorPayload, refusalOf } from './answer.js';
import { clientNetwork } from './client-address.js';
import type { PortalOptions } from './options.js';

/** The contract's limit (spec/kube-bind-backend.md §13.5). */
const BODY_BYTES = 1_048_576;
/** Time for a whole request to arrive: slow senders are cut off. */
const REQUEST_MS = 15_000;
const MOST_CONNECTIONS = 1_000;
/** For one address, and for one person. */
export const REQUESTS_PER_MINUTE = 300;

export interface ServerOptions extends Pick<PortalOptions, 'trustedProxies' | 'requestsPerMinute' | 'version'> {
  readonly publicUrl: URL;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly log: Logger;
  /** Time for a whole request to arrive. Default 15 s. */
  readonly requestMs?: number | undefined;
}

/**
 * Opens an HTTP server with the common needs of pages and routes: headers, limits, request ids, errors in the
 * contract's shape, and an access log without queries.
 */
export async function openServer(options: ServerOptions): Promise<FastifyInstance> {
  const {
    publicUrl,
    tls,
    log,
    trustedProxies = [],
    requestsPerMinute = REQUESTS_PER_MINUTE,
    version,
    requestMs = REQUEST_MS,
  } = options;
  // Node checks request times every half minute, and takes the longer of two times for the body.
  const looks = { connectionsCheckingInterval: Math.min(requestMs, 5_000), headersTimeout: requestMs };
  const app = fastify({
    ...(tls === undefined ? { http: looks } : { https: { ...tls, ...looks } }),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: BODY_BYTES,
    requestTimeout: requestMs,
    connectionTimeout: requestMs * 4,
    // Names of clusters and templates are free text; a path has a limit.
    routerOptions: { maxParamLength: 300 },
    // Never a client's own.
    genReqId: () => randomBytes(9).toString('base64url'),
    requestIdHeader: false,
    logger: false,
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      void reply.code(400).send(errorPayload('BAD_REQUEST', 'The address cannot be read.'));
    },
    handlerTimeout: 60_000,
    // Accepts unknown properties: clients of other versions send more.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: false } },
  });
  app.server.maxConnections = MOST_CONNECTIONS;
  await app.register(cookie);
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], formAction: ["'self'"], baseUri: ["'none'"] },
    },
    hsts: publicUrl.protocol === 'https:' ? { maxAge: 31_536_000 } : false,
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
  });
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    cache: 10_000,
    keyGenerator: ({ ip }) => clientNetwork(ip),
  });
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Hawser', version }, servers: [{ url: publicUrl.origin }] },
  });
  answerFailures(app, log);
  logRequests(app, log);
  return app;
}

function answerFailures(app: FastifyInstance, log: Logger): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, code, message, headers } = refusalOf(error, request.id, log);
    return reply.code(status).headers(headers).send(errorPayload(code, message));
  });
  app.setNotFoundHandler((request, reply) => {
    const known = methods.get(request.url.split('?')[0] ?? '');
    if (known === undefined)
      return reply
        .code(404)
        .send(
          errorPayload('RESOURCE_NOT_FOUND', 'There is nothing at this path. /api/openapi.json lists what there is.'),
        );
    const allowed = [...known].join(', ');
    return reply
      .code(405)
      .header('allow', allowed)
      .send(errorPayload('BAD_REQUEST', `${request.method} is not possible here, but ${allowed}.`));
  });
}

function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // Each answer depends on the caller, and some hold a credential.
    reply.header('cache-control', 'no-store');
  });
  app.addHook('onResponse', async (request, reply) => {
    // Without the query: a callback's has a code in it.
    const path = request.routeOptions.url ?? '(unknown)';
    const { method, ip, id } = request;
    log.info('request', {
      method,
      path,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      address: ip,
      requestId: id,
    });
  });
}
