import type { ApiRequest } from '@hawser/apiserver';

/**
 * Limits the pages of a server: a server may return fewer objects than a list asks for. Lists of a run then have
 * several pages, and faults hit half lists. A smaller limit of a list stays.
 */
export function inPages(request: ApiRequest, size: number): ApiRequest {
  if (!request.path.includes('limit=')) return request;
  const path = request.path.replace(/(?<=[?&]limit=)\d+/u, (limit) => String(Math.min(Number(limit), size)));
  return path === request.path ? request : { ...request, path };
}

/** Whether it requests a page after the first. */
export function continuesList({ path }: ApiRequest): boolean {
  return /[?&]continue=./u.test(path);
}
