import { type Agent, fetch as fetchBy } from 'undici';

/** Request options of a library. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Headers | Readonly<Record<string, string>>;
  readonly redirect?: 'error' | 'follow' | 'manual';
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request with undici's own fetch: an agent works only with its own version. */
export async function fetchOver(agent: Agent, target: string, init: FetchInit): Promise<Response> {
  const { body, headers, method, redirect = 'manual', signal } = init;
  const response = await fetchBy(target, {
    method,
    headers: [...new Headers(headers)],
    redirect,
    dispatcher: agent,
    ...(body === undefined ? {} : { body: body as string | URLSearchParams | Uint8Array<ArrayBuffer> }),
    ...(signal === undefined ? {} : { signal }),
  });
  return new Response(await response.text(), { status: response.status, headers: [...response.headers] });
}
