import { describe, expect, it } from '@jest/globals';
import { reportedVersion } from './version.js';

describe('reportedVersion', () => {
  it.each([
    ['v0.8.1', 'v0.8.1'],
    ['v1.0.0-rc.1', 'v1.0.0-rc.1'],
    ['v1.35.1+kube-bind-v0.8.1-12-gabc', 'v0.8.1'],
    ['v0.0.0-master+$Format:%H$', 'v0.0.0'],
  ])('reads %s', (version, value) => {
    expect(reportedVersion(version)).toEqual({ value });
  });

  it.each(['', '0.8.1', 'v1.25.2+foo', 'main'])('does not understand %j', (version) => {
    expect(reportedVersion(version)).toEqual({ value: 'unknown', error: expect.any(String) });
  });
});
