import type { Random } from '@hawser/clock';

/** Milliseconds until the API server is asked again about a right: no event reports a granted one. */
export const reviewAgainMs = 60_000;

/** The same with jitter, to spread many of them. */
export const nextReviewMs = (random: Random): number => reviewAgainMs * (0.8 + 0.4 * random());
