import { type JsonObject, parse, stringify } from '@hawser/json';
import type { SharedControlPlane } from '@hawser/testenv';
import { type Endpoint, requestBody } from './expected-answer.js';
import type { Step } from './generated-objects.js';

/** A step as a request to a real server. */
export async function send(
  cluster: SharedControlPlane,
  endpoint: Endpoint,
  path: string,
  step: Step,
  live: JsonObject | undefined,
): Promise<{ status: number; object: JsonObject }> {
  const target = step.subresource === undefined ? path : `${path}/${step.subresource}`;
  const query = `?fieldManager=${step.manager}${step.kind === 'apply' ? `&force=${String(step.force)}` : ''}`;
  const body = stringify(requestBody(endpoint, step, live !== undefined && step.kind === 'update' ? live : undefined));
  const response = await cluster.request({
    ...request(step, target, live),
    body,
    path: request(step, target, live).path + query,
  });
  return { status: response.status, object: parse(response.text) as JsonObject };
}

function request(
  step: Step,
  path: string,
  live: JsonObject | undefined,
): { method: string; path: string; contentType: string } {
  switch (step.kind) {
    case 'apply':
      return { method: 'PATCH', path, contentType: 'application/apply-patch+yaml' };
    case 'patch':
      return { method: 'PATCH', path, contentType: 'application/merge-patch+json' };
    case 'update':
      return live === undefined
        ? { method: 'POST', path: path.slice(0, path.lastIndexOf('/')), contentType: 'application/json' }
        : { method: 'PUT', path, contentType: 'application/json' };
  }
}
