import { ApiError } from '@hawser/client';
import { expect, it } from '@jest/globals';

import { unlisted } from './finding.js';

const refused = (cluster: 'consumer' | 'provider', code: 'Forbidden' | 'NotFound'): ApiError =>
  new ApiError(code, 'zones is forbidden', { cluster, verb: 'list', resource: 'zones' });

it('says of a list that is refused what the provider does about it, and when it is tried again', () => {
  expect(unlisted(refused('provider', 'Forbidden'))).toMatchObject({
    reason: 'ForbiddenByProvider',
    actor: 'provider',
    remedy: expect.stringContaining('`hawser rbac --roles provider | kubectl apply -f -`'),
    message:
      'Cannot list zones on the provider: zones is forbidden. Nothing is synced there until then. The provider must grant this right: `hawser rbac --roles provider | kubectl apply -f -`. Next try: within 30 s.',
  });
  expect(unlisted(refused('consumer', 'Forbidden'))).toMatchObject({
    reason: 'ForbiddenOnConsumer',
    actor: 'operator',
    remedy: expect.stringContaining('hawser rbac'),
    message: expect.stringContaining('Next try: '),
  });
  expect(unlisted(refused('provider', 'NotFound'))).toMatchObject({
    reason: 'NotServedByProvider',
    actor: 'provider',
    remedy: expect.stringContaining('serve it'),
  });
});
