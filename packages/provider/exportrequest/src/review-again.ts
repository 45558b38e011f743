import type { Random } from '@hawser/clock';

/** Nothing tells when somebody gets a right: so long until the API server is asked again, in milliseconds. */
export const reviewAgainMs = 60_000;

/** The same for one of many, so that they do not all ask at once. */
export const nextReviewMs = (random: Random): number => reviewAgainMs * (0.8 + 0.4 * random());
