import { ApiError, type ApiErrorCode } from '@hawser/client';
import { silentLogger } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';
import { refusalOf } from './answer.js';

it.each<[ApiErrorCode, number, RegExp]>([
  ['Forbidden', 500, /^The provider's cluster refuses .*to try again at once does not help.*request id r-1/u],
  ['Invalid', 500, /^The provider's cluster refuses .*to try again at once does not help.*request id r-1/u],
  ['Conflict', 503, /^The portal could not do this now\. Try again; .*request id r-1/u],
  ['NotFound', 503, /^The portal could not do this now\. Try again; .*request id r-1/u],
  ['Unreachable', 500, /^The portal could not do this\. Try again; .*request id r-1/u],
])(
  'where the API server answers %s, a person is told what to do, and nothing that the server said',
  (code, status, pattern) => {
    const words = 'secrets "of-the-neighbour" is forbidden';
    const error = new ApiError(code, words, { cluster: 'provider', verb: 'create', resource: 'namespaces' });
    const refusal = refusalOf(error, 'r-1', silentLogger);
    expect([refusal.status, refusal.message]).toEqual([status, expect.stringMatching(pattern)]);
    expect(refusal.message).not.toContain('neighbour');
  },
);
