import { describe, expect, it } from '@jest/globals';
import { ApiError, type ApiErrorCode } from '@hawser/client';
import {
  type Listing,
  type Probing,
  type ReflectorPolicy,
  START,
  type Watching,
  afterList,
  afterProbe,
  afterWatch,
} from './reflector-machine.js';

const error = (code: ApiErrorCode, retryAfterMs?: number): ApiError =>
  new ApiError(code, code, { cluster: 'c', verb: 'watch', resource: 'things' }, { retryAfterMs });

const policy: ReflectorPolicy = {
  backoff: { initialMs: 800, capMs: 30_000 },
  random: () => 0,
  healthyAfterMs: 10_000,
  longestRetryAfterMs: 600_000,
  describe: (code) => error(code),
};

const listing: Listing = { ...START, reason: 'expired', failures: 2, error: error('Expired') };
const watching: Watching = { kind: 'watching', resourceVersion: '5', failures: 0, error: undefined };
const probing: Probing = { kind: 'probing', resourceVersion: '5', failures: 1, error: error('Unreachable') };
const HEALTHY = 10_000;

describe('after a list', () => {
  it('comes a watch from its version; the failures before are not forgotten yet', () => {
    expect(afterList(listing, { kind: 'listed', resourceVersion: '7' }, policy)).toMatchObject({
      kind: 'watching',
      resourceVersion: '7',
      failures: 2,
    });
  });

  it.each<ApiErrorCode>([
    'Unauthorized',
    'Forbidden',
    'NotFound',
    'Unreachable',
    'InternalError',
    'Malformed',
    'Expired',
    'TooManyRequests',
  ])('that failed with %s comes another one, later', (code) => {
    expect(afterList(listing, { kind: 'failed', error: error(code), continued: false }, policy)).toMatchObject({
      kind: 'waiting',
      failures: 3,
      delayMs: 3200,
      error: { code },
      next: { kind: 'listing', failures: 3, expired: 0 },
    });
  });

  it('whose continue token expired, that is counted, as long as it goes on', () => {
    const once = afterList(listing, { kind: 'failed', error: error('Expired'), continued: true }, policy);
    expect(once).toMatchObject({ next: { kind: 'listing', expired: 1 } });
    expect(
      afterList({ ...listing, expired: 1 }, { kind: 'failed', error: error('Expired'), continued: true }, policy),
    ).toMatchObject({ next: { expired: 2 } });
    expect(
      afterList({ ...listing, expired: 2 }, { kind: 'failed', error: error('Unreachable'), continued: true }, policy),
    ).toMatchObject({ next: { expired: 0 } });
  });
});

describe('after a probe', () => {
  it('the watch goes on where the server is far enough', () => {
    expect(afterProbe(probing, { kind: 'probed', behind: false }, policy)).toMatchObject({
      kind: 'watching',
      resourceVersion: '5',
      failures: 1,
    });
  });
  it('a list is made where the server was restored', () => {
    expect(afterProbe(probing, { kind: 'probed', behind: true }, policy)).toMatchObject({
      kind: 'listing',
      reason: 'restored',
      failures: 1,
    });
  });
  it('that failed comes another one, later', () => {
    expect(afterProbe(probing, { kind: 'failed', error: error('Unreachable') }, policy)).toMatchObject({
      kind: 'waiting',
      failures: 2,
      next: { kind: 'probing', resourceVersion: '5' },
    });
  });
});

