import type { APIServiceBinding, PermissionClaim } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { claimId, consentCondition, consentTo } from './claim-consent.js';

const labelled: PermissionClaim = { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } };
const named: PermissionClaim = { resource: 'configmaps', selector: { namedResources: [{ name: 'ca' }], references: [{ group: 'example.com', resource: 'tests', jsonPath: { name: 'spec.ca' } }] } };
const all: PermissionClaim = { resource: 'secrets', selector: { labelSelector: {} } };

const binding = (status: APIServiceBinding['status'], accepted?: string): APIServiceBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', metadata: { name: 'b', ...(accepted === undefined ? {} : { annotations: { 'hawser.dev/accepted-claims': accepted } }) }, status,
});
const bound = (claims?: readonly PermissionClaim[]): APIServiceBinding['status'] => ({ boundSchemas: [{ group: 'example.com', resource: 'tests' }], ...(claims === undefined ? {} : { permissionClaims: claims }) });

describe('consent to claims', () => {
  it('is given by binding to what the export has then', () => {
    expect(consentTo(binding(undefined), [labelled, named])).toEqual({ accepted: [labelled, named], held: [] });
    expect(consentTo(binding({}), [labelled])).toEqual({ accepted: [labelled], held: [] });
  });
  roughEdge('R38', 'consent is not given to claims that come later', () => {
    expect(consentTo(binding(bound()), [labelled])).toEqual({ accepted: [], held: [labelled] });
    expect(consentTo(binding(bound([labelled])), [labelled, named])).toEqual({ accepted: [labelled], held: [named] });
  });
  it('is not given to a claim that is changed', () => { expect(consentTo(binding(bound([labelled])), [all])).toEqual({ accepted: [], held: [all] }); });
  it('does not depend on how a claim is spelled', () => { expect(consentTo(binding(bound([{ ...named, group: '' }])), [named]).held).toEqual([]); });
  it.each([`x, ${claimId(named)}`, '*', `${claimId(named)}\nelse`])('is given by annotation: %j', (annotation) => { expect(consentTo(binding(bound(), annotation), [named])).toEqual({ accepted: [named], held: [] }); });
  it('is given by annotation to what it names alone', () => { expect(consentTo(binding(bound(), claimId(named)), [named, all])).toEqual({ accepted: [named], held: [all] }); });
  it('ends when the export no longer has the claim', () => { expect(consentTo(binding(bound([labelled, named])), [named]).accepted).toEqual([named]); });
});

describe('the condition', () => {
  it('says what is claimed and how to accept it', () => {
    expect(consentCondition(binding(bound()), [labelled, named])).toEqual({
      type: 'ClaimsAccepted', status: 'False', severity: '', reason: 'ClaimsHeld',
      message: `The provider claims more than when this was bound: secrets labelled app=db (${claimId(labelled)}); configmaps named */ca or named in tests.example.com (${claimId(named)}). Nothing of that is served. To accept it: kubectl annotate apiservicebinding b hawser.dev/accepted-claims=${claimId(labelled)},${claimId(named)} --overwrite`,
    });
  });
  it('is not there where nothing was ever held', () => { expect(consentCondition(binding(bound()), [])).toBeUndefined(); });
  it('becomes True when nothing is held any more', () => {
    const before = binding({ conditions: [{ type: 'ClaimsAccepted', status: 'False', reason: 'ClaimsHeld', message: 'x', lastTransitionTime: '2026-01-01T00:00:00Z' }] });
    expect(consentCondition(before, [])).toMatchObject({ status: 'True' });
  });
});
