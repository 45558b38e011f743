import {
  ApiError,
  type ApiErrorCode,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type RequestDescription,
  resourceName,
} from '@hawser/client';

const HTTP = { NotFound: 404, Conflict: 409, AlreadyExists: 409 } as const;

/** The refusal that the API server would send. */
export function refusal(
  code: keyof typeof HTTP & ApiErrorCode,
  cluster: string,
  verb: string,
  resource: Resource,
  key: ObjectKey,
): ApiError {
  const request: RequestDescription = {
    cluster,
    verb,
    resource: resourceName(resource),
    namespace: key.namespace,
    name: key.name,
  };
  return new ApiError(code, `${cluster}: ${verb} ${request.resource} ${key.name}: ${code}`, request, {
    httpStatus: HTTP[code],
    status: {
      kind: 'Status',
      status: 'Failure',
      code: HTTP[code],
      reason: code,
      details: { name: key.name, group: resource.group, kind: resource.resource },
    },
  });
}

/** A write with uid or resourceVersion is meant for that very object. */
export function isAnother(
  { metadata: sent }: { readonly metadata?: Partial<KubeObject['metadata']> | undefined },
  { metadata: live }: KubeObject,
): boolean {
  const differs = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && a !== b;
  return differs(sent?.uid, live.uid) || differs(sent?.resourceVersion, live.resourceVersion);
}
