import { dirname } from 'node:path';

import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const NAMESPACE = 'lean';

/**
 * Limits these libraries to the parts that an executable uses. Each loads all of itself with its first import: caches,
 * mocks, WebSockets, HTTP/2 and gateways cost every process 9 MB resident, most of it for Node's own modules. A build
 * fails if a library has moved a part.
 */
const parts: Readonly<Record<string, string>> = {
  undici: `
    const Dispatcher = require('undici/lib/dispatcher/dispatcher');
    Object.assign(Dispatcher.prototype, require('undici/lib/api'));
    exports.Dispatcher = Dispatcher;
    exports.buildConnector = require('undici/lib/core/connect');
    exports.Pool = require('undici/lib/dispatcher/pool');
    Object.defineProperty(exports, 'ProxyAgent', { enumerable: true, get: () => require('undici/lib/dispatcher/proxy-agent') });
    Object.defineProperty(exports, 'Agent', { enumerable: true, get: () => require('undici/lib/dispatcher/agent') });
    Object.defineProperty(exports, 'fetch', { enumerable: true, get: () => require('undici/lib/web/fetch').fetch });`,
  winston: `
    exports.createLogger = require('winston/lib/winston/create-logger');
    exports.format = { printf: require('logform/printf') };
    exports.transports = { Stream: require('winston/lib/winston/transports/stream') };`,
  'prom-client': `
    exports.Registry = require('prom-client/lib/registry');
    exports.Counter = require('prom-client/lib/counter');
    exports.Gauge = require('prom-client/lib/gauge');
    exports.Histogram = require('prom-client/lib/histogram');
    exports.collectDefaultMetrics = require('prom-client/lib/defaultMetrics');`,
  // Every pool is made with \`allowH2: false\`.
  'client-h2': 'module.exports = () => { throw new Error("HTTP/2 is not part of this build"); };',
};

export const lean: Plugin = {
  name: 'lean',
  setup(build) {
    // Go evaluates these expressions and lacks the flag `u`.
    build.onResolve({ filter: new RegExp('^(undici|winston|prom-client)$') }, ({ path, importer }) => ({
      path,
      namespace: NAMESPACE,
      pluginData: dirname(importer),
    }));
    build.onResolve({ filter: new RegExp('^[.]/client-h2([.]js)?$') }, () => ({
      path: 'client-h2',
      namespace: NAMESPACE,
    }));
    build.onLoad({ filter: new RegExp(''), namespace: NAMESPACE }, ({ path, pluginData }) => ({
      contents: parts[path] ?? '',
      ...(typeof pluginData === 'string' ? { resolveDir: pluginData } : {}),
    }));
  },
};
