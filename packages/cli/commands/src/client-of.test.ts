import { expect, it } from '@jest/globals';
import { userAgentOf } from './client-of.js';

it.each([
  ['konnector-7d4f', 'hawser-konnector/1.2.3 (konnector-7d4f)'],
  [undefined, 'hawser-konnector/1.2.3'],
  ['', 'hawser-konnector/1.2.3'],
  // What would be no header, or another one.
  ['pod\r\nx-remote-user: admin', 'hawser-konnector/1.2.3'],
  ['pöd', 'hawser-konnector/1.2.3'],
])('names the pod %j to API servers where it is one', (pod, agent) => {
  expect(userAgentOf('konnector', { version: '1.2.3', env: { POD_NAME: pod } })).toBe(agent);
});
