import type { Endpoint } from '../parts.js';
import { methodNotAllowed } from '../status.js';

/** A read-only endpoint. */
export function readOnly(endpoint: Endpoint): Endpoint {
  return {
    handle(request, info) {
      const answer = endpoint.handle(request, info);
      if (answer === undefined) return undefined;
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
      return request.method === 'HEAD' ? { ...answer, body: '' } : answer;
    },
  };
}
