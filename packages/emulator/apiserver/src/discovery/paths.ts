import { apiVersionOf } from '../object/meta.js';
import type { Endpoint, ServerHost } from '../parts.js';
import { jsonAnswer } from './json-answer.js';

const always = [
  '/api',
  '/apis',
  '/apis/',
  '/healthz',
  '/healthz/etcd',
  '/healthz/log',
  '/healthz/ping',
  '/livez',
  '/livez/etcd',
  '/livez/log',
  '/livez/ping',
  '/openapi/v3',
  '/openapi/v3/',
  '/readyz',
  '/readyz/etcd',
  '/readyz/log',
  '/readyz/ping',
  '/version',
];

/** `/`: the list of paths. */
export function pathsEndpoint(host: ServerHost): Endpoint {
  return {
    handle(_request, { path }) {
      if (path !== '/') return undefined;
      const served = host.catalog
        .resources()
        .flatMap(({ group, version }) =>
          group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${apiVersionOf(group, version)}`],
        );
      return jsonAnswer({ paths: [...new Set([...always, ...served])].sort() });
    },
  };
}
