import { isAnswer } from './recovery.js';
import type { Transport } from './transport.js';

const PROBE_TIMEOUT_MS = 5_000;

/**
 * Whether the API server answers `/readyz`, whatever it says of itself. The request passes the client's limits and
 * takes no place in its queue: requests that wait for the end of an outage fill that queue, and this one has to notice
 * the end. Takes 5 s at most.
 */
export async function answers(transport: Transport, userAgent: string): Promise<boolean> {
  const scope = transport.scope([], PROBE_TIMEOUT_MS);
  try {
    const { status } = await transport.send(
      {
        method: 'GET',
        path: '/readyz',
        basePath: '',
        headers: { accept: '*/*', 'user-agent': userAgent },
        renewCredentials: false,
      },
      scope,
    );
    return isAnswer(status) && status !== 500;
  } catch {
    return false;
  } finally {
    scope.dispose();
  }
}
