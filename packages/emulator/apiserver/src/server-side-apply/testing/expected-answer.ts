import { type JsonObject, applyMergePatch, stringify } from '@hawser/json';
import { ApplyConflictError, type ConflictCause, type TrackedType, apply, keepTimes, update } from '../index.js';
import type { Step } from './generated-objects.js';

/** Write behaviour of one kind, apart from ownership. */
export interface Endpoint {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  tracked(subresource: string | undefined): TrackedType;
  /** What decoding adds. */
  defaults(object: JsonObject): JsonObject;
  /** The part of a write that the endpoint accepts. */
  prepare(object: JsonObject, live: JsonObject | undefined, subresource: string | undefined): JsonObject;
}

export type Answer =
  | { readonly kind: 'object'; readonly object: JsonObject }
  | { readonly kind: 'conflict'; readonly message: string; readonly causes: readonly ConflictCause[] };

const time = '2030-01-01T00:00:00Z';

/** This package's prediction of the server's answer to a step. */
export function expectedAnswer(endpoint: Endpoint, live: JsonObject | undefined, step: Step): Answer {
  const { apiVersion, kind } = endpoint;
  const common = {
    tracked: endpoint.tracked(step.subresource),
    live,
    manager: step.manager,
    subresource: step.subresource,
    apiVersion,
    time,
  };
  try {
    const written =
      step.kind === 'apply'
        ? endpoint.defaults(apply({ ...common, applied: requestBody(endpoint, step), kind, force: step.force }))
        : update({ ...common, updated: endpoint.defaults(requested(endpoint, live, step)) });
    const object = endpoint.prepare(written, live, step.subresource);
    return { kind: 'object', object: live === undefined ? object : keepTimes(live, object) };
  } catch (error) {
    if (error instanceof ApplyConflictError) return { kind: 'conflict', message: error.message, causes: error.causes };
    throw error;
  }
}

/** The request's body: an object, or a patch. */
export function requestBody({ apiVersion, kind, name }: Endpoint, step: Step, live?: JsonObject): JsonObject {
  if (step.kind === 'patch') return step.patch;
  const { metadata = {} } = step.object as { metadata?: JsonObject };
  const version = live === undefined ? {} : { resourceVersion: (live['metadata'] as JsonObject)['resourceVersion'] };
  return { ...step.object, apiVersion, kind, metadata: { ...metadata, name, ...version } };
}

function requested(
  endpoint: Endpoint,
  live: JsonObject | undefined,
  step: Exclude<Step, { kind: 'apply' }>,
): JsonObject {
  if (step.kind === 'patch') return applyMergePatch(live ?? {}, step.patch) as JsonObject;
  return requestBody(endpoint, step);
}

const assigned = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink'];

/** An object without server-assigned values; times of managers become whether there is one. */
export function comparable(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object as { metadata: JsonObject };
  const entries = ((metadata['managedFields'] ?? []) as readonly JsonObject[]).map((entry) => ({
    ...entry,
    time: entry['time'] === undefined ? 'none' : 'some',
  }));
  const kept = Object.entries(metadata).filter(([key]) => !assigned.includes(key) && key !== 'managedFields');
  return { ...rest, metadata: { ...Object.fromEntries(kept), managedFields: entries.sort(byIdentity) } };
}

/** The order of managers depends on times, which two servers do not share. */
function byIdentity(a: JsonObject, b: JsonObject): number {
  const [left, right] = [a, b].map(({ operation, manager, subresource = '', apiVersion }) =>
    stringify([operation ?? '', manager ?? '', subresource, apiVersion ?? '']),
  );
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
