import { type ApiError, isApiError } from '@hawser/client';
import type { InformerState } from '@hawser/informer';

/** So often in a row a cache may fail to be filled or watched, some seconds in all, before that is told. */
const PATIENCE = 6;

/** Why a cache cannot be read, if that lasts: rights and what is not served do not come by themselves, and what else fails should have passed. */
export function unreadable(state: InformerState): ApiError | undefined {
  if (state.phase !== 'waiting') return undefined;
  return isApiError(state.error, 'Forbidden', 'Unauthorized', 'NotFound') || state.failures >= PATIENCE
    ? state.error
    : undefined;
}

/** Whether a person has to grant or publish something. */
export function isRefusal(error: ApiError): boolean {
  return isApiError(error, 'Forbidden', 'Unauthorized', 'NotFound');
}
