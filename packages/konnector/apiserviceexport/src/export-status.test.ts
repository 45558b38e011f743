import { describe, expect, it } from '@jest/globals';

import type { APIServiceBinding, CustomResourceDefinition } from '@hawser/kube-bind';
import { roughEdge } from '@hawser/testenv';

import { boundSchemaStatus, exportStatus } from './export-status.js';

const now = Date.UTC(2026, 0, 2);
const then = '2026-01-01T00:00:00Z';
const bound = (conditions: readonly unknown[]): APIServiceBinding => ({ apiVersion: '', kind: '', metadata: { name: 'databases' }, status: { conditions } }) as unknown as APIServiceBinding;

describe('the status of an export', () => {
  it('says that nobody binds it', () => {
    expect(exportStatus(undefined, { binding: undefined, schemaFailure: undefined }, now).conditions).toMatchObject([
      { type: 'Connected', status: 'False', reason: 'APIServiceBindingNotFound', severity: 'Info' },
      { type: 'ConsumerInSync', status: 'False', reason: 'NA', severity: 'Info' },
    ]);
  });

  it('copies SchemaInSync of the binding with its time, and leaves the provider’s own conditions', () => {
    const before = { conditions: [{ type: 'ProviderInSync', status: 'True' as const, lastTransitionTime: then }] };
    const status = exportStatus(before, { binding: bound([{ type: 'SchemaInSync', status: 'True', lastTransitionTime: then }]), schemaFailure: undefined }, now);
    expect(status.conditions).toEqual([
      { type: 'Connected', status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z' },
      { type: 'ConsumerInSync', status: 'True', lastTransitionTime: then },
      { type: 'ProviderInSync', status: 'True', lastTransitionTime: then },
    ]);
    expect(exportStatus(status, { binding: bound([{ type: 'SchemaInSync', status: 'True', lastTransitionTime: then }]), schemaFailure: undefined }, now + 60_000)).toEqual(status);
  });

  it('says so when the binding has not reported, and when a BoundSchema cannot be written', () => {
    expect(exportStatus(undefined, { binding: bound([]), schemaFailure: 'no such verb' }, now).conditions).toMatchObject([
      { type: 'Connected', status: 'False', reason: 'BoundSchemasNotValid', severity: 'Warning', message: 'no such verb' },
      { type: 'ConsumerInSync', status: 'False', reason: 'Unknown', severity: 'Info' },
    ]);
  });
});

roughEdge('R19', 'what holds on is no news: a condition that stays False keeps its time, and so costs no write', () => {
  const facts = { binding: bound([]), schemaFailure: 'no such verb' };
  const before = exportStatus(undefined, facts, now);
  expect(exportStatus(before, facts, now + 60_000)).toEqual(before);
});

describe('the status of a BoundSchema', () => {
  const crd = {
    status: {
      conditions: [
        { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'accepted', lastTransitionTime: then },
        { type: 'NamesAccepted', status: 'False', reason: 'Conflict', message: 'taken', lastTransitionTime: then },
        { type: 'Ready', status: 'True', lastTransitionTime: then },
      ],
      acceptedNames: { plural: 'databases', kind: 'Database' },
      storedVersions: ['v1'],
    },
  } as unknown as CustomResourceDefinition;

  it('mirrors the CRD: conditions with their times, severities, names and stored versions; Ready is the summary', () => {
    const status = boundSchemaStatus({ conditions: [{ type: 'Structural', status: 'True', lastTransitionTime: then }] }, crd, now);
    expect(status).toEqual({
      acceptedNames: { plural: 'databases', kind: 'Database' },
      storedVersions: ['v1'],
      conditions: [
        { type: 'Ready', status: 'False', severity: 'Error', reason: 'Conflict', message: 'taken', lastTransitionTime: '2026-01-02T00:00:00Z' },
        { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'accepted', lastTransitionTime: then },
        { type: 'NamesAccepted', status: 'False', severity: 'Error', reason: 'Conflict', message: 'taken', lastTransitionTime: then },
        { type: 'Structural', status: 'True', lastTransitionTime: then },
      ],
    });
  });

  it('does not change when nothing has', () => {
    const status = boundSchemaStatus(undefined, crd, now);
    expect(boundSchemaStatus(status, crd, now + 60_000)).toEqual(status);
  });
});
