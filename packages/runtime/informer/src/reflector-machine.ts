import { type ApiError, type ApiErrorCode } from '@hawser/client';
import { type BackoffOptions, type Random, backoffDelay } from '@hawser/clock';

/** What went wrong last, and how often in a row. Both are kept until a watch has lived long enough to be called healthy. */
interface Trouble {
  readonly failures: number;
  readonly error: ApiError | undefined;
}

/** Pages are being fetched. */
export interface Listing extends Trouble {
  readonly kind: 'listing';
  readonly reason: RelistReason;
  /** How many lists in a row ended because their continue token had expired. */
  readonly expired: number;
}

/** One object is asked for, just to learn whether the server is still where the watch left it. */
export interface Probing extends Trouble {
  readonly kind: 'probing';
  readonly resourceVersion: string;
}

/** A watch is open or being opened. */
export interface Watching extends Trouble {
  readonly kind: 'watching';
  /** Where it starts. */
  readonly resourceVersion: string | undefined;
}

/** Something failed; `next` follows after `delayMs`. */
export interface Waiting {
  readonly kind: 'waiting';
  readonly failures: number;
  readonly error: ApiError;
  readonly delayMs: number;
  readonly next: Listing | Probing | Watching;
}

/** What the reflector is doing. None of these is an end: only its owner stops it. */
export type ReflectorState = Listing | Probing | Watching | Waiting;

/** Why a list is made. */
export type RelistReason = 'start' | 'expired' | 'restored' | 'failed' | 'unresumable' | 'asked';

export type ListOutcome =
  | { readonly kind: 'listed'; readonly resourceVersion: string | undefined }
  /** `continued`: not at the first page. */
  | { readonly kind: 'failed'; readonly error: ApiError; readonly continued: boolean };

export type ProbeOutcome =
  /** `behind`: the server's resourceVersion is lower than the one to resume from, so that watch would stay silent. */
  { readonly kind: 'probed'; readonly behind: boolean } | { readonly kind: 'failed'; readonly error: ApiError };

/** `resourceVersion` is always the last one heard of, `livedMs` the time since the watch was asked for. */
export type WatchOutcome = { readonly resourceVersion: string | undefined; readonly livedMs: number } &
  /** The server ended it in good order. */
  (
    | { readonly kind: 'ended' }
    /** Nothing was heard for too long. */
    | { readonly kind: 'silent' }
    /** An event was older than the one before it. */
    | { readonly kind: 'regressed' }
    /** It was ended, or not begun, since somebody wants a list. */
    | { readonly kind: 'asked' }
    /** `opened`: the server had accepted the watch. */
    | { readonly kind: 'failed'; readonly error: ApiError; readonly opened: boolean }
  );

export interface ReflectorPolicy {
  readonly backoff: BackoffOptions;
  readonly random: Random;
  /** A watch that lived this long was no failure, however it ended. */
  readonly healthyAfterMs: number;
  /** A server that asks for more patience than this gets this much. */
  readonly longestRetryAfterMs: number;
  /** An error to tell where nothing threw one. */
  readonly describe: (code: ApiErrorCode, message: string) => ApiError;
}

export const START: Listing = { kind: 'listing', reason: 'start', expired: 0, failures: 0, error: undefined };

/** As often as this in a row a fault may be one of the connection. Then it is taken for one of the stored events, which only a list gets past. */
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
      // A busy server ends the watches that it cannot serve fast enough, again and again: each that got further did its work.
      if (healthy || (resourceVersion !== undefined && resourceVersion !== state.resourceVersion))
        return resume(UNTROUBLED);
      return wait(
        failures + 1,
        policy.describe('Unreachable', 'the server closes the watch as soon as it is open'),
        resume,
        policy,
      );
    case 'silent':
      // Waiting has been done already. A server whose storage was restored is silent too: it has yet to reach the version asked for.
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

/** A server's wish is a lower bound, and spread as well: it told everybody the same. */
function delay(failures: number, error: ApiError, policy: ReflectorPolicy): number {
  const own = backoffDelay(policy.backoff, failures, policy.random);
  if (error.retryAfterMs === undefined) return own;
  return Math.max(own, Math.min(error.retryAfterMs, policy.longestRetryAfterMs) * (1 + 0.1 * policy.random()));
}

/** How to go on after a failed watch. `probe`: as `resume`, but look first, because the server may have been replaced while it was away. */
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
