import type { ApiRequest } from '@hawser/apiserver';

/**
 * A server may give fewer objects than a list asks for. This makes it give so few that the lists of a run have several pages, and that what goes wrong meets
 * half lists. A list that asks for less gets what it asks for.
 */
export function inPages(request: ApiRequest, size: number): ApiRequest {
  if (!request.path.includes('limit=')) return request;
  const path = request.path.replace(/(?<=[?&]limit=)\d+/u, (limit) => String(Math.min(Number(limit), size)));
  return path === request.path ? request : { ...request, path };
}

/** Whether it asks for what follows the first page. */
export function continuesList({ path }: ApiRequest): boolean {
  return /[?&]continue=./u.test(path);
}
