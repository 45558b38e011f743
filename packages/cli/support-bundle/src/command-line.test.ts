import { expect, it } from '@jest/globals';

import { commandLine } from './command-line.js';

const shape = commandLine(new Set(['config', 'concurrency', 'oidc-issuer-client-secret', 'oidc-ca-file']));

it.each([
  [
    ['run', '--config=/etc/hawser/config.yaml', '--concurrency', '24'],
    ['run', '--config=/etc/hawser/config.yaml', '--concurrency', '24'],
  ],
  [['--oidc-issuer-client-secret=hunter2'], ['--oidc-issuer-client-secret=[left out]']],
  [
    ['--oidc-issuer-client-secret', 'hunter2'],
    ['--oidc-issuer-client-secret', '[left out]'],
  ],
  [['--oidc-ca-file=/ca'], ['--oidc-ca-file=/ca']],
  [['--other=hunter2'], ['--other=[left out]']],
  [['--config=https://u:hunter2@h/x'], ['--config=https://[redacted]@h/x']],
  [
    ['sh', '-c', 'curl -H hunter2'],
    ['[left out]', '-c', '[left out]'],
  ],
  [['/usr/bin/hawser-konnector'], ['/usr/bin/hawser-konnector']],
  [[{ a: 'hunter2' }], ['[left out]']],
])('takes of %j what is known to be harmless', (given, expected) => {
  expect(shape(given)).toEqual(expected);
});
