/** No konnector waits for longer, whatever has failed. */
const LONGEST_S = 300;
/** So soon after a right is there, or a server works again, konnectors notice. */
const NOTICED_S = 30;

/** When a konnector asks again for a list that was refused: its informers wait for no longer. */
export const NEXT_LIST = 'Next try: within 30 s.';

/** What servers have refused or undone, and is tried again ever less often; with what makes a konnector try at once, or soon. */
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
 * When a konnector tries again what has this reason, as a sentence: undefined for what is not tried again, but goes on when something changes. Only the konnector knows the very moment. Each wait is about as long as the trouble has lasted, 5 min at
 * most. `since`: when it was told first.
 */
export function nextTry(reason: string, since: string | undefined, nowMs: number): string | undefined {
  const sooner = SOONER[reason];
  if (sooner === undefined) return undefined;
  return `Next try: within ${inWords(longestWaitS(reason, since, nowMs))}${sooner === '' ? '' : `, or ${sooner}`}.`;
}

/** The same where the provider's API server would accept by now what it has refused before. */
export function nextTryOfAccepted(reason: string, since: string | undefined, nowMs: number): string | undefined {
  if (!BY_PROVIDER.has(reason)) return undefined;
  const longest = longestWaitS(reason, since, nowMs);
  return `Next try: within ${inWords(reason === 'ForbiddenByProvider' ? Math.min(longest, NOTICED_S) : longest)}.`;
}

/** Waits double from 1 s on, less a fifth at random. What is told only after several tries has waited for longer by then. */
function longestWaitS(reason: string, since: string | undefined, nowMs: number): number {
  const ageS = (nowMs - Date.parse(since ?? '')) / 1_000;
  return reason === 'KeepsFailing' || !(ageS >= 0) ? LONGEST_S : Math.min(LONGEST_S, Math.ceil(1.25 * ageS) + 2);
}

function inWords(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
