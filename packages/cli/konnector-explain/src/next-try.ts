/** Longest wait of a konnector after any failure. */
const LONGEST_S = 300;
/** Time until konnectors notice a granted right or a repaired server. */
const NOTICED_S = 30;

/** When a konnector retries a refused list: its informers wait no longer. */
export const NEXT_LIST = 'Next try: within 30 s.';

/**
 * Writes that servers have refused or undone, retried ever less often; with the event that makes a konnector try at
 * once, or soon.
 */
const SOONER: Readonly<Record<string, string>> = {
  RejectedByProvider: 'at once when the object changes',
  RejectedByConsumer: 'at once when the object changes',
  RejectedOnConsumer: 'at once when the object changes',
  StatusRejected: 'at once when the provider writes another status',
  SchemaChangeHeld: 'at once when the object changes or the held change is let through or taken back',
  ForbiddenByProvider: `within ${NOTICED_S} s after the right is granted`,
  ForbiddenOnConsumer: `within ${NOTICED_S} s after the right is granted`,
  KeepsFailing: `within ${NOTICED_S} s after the server works again`,
  FailedOnProvider: '',
  FailedOnConsumer: '',
  WritesUndone: '',
  NoProgress: '',
};

/** Refused by the provider: a dry run with the konnector's own credential shows whether it still is. */
const BY_PROVIDER: ReadonlySet<string> = new Set([
  'RejectedByProvider',
  'SchemaChangeHeld',
  'ForbiddenByProvider',
  'FailedOnProvider',
]);

/**
 * When a konnector retries after this reason, as a sentence. Undefined if it does not retry, but continues after a
 * change. Only the konnector knows the exact moment. Each wait is about as long as the trouble has lasted, 5 min at
 * most. `since`: time of the first report.
 */
export function nextTry(reason: string, since: string | undefined, nowMs: number): string | undefined {
  const sooner = SOONER[reason];
  if (sooner === undefined) return undefined;
  return `Next try: within ${inWords(longestWaitS(reason, since, nowMs))}${sooner === '' ? '' : `, or ${sooner}`}.`;
}

/** The same if the provider's API server would by now accept what it refused before. */
export function nextTryOfAccepted(reason: string, since: string | undefined, nowMs: number): string | undefined {
  if (!BY_PROVIDER.has(reason)) return undefined;
  const longest = longestWaitS(reason, since, nowMs);
  return `Next try: within ${inWords(reason === 'ForbiddenByProvider' ? Math.min(longest, NOTICED_S) : longest)}.`;
}

/**
 * Waits double from 1 s on, less a fifth at random. A reason reported only after several tries has a longer wait by
 * then.
 */
function longestWaitS(reason: string, since: string | undefined, nowMs: number): number {
  const ageS = (nowMs - Date.parse(since ?? '')) / 1_000;
  return reason === 'KeepsFailing' || !(ageS >= 0) ? LONGEST_S : Math.min(LONGEST_S, Math.ceil(1.25 * ageS) + 2);
}

function inWords(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
