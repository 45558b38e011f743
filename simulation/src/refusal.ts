/** Answer of a proxy, or of a server too busy to look at a request. */
export function refusal(status: 401 | 403 | 429 | 500 | 503): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const reasons = {
    401: 'Unauthorized',
    403: 'Forbidden',
    429: 'TooManyRequests',
    500: 'InternalError',
    503: 'ServiceUnavailable',
  } as const;
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'refused by the simulation',
    reason: reasons[status],
    code: status,
  });
  return { headers: { 'content-type': 'application/json', ...(status === 429 ? { 'retry-after': '2' } : {}) }, body };
}
