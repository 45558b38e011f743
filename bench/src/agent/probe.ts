import { subscribe } from 'node:diagnostics_channel';

import { collectGarbage } from '../collect-garbage.js';

// Loaded into the measured process (`NODE_OPTIONS=--import`). Counts every outgoing request, whatever its target, and
// serves the counts by HTTP on the loopback port HAWSER_BENCH_PROBE. Measures nothing unless asked.

const RESOURCE =
  /\/(?:api\/[^/?]+|apis\/([^/?]+)\/[^/?]+)(?:\/namespaces\/[^/?]+)?\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?(?:\?(.*))?$/u;

// Not an import statement: it would load more than needed into the measured process.
const { createServer } = process.getBuiltinModule('node:http');
const calls = new Map<string, number>();
const port = Number(process.env['HAWSER_BENCH_PROBE'] ?? 0);

function nameOf(method: string, path: string): string {
  const [, group, resource, object, subresource, query = ''] = RESOURCE.exec(path) ?? [];
  const side =
    path.startsWith('/services/') || path.startsWith('/clusters/') || path.startsWith('/shards/') ? 'kcp' : 'service';
  if (resource === undefined) return `${side} ${method} ${path.split('?')[0] ?? path}`;
  const verb = method !== 'GET' ? method : object !== undefined ? 'get' : query.includes('watch=') ? 'watch' : 'list';
  return `${side} ${verb} ${resource}${group === undefined ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

interface Answered {
  readonly request: { readonly method: string; readonly path: string };
  readonly response: { readonly statusCode: number };
}

/** The first requests, in milliseconds from the start of the process: when made, and when the answer began. */
const timeline: {
  readonly call: string;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly cpuMs: number;
}[] = [];
const TIMELINE = 200;
const sent = new WeakMap<object, number>();

if (port > 0) {
  subscribe('undici:request:create', (message) => {
    sent.set((message as Answered).request, performance.now());
  });
  subscribe('undici:request:headers', (message) => {
    const { request, response } = message as Answered;
    const name = nameOf(request.method, request.path);
    const key = response.statusCode < 400 ? name : `${name} ${response.statusCode}`;
    calls.set(key, (calls.get(key) ?? 0) + 1);
    if (timeline.length < TIMELINE)
      timeline.push({ call: key, sentMs: sent.get(request) ?? 0, answeredMs: performance.now(), cpuMs: cpuMs() });
  });
  const server = createServer((request, response) => {
    if (request.url === '/gc') {
      collectGarbage();
    }
    const { heapUsed, external } = process.memoryUsage();
    response.setHeader('connection', 'close');
    response.end(
      JSON.stringify({ calls: Object.fromEntries(calls), timeline, heapBytes: heapUsed, externalBytes: external }),
    );
  });
  // A process that only prints Node's version has the same environment and the same port.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1').unref();
}