describe('after a watch', () => {
  const after = (
    outcome:
      { kind: 'ended' | 'silent' | 'regressed' | 'asked' } | { kind: 'failed'; error: ApiError; opened: boolean },
    livedMs: number,
    state: Watching = watching,
    resourceVersion: string | undefined = '9',
  ) => afterWatch(state, { ...outcome, livedMs, resourceVersion }, policy);

  it('that ended in good order comes the next at once, from where it got to', () => {
    expect(after({ kind: 'ended' }, HEALTHY, { ...watching, failures: 3 })).toEqual({
      kind: 'watching',
      resourceVersion: '9',
      failures: 0,
      error: undefined,
    });
  });
  it('that ended at once without getting further comes the next later: no hot loop', () => {
    const { resourceVersion } = watching;
    expect(after({ kind: 'ended' }, HEALTHY - 1, { ...watching, failures: 3 }, resourceVersion)).toMatchObject({
      kind: 'waiting',
      failures: 4,
      delayMs: 6400,
      error: { code: 'Unreachable' },
      next: { kind: 'watching', resourceVersion, failures: 4 },
    });
  });
  it('that a busy server ended soon, but not before it got further, comes the next at once', () => {
    expect(after({ kind: 'ended' }, HEALTHY - 1, { ...watching, failures: 3 })).toEqual({
      kind: 'watching',
      resourceVersion: '9',
      failures: 0,
      error: undefined,
    });
  });
  it('that went silent the server is asked where it is', () => {
    expect(after({ kind: 'silent' }, 150_000)).toEqual({
      kind: 'probing',
      resourceVersion: '9',
      failures: 0,
      error: undefined,
    });
  });
  it('whose versions went backwards comes a list', () => {
    expect(after({ kind: 'regressed' }, HEALTHY)).toMatchObject({
      kind: 'waiting',
      failures: 1,
      next: { kind: 'listing', reason: 'restored' },
    });
  });
  it.each([0, HEALTHY])('that was ended for a list comes that list at once, %d ms after it began', (livedMs) => {
    expect(after({ kind: 'asked' }, livedMs, { ...watching, failures: 3 })).toEqual({
      kind: 'listing',
      reason: 'asked',
      expired: 0,
      failures: 0,
      error: undefined,
    });
  });
  it('that was reset after a long life comes the next at once', () => {
    expect(
      after({ kind: 'failed', error: error('Unreachable'), opened: true }, HEALTHY, { ...watching, failures: 3 }),
    ).toEqual({ kind: 'watching', resourceVersion: '9', failures: 0, error: undefined });
  });
  it('that was reset soon, comes the next later, without a list', () => {
    expect(
      after({ kind: 'failed', error: error('Unreachable'), opened: true }, 5, { ...watching, failures: 1 }),
    ).toMatchObject({ kind: 'waiting', failures: 2, delayMs: 1600, next: { kind: 'watching' } });
  });
  it('that the server asked not to repeat so soon, the wish is honoured even after a long life', () => {
    expect(after({ kind: 'failed', error: error('TooManyRequests', 7000), opened: true }, HEALTHY)).toMatchObject({
      kind: 'waiting',
      delayMs: 7000,
      next: { kind: 'watching' },
    });
  });
  it('a wish for a little patience does not shorten the back-off, and one for eternity is cut', () => {
    expect(
      after({ kind: 'failed', error: error('Unavailable', 1), opened: false }, 0, { ...watching, failures: 9 }),
    ).toMatchObject({ delayMs: 30_000 });
    expect(after({ kind: 'failed', error: error('Unavailable', 1e12), opened: false }, 0)).toMatchObject({
      delayMs: 600_000,
    });
  });

  it.each<[ApiErrorCode, string]>([
    ['Expired', 'listing'],
    ['NotFound', 'listing'],
    ['MethodNotAllowed', 'listing'],
    ['BadRequest', 'listing'],
    ['Invalid', 'listing'],
    ['Conflict', 'listing'],
    ['AlreadyExists', 'listing'],
    ['TooLarge', 'listing'],
    ['UnsupportedMediaType', 'listing'],
    ['InternalError', 'watching'],
    ['Malformed', 'watching'],
    ['Unknown', 'watching'],
    ['Unauthorized', 'watching'],
    ['Forbidden', 'watching'],
    ['TooManyRequests', 'watching'],
    ['Unavailable', 'probing'],
    ['ServerTimeout', 'probing'],
    ['Unreachable', 'probing'],
    ['Timeout', 'probing'],
    ['Aborted', 'probing'],
  ])('that was refused with %s comes %s, later', (code, kind) => {
    expect(after({ kind: 'failed', error: error(code), opened: false }, 0)).toMatchObject({
      kind: 'waiting',
      failures: 1,
      delayMs: 800,
      next: { kind, failures: 1, error: { code } },
    });
  });

  it.each<ApiErrorCode>(['InternalError', 'Malformed', 'Unknown'])(
    'that failed with %s three times in a row comes a list: the fault may be in an event',
    (code) => {
      expect(
        after({ kind: 'failed', error: error(code), opened: true }, 0, { ...watching, failures: 2 }),
      ).toMatchObject({ kind: 'waiting', next: { kind: 'listing', reason: 'failed' } });
    },
  );

  it('of a server without versions comes a list, always', () => {
    const unversioned = (outcome: Parameters<typeof after>[0]) =>
      afterWatch(
        { ...watching, resourceVersion: undefined },
        { ...outcome, livedMs: HEALTHY, resourceVersion: undefined },
        policy,
      );
    expect(unversioned({ kind: 'ended' })).toMatchObject({ kind: 'listing', reason: 'unresumable' });
    expect(unversioned({ kind: 'silent' })).toMatchObject({ kind: 'listing', reason: 'unresumable' });
    expect(unversioned({ kind: 'failed', error: error('Unreachable'), opened: true })).toMatchObject({
      kind: 'waiting',
      next: { kind: 'listing' },
    });
  });

  it('delays are random from half their length up', () => {
    const spread = afterWatch(
      watching,
      { kind: 'regressed', livedMs: 0, resourceVersion: '9' },
      { ...policy, random: () => 0.999 },
    );
    expect(spread).toMatchObject({ delayMs: expect.closeTo(400, 0) });
  });
});
