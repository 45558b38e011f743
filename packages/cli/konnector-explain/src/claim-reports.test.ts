import type { APIServiceBinding, APIServiceExport, PermissionClaim } from '@hawser/kube-bind';
import { expect, it } from '@jest/globals';

import { claimReports } from './claim-reports.js';

const [secrets, settings]: readonly [PermissionClaim, PermissionClaim] = [
  { resource: 'secrets', selector: {} },
  { resource: 'configmaps', selector: {} },
];
const apiExport = {} as APIServiceExport;
const binding = (status: APIServiceBinding['status']): APIServiceBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'shop' },
  status,
});
const standings = (...args: Parameters<typeof claimReports>): readonly string[] =>
  claimReports(...args).map(
    ({ resource, standing, reason }) => `${resource} ${standing}${reason === undefined ? '' : ` ${reason}`}`,
  );
const failing = {
  type: 'ClaimsInSync',
  status: 'False',
  reason: 'ForbiddenOnConsumer',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

it('claims stand as the condition says, and those that nobody has accepted are held', () => {
  const [claims, heldClaims] = [[secrets], [settings]];
  expect(
    standings({
      claimsRecorded: true,
      binding: binding({ permissionClaims: claims }),
      export: apiExport,
      claims,
      heldClaims,
    }),
  ).toEqual(['secrets inStep', 'configmaps held ClaimsHeld']);
  expect(
    standings({
      claimsRecorded: true,
      binding: binding({ permissionClaims: claims, conditions: [failing] }),
      export: apiExport,
      claims,
      heldClaims: [],
    }),
  ).toEqual(['secrets held ForbiddenOnConsumer']);
  expect(
    standings({
      claimsRecorded: true,
      binding: binding({ conditions: [{ ...failing, status: 'True' }], permissionClaims: claims }),
      export: apiExport,
      claims,
      heldClaims: [],
    }),
  ).toEqual(['secrets inStep']);
});

it('claims of a binding that no konnector has looked at are under way, and nothing is known where the export is not', () => {
  expect(
    standings({
      claimsRecorded: false,
      binding: binding(undefined),
      export: apiExport,
      claims: [secrets],
      heldClaims: [],
    }),
  ).toEqual(['secrets underWay']);
  expect(
    standings({
      claimsRecorded: true,
      binding: binding({ permissionClaims: [secrets] }),
      export: undefined,
      claims: [secrets],
      heldClaims: [],
    }),
  ).toEqual(['secrets unknown']);
});
