import { type Client, isApiError } from '@hawser/client';
import type { ExplainContext } from './context.js';
import type { Examination } from './examination.js';

/** A larger skew makes leases, heartbeats and tokens misjudged. */
const MAX_SKEW_MS = 5000;

/** Compares clocks by the time stamps that API servers give to new objects. */
export async function clocks(
  context: ExplainContext,
  providers: readonly { readonly name: string; readonly client: Client }[],
): Promise<readonly Examination[]> {
  const found: Examination[] = [];
  for (const { name, client } of [{ name: 'consumer', client: context.consumer }, ...providers])
    found.push(await clockOf(context, name, client));
  return found;
}

async function clockOf(context: ExplainContext, subject: string, client: Client): Promise<Examination> {
  try {
    const before = context.now();
    const answer = (await client.raw(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      { signal: context.signal, timeoutMs: 10000 },
    )) as { readonly metadata?: { readonly creationTimestamp?: string | null } } | undefined;
    const after = context.now();
    const stamp = Date.parse(answer?.metadata?.creationTimestamp ?? '');
    if (Number.isNaN(stamp))
      return { area: 'clock', subject, state: 'unknown', message: 'The API server does not say what time it is.' };
    // Its stamp has whole seconds, and dates from between request and answer.
    const skew = stamp > after ? stamp - after : stamp + 1000 < before ? before - stamp - 1000 : 0;
    if (skew <= MAX_SKEW_MS) return { area: 'clock', subject, state: 'ok', message: 'Its clock is right.' };
    return {
      area: 'clock',
      subject,
      state: 'failed',
      message: `Its clock differs by ${Math.round(skew / 1000)} s from the one here.`,
      actor: subject === 'consumer' ? 'operator' : 'provider',
      remedy: 'sets the clocks of the machines by NTP',
    };
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return { area: 'clock', subject, state: 'unknown', message: error.message };
  }
}

export async function versions(
  consumer: Client,
  providers: readonly { readonly subject: string; readonly client: Client; readonly konnector?: string | undefined }[],
  signal: AbortSignal,
): Promise<readonly Examination[]> {
  const found: Examination[] = [];
  const sides = [{ subject: 'consumer', client: consumer, konnector: undefined }, ...providers];
  for (const { subject, client, konnector } of sides) {
    try {
      const answer = (await client.raw('GET', '/version', undefined, { signal })) as
        { readonly gitVersion?: string } | undefined;
      found.push({
        area: 'version',
        subject,
        state: 'ok',
        message: `Kubernetes ${answer?.gitVersion ?? 'of an unknown version'}${konnector === undefined ? '' : `, konnector ${konnector}`}.`,
      });
    } catch (error) {
      if (!isApiError(error) || error.code === 'Aborted') throw error;
      found.push({ area: 'version', subject, state: 'unknown', message: error.message });
    }
  }
  return found;
}
