import { type RequestInfo, StatusError, type UserInfo, forbiddenError } from '@hawser/apiserver';

/** The 403 of a denied request. */
export function denied(info: RequestInfo, user: UserInfo): StatusError {
  return forbiddenError({ ...info, user }, 'access denied');
}

/** The 403 of an unknown path. */
export function unresolved(method: string, path: string, user: UserInfo): StatusError {
  const plain = path.split('?', 1)[0] ?? '';
  return forbiddenError(
    {
      user,
      isResourceRequest: false,
      path: plain,
      verb: method.toLowerCase(),
      namespace: '',
      apiGroup: '',
      apiVersion: '',
      resource: '',
      subresource: '',
      name: '',
    },
    'Path not resolved to a valid virtual workspace',
  );
}

/** The 404 of a resource that the workspaces lack. */
export function notServed(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {
    causes: [{ reason: 'UnexpectedServerResponse', message: '404 page not found' }],
  });
}
