import type { Endpoint, ServerHost } from '../parts.js';
import { ApiDiscovery } from './api-discovery.js';
import { healthEndpoint } from './health.js';
import { OpenApi } from './openapi.js';
import { pathsEndpoint } from './paths.js';
import { versionEndpoint } from './version.js';
import { readOnly } from './read-only.js';

/** Everything by which a client learns what the server is and has. */
export function createDiscovery(host: ServerHost): readonly Endpoint[] {
  return [new ApiDiscovery(host), new OpenApi(host), versionEndpoint(host), healthEndpoint, pathsEndpoint(host)].map(
    readOnly,
  );
}
