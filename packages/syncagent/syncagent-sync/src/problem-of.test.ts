import { describe, expect, it } from '@jest/globals';
import { ApiError, type ApiErrorCode } from '@hawser/client';

import { lastingProblemOf, problemOf } from './problem-of.js';

const FULL = 'secrets "s" is forbidden: logical cluster "1x" has reached its total object count limit (5/5 objects)';
const QUOTA = 'secrets "s" is forbidden: exceeded quota: few, requested: count/secrets=1, used: count/secrets=5';
const NO_RIGHT = 'secrets is forbidden: User "agent" cannot create resource "secrets": its limit of rights is reached';

function refused(code: ApiErrorCode, message: string): ApiError {
  return new ApiError(code, message, { cluster: 'kcp', verb: 'create', resource: 'secrets' });
}

describe('a request that a server refuses because there is enough already', () => {
  it.each<readonly [ApiErrorCode, string]>([
    ['Forbidden', FULL],
    ['TooManyRequests', FULL],
    ['Forbidden', QUOTA],
  ])('in a workspace is for those of the workspace to mend: %s %s', (code, message) => {
    expect(problemOf(refused(code, message), 'kcp', 'object')).toMatchObject({
      reason: 'WorkspaceFull',
      actor: 'consumer',
      message: expect.stringContaining(message),
    });
  });

  it('on the service cluster is for the provider to mend', () => {
    expect(problemOf(refused('Forbidden', QUOTA), 'service', 'object')).toMatchObject({
      reason: 'ForbiddenOnServiceCluster',
      actor: 'provider',
    });
  });

  it('is not told of a right that is missing, whatever it is called', () => {
    expect(problemOf(refused('Forbidden', NO_RIGHT), 'kcp', 'object')).toMatchObject({
      reason: 'ForbiddenInWorkspace',
    });
  });
});

it('of what a server says, which may quote the object, a thousand characters are told', () => {
  const serverMessage = `spec.size: Unsupported value: "${'x'.repeat(1_000_000)}"`;
  for (const code of ['Invalid', 'Forbidden', 'NotFound'] as const)
    for (const side of ['kcp', 'service'] as const) {
      const { message = '' } = problemOf(refused(code, serverMessage), side, 'object') ?? {};
      expect(message).toContain('Unsupported value');
      expect(message.length).toBeLessThan(1_500);
    }
});

it('a server that lets nothing through for long is told of, and one that is busy for a moment is not', () => {
  const busy = refused('TooManyRequests', 'Too many requests, please try again later.');
  expect(problemOf(busy, 'kcp', 'object')).toBeUndefined();
  expect(lastingProblemOf(busy, 'kcp')).toMatchObject({ reason: 'KeepsFailing', actor: 'provider' });
});
