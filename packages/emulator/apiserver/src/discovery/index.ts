import type { Endpoint, ServerHost } from '../parts.js';
import { ApiDiscovery } from './api-discovery.js';
import { healthEndpoint } from './health.js';
import { OpenApi } from './openapi.js';
import { pathsEndpoint } from './paths.js';
import { versionEndpoint } from './version.js';
import { readOnly } from './read-only.js';

/** Every endpoint that describes the server and its resources. */
export function createDiscovery(host: ServerHost): readonly Endpoint[] {
  return [new ApiDiscovery(host), new OpenApi(host), versionEndpoint(host), healthEndpoint, pathsEndpoint(host)].map(
    readOnly,
  );
}
