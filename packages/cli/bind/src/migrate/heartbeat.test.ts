import { expect, it } from '@jest/globals';
import { isBeating } from './heartbeat.js';

const NOW = Date.UTC(2026, 0, 1, 12);

it.each([
  ['never', undefined, undefined, false],
  ['a minute ago', '2026-01-01T11:59:00Z', '5m0s', true],
  ['longer ago than two intervals', '2026-01-01T11:49:00Z', '5m0s', false],
  ['in the future, by another clock', '2026-01-01T12:30:00Z', '5m0s', true],
  ['two minutes ago, every half minute', '2026-01-01T11:58:00Z', '30s', false],
  ['at some time, every so often', '2026-01-01T11:59:00Z', undefined, true],
  ['at a time that is none', 'yesterday', '5m0s', false],
])('a konnector that beat %s', (_, lastHeartbeatTime, heartbeatInterval, expected) => {
  expect(isBeating({ status: { lastHeartbeatTime, heartbeatInterval } }, NOW)).toBe(expected);
});
