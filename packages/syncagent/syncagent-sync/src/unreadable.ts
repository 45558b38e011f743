import { type ApiError, isApiError } from '@hawser/client';
import type { InformerState } from '@hawser/informer';

/** Failures in a row to fill or watch a cache, some seconds in all, before a report. */
const PATIENCE = 6;

/**
 * Why a cache is unreadable, if that lasts: missing rights and unserved resources do not come by themselves, and other
 * failures should have passed.
 */
export function unreadable(state: InformerState): ApiError | undefined {
  if (state.phase !== 'waiting') return undefined;
  return isApiError(state.error, 'Forbidden', 'Unauthorized', 'NotFound') || state.failures >= PATIENCE
    ? state.error
    : undefined;
}

/** Whether a person must grant or publish something. */
export function isRefusal(error: ApiError): boolean {
  return isApiError(error, 'Forbidden', 'Unauthorized', 'NotFound');
}
