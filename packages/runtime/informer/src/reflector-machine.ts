import { type ApiError, type ApiErrorCode } from '@hawser/client';
import { type BackoffOptions, type Random, backoffDelay } from '@hawser/clock';

/** The last error, and its repetitions. Kept until a watch has lived long enough to count as healthy. */
interface Trouble {
  readonly failures: number;
  readonly error: ApiError | undefined;
}

/** Fetches pages. */
export interface Listing extends Trouble {
  readonly kind: 'listing';
  readonly reason: RelistReason;
  /** Lists in a row that ended because their continue token had expired. */
  readonly expired: number;
}

/** Requests one object, to check that the server still has the state of the last watch. */
export interface Probing extends Trouble {
  readonly kind: 'probing';
  readonly resourceVersion: string;
}

/** A watch is open or being opened. */
export interface Watching extends Trouble {
  readonly kind: 'watching';
  /** Version from which the watch starts. */
  readonly resourceVersion: string | undefined;
}

/** Waits `delayMs` after a failure, then goes on with `next`. */
export interface Waiting {
  readonly kind: 'waiting';
  readonly failures: number;
  readonly error: ApiError;
  readonly delayMs: number;
  readonly next: Listing | Probing | Watching;
}

/** State of the reflector. None is final: only its owner stops it. */
export type ReflectorState = Listing | Probing | Watching | Waiting;

/** Reason for a list. */
export type RelistReason = 'start' | 'expired' | 'restored' | 'failed' | 'unresumable' | 'asked';

export type ListOutcome =
  | { readonly kind: 'listed'; readonly resourceVersion: string | undefined }
  /** `continued`: failed after the first page. */
  | { readonly kind: 'failed'; readonly error: ApiError; readonly continued: boolean };

export type ProbeOutcome =
  /**
   * `behind`: the server's resourceVersion is lower than the one to resume from, so a watch from there would stay
   * silent.
   */
  { readonly kind: 'probed'; readonly behind: boolean } | { readonly kind: 'failed'; readonly error: ApiError };

/** `resourceVersion`: the last one received; `livedMs`: time since the watch was requested. */
export type WatchOutcome = { readonly resourceVersion: string | undefined; readonly livedMs: number } &
  /** The server ended it regularly. */
  (
    | { readonly kind: 'ended' }
    /** Nothing arrived for too long. */
    | { readonly kind: 'silent' }
    /** An event was older than the one before it. */
    | { readonly kind: 'regressed' }
    /** It was ended, or not begun, because a list was requested. */
    | { readonly kind: 'asked' }
    /** `opened`: the server had accepted the watch. */
    | { readonly kind: 'failed'; readonly error: ApiError; readonly opened: boolean }
  );

export interface ReflectorPolicy {
  readonly backoff: BackoffOptions;
  readonly random: Random;
  /** A watch that lived this long counts as a success, however it ended. */
  readonly healthyAfterMs: number;
  /** Caps the server's Retry-After. */
  readonly longestRetryAfterMs: number;
  /** Builds an error for a case without one. */
  readonly describe: (code: ApiErrorCode, message: string) => ApiError;
}

export const START: Listing = { kind: 'listing', reason: 'start', expired: 0, failures: 0, error: undefined };

/**
 * Up to this number of repetitions a fault may come from the connection. After that it counts as a fault of a stored
 * event, and only a list gets past it.
 */
const SUSPECT_AFTER = 3;

export function afterList(state: Listing, outcome: ListOutcome, policy: ReflectorPolicy): ReflectorState {
  switch (outcome.kind) {
    case 'listed':
      return {
        kind: 'watching',
        resourceVersion: outcome.resourceVersion,
        failures: state.failures,
        error: state.error,
      };
    case 'failed': {
      const expired = outcome.error.code === 'Expired' && outcome.continued ? state.expired + 1 : 0;
      return wait(state.failures + 1, outcome.error, (trouble) => ({ ...state, ...trouble, expired }), policy);
    }
  }
}

export function afterProbe(state: Probing, outcome: ProbeOutcome, policy: ReflectorPolicy): ReflectorState {
  switch (outcome.kind) {
    case 'probed':
      return outcome.behind ? list('restored', state) : { ...state, kind: 'watching' };
    case 'failed':
      return wait(state.failures + 1, outcome.error, (trouble) => ({ ...state, ...trouble }), policy);
  }
}

export function afterWatch(state: Watching, outcome: WatchOutcome, policy: ReflectorPolicy): ReflectorState {
  const healthy = outcome.livedMs >= policy.healthyAfterMs;
  const failures = healthy ? 0 : state.failures;
  const { resourceVersion } = outcome;
  const resume = (trouble: Trouble): Listing | Watching =>
    resourceVersion === undefined ? list('unresumable', trouble) : { kind: 'watching', resourceVersion, ...trouble };

  switch (outcome.kind) {
    case 'ended':
      // A busy server ends slow watches again and again: one that made progress did its work.
      if (healthy || (resourceVersion !== undefined && resourceVersion !== state.resourceVersion))
        return resume(UNTROUBLED);
      return wait(
        failures + 1,
        policy.describe('Unreachable', 'the server closes the watch as soon as it is open'),
        resume,
        policy,
      );
    case 'silent':
      // The wait is over already. A server whose storage was restored is silent too: it has yet to reach the version
      // asked for.
      return resourceVersion === undefined
        ? list('unresumable', UNTROUBLED)
        : { kind: 'probing', resourceVersion, ...UNTROUBLED };
    case 'regressed':
      return wait(
        failures + 1,
        policy.describe('Expired', 'the server’s resourceVersions went backwards'),
        (trouble) => list('restored', trouble),
        policy,
      );
    case 'asked':
      return list('asked', UNTROUBLED);
    case 'failed': {
      const next = (trouble: Trouble): Listing | Probing | Watching => {
        switch (remedy(outcome.error.code, failures + 1)) {
          case 'resume':
            return resume(trouble);
          case 'probe':
            return resourceVersion === undefined || outcome.opened
              ? resume(trouble)
              : { kind: 'probing', resourceVersion, ...trouble };
          case 'list':
            return list(outcome.error.code === 'Expired' ? 'expired' : 'failed', trouble);
        }
      };
      const resumable = outcome.opened && healthy && outcome.error.retryAfterMs === undefined;
      if (resumable && next(UNTROUBLED).kind === 'watching') return next(UNTROUBLED);
      return wait(failures + 1, outcome.error, next, policy);
    }
  }
}

const UNTROUBLED: Trouble = { failures: 0, error: undefined };

function list(reason: RelistReason, { failures, error }: Trouble): Listing {
  return { kind: 'listing', reason, expired: 0, failures, error };
}

function wait(
  failures: number,
  error: ApiError,
  next: (trouble: Trouble) => Listing | Probing | Watching,
  policy: ReflectorPolicy,
): Waiting {
  return { kind: 'waiting', failures, error, delayMs: delay(failures, error, policy), next: next({ failures, error }) };
}

/** Delay before the next try. A Retry-After is a lower bound and spread as well: every client got the same one. */
function delay(failures: number, error: ApiError, policy: ReflectorPolicy): number {
  const own = backoffDelay(policy.backoff, failures, policy.random);
  if (error.retryAfterMs === undefined) return own;
  return Math.max(own, Math.min(error.retryAfterMs, policy.longestRetryAfterMs) * (1 + 0.1 * policy.random()));
}

/**
 * How to continue after a failed watch. `probe`: like `resume`, but check first, because the server may have been
 * replaced during the outage.
 */
function remedy(code: ApiErrorCode, failures: number): 'resume' | 'probe' | 'list' {
  switch (code) {
    case 'Expired':
      return 'list';
    case 'NotFound':
    case 'MethodNotAllowed':
    case 'BadRequest':
    case 'Invalid':
    case 'Conflict':
    case 'AlreadyExists':
    case 'TooLarge':
    case 'UnsupportedMediaType':
      return 'list';
    case 'InternalError':
    case 'Malformed':
    case 'Unknown':
      return failures >= SUSPECT_AFTER ? 'list' : 'resume';
    case 'Unauthorized':
    case 'Forbidden':
    case 'TooManyRequests':
      return 'resume';
    case 'Unavailable':
    case 'ServerTimeout':
    case 'Unreachable':
    case 'Timeout':
    case 'Aborted':
      return 'probe';
  }
}
