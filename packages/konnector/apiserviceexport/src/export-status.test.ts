import { describe, expect, it } from '@jest/globals';

import { type APIServiceBinding, type CustomResourceDefinition, readSchemaApplied } from '@hawser/kube-bind';
import { roughEdge } from '@hawser/testenv';

import { boundSchemaStatus, exportStatus, isReportedBound } from './export-status.js';

const now = Date.UTC(2026, 0, 2);
const then = '2026-01-01T00:00:00Z';
const bound = (conditions: readonly unknown[]): APIServiceBinding =>
  ({
    apiVersion: '',
    kind: '',
    metadata: { name: 'databases' },
    status: { conditions },
  }) as unknown as APIServiceBinding;

describe('the status of an export', () => {
  it('says that nobody binds it', () => {
    expect(exportStatus(undefined, { binding: undefined, schemaFailure: undefined }, now).conditions).toMatchObject([
      { type: 'Connected', status: 'False', reason: 'APIServiceBindingNotFound', severity: 'Info' },
      { type: 'ConsumerInSync', status: 'False', reason: 'NA', severity: 'Info' },
    ]);
  });

  it('copies SchemaInSync of the binding with its time, and leaves the provider’s own conditions', () => {
    const before = { conditions: [{ type: 'ProviderInSync', status: 'True' as const, lastTransitionTime: then }] };
    const status = exportStatus(
      before,
      {
        binding: bound([{ type: 'SchemaInSync', status: 'True', lastTransitionTime: then }]),
        schemaFailure: undefined,
      },
      now,
    );
    expect(status.conditions).toEqual([
      { type: 'Connected', status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z' },
      { type: 'ConsumerInSync', status: 'True', lastTransitionTime: then },
      { type: 'ProviderInSync', status: 'True', lastTransitionTime: then },
    ]);
    expect(
      exportStatus(
        status,
        {
          binding: bound([{ type: 'SchemaInSync', status: 'True', lastTransitionTime: then }]),
          schemaFailure: undefined,
        },
        now + 60_000,
      ),
    ).toEqual(status);
  });

  it('says so when the binding has not reported, and when a BoundSchema cannot be written', () => {
    expect(
      exportStatus(undefined, { binding: bound([]), schemaFailure: 'no such verb' }, now).conditions,
    ).toMatchObject([
      {
        type: 'Connected',
        status: 'False',
        reason: 'BoundSchemasNotValid',
        severity: 'Warning',
        message: 'no such verb',
      },
      { type: 'ConsumerInSync', status: 'False', reason: 'Unknown', severity: 'Info' },
    ]);
  });
});

describe('an export that is unbound', () => {
  const gone = { binding: undefined, schemaFailure: undefined, unbound: true };

  it('says so from then on, until it is bound again', () => {
    const before = exportStatus(undefined, { binding: bound([]), schemaFailure: undefined }, now);
    expect(isReportedBound(before)).toBe(true);
    const after = exportStatus(before, gone, now);
    expect(after.conditions).toMatchObject([
      { type: 'Connected', status: 'False' },
      { type: 'ConsumerInSync' },
      { type: 'Unbound', status: 'True', reason: 'BindingGone' },
    ]);
    expect(isReportedBound(after)).toBe(false);
    // It is not proven each time, and not taken back for that.
    expect(exportStatus(after, { ...gone, unbound: false }, now + 60_000)).toEqual(after);
    expect(
      exportStatus(after, { binding: bound([]), schemaFailure: undefined }, now).conditions?.map(({ type }) => type),
    ).toEqual(['Connected', 'ConsumerInSync']);
  });

  it('is none that nobody has bound yet', () => {
    const status = exportStatus(undefined, { binding: undefined, schemaFailure: undefined }, now);
    expect(isReportedBound(status)).toBe(false);
    expect(status.conditions?.map(({ type }) => type)).toEqual(['Connected', 'ConsumerInSync']);
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
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'accepted',
          lastTransitionTime: then,
        },
        { type: 'NamesAccepted', status: 'False', reason: 'Conflict', message: 'taken', lastTransitionTime: then },
        { type: 'Ready', status: 'True', lastTransitionTime: then },
      ],
      acceptedNames: { plural: 'databases', kind: 'Database' },
      storedVersions: ['v1'],
    },
  } as unknown as CustomResourceDefinition;

  it('mirrors the CRD: conditions with their times, severities, names and stored versions; Ready is the summary', () => {
    const status = boundSchemaStatus(
      { conditions: [{ type: 'Structural', status: 'True', lastTransitionTime: then }] },
      { crd, answer: undefined },
      now,
    );
    expect(status).toEqual({
      acceptedNames: { plural: 'databases', kind: 'Database' },
      storedVersions: ['v1'],
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          severity: 'Error',
          reason: 'Conflict',
          message: 'taken',
          lastTransitionTime: '2026-01-02T00:00:00Z',
        },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'accepted',
          lastTransitionTime: then,
        },
        {
          type: 'NamesAccepted',
          status: 'False',
          severity: 'Error',
          reason: 'Conflict',
          message: 'taken',
          lastTransitionTime: then,
        },
        { type: 'Structural', status: 'True', lastTransitionTime: then },
      ],
    });
  });

  it('does not go back and forth between two clusters with one kubeconfig, whose CRDs are of different ages', () => {
    const of = (time: string) =>
      ({
        status: {
          conditions: [
            {
              type: 'Established',
              status: 'True',
              reason: 'InitialNamesAccepted',
              message: 'accepted',
              lastTransitionTime: time,
            },
          ],
        },
      }) as unknown as CustomResourceDefinition;
    const first = boundSchemaStatus(undefined, { crd: of(then), answer: undefined }, now);
    expect(boundSchemaStatus(first, { crd: of('2026-01-01T12:00:00Z'), answer: undefined }, now)).toEqual(first);
  });

  const hash = '0f'.repeat(32);

  it('says that the schema is applied once the CRD is established, and not before', () => {
    const answer = { kind: 'applied', hash } as const;
    const established = boundSchemaStatus(undefined, { crd, answer }, now);
    expect(readSchemaApplied(established.conditions)).toEqual(answer);
    expect(boundSchemaStatus(established, { crd, answer }, now + 60_000)).toEqual(established);
    const fresh = { ...crd, status: { conditions: [] } } as unknown as CustomResourceDefinition;
    expect(readSchemaApplied(boundSchemaStatus(undefined, { crd: fresh, answer }, now).conditions)).toBeUndefined();
    const taken = {
      ...crd,
      status: { conditions: crd.status?.conditions?.slice(1) },
    } as unknown as CustomResourceDefinition;
    expect(readSchemaApplied(boundSchemaStatus(established, { crd: taken, answer }, now).conditions)).toEqual({
      kind: 'refused',
      hash,
      reason: 'CustomResourceDefinitionNotEstablished',
      message: 'taken',
    });
  });

  it('says why the consumer does not take it, also where there is no CRD, and leaves what it does not know', () => {
    const answer = { kind: 'refused', hash, reason: 'CustomResourceDefinitionCreateFailed', message: 'no.' } as const;
    const refused = boundSchemaStatus(undefined, { crd: undefined, answer }, now);
    expect(refused).toEqual({
      conditions: [
        {
          type: 'SchemaApplied',
          status: 'False',
          reason: answer.reason,
          message: `Schema ${hash}: no.`,
          lastTransitionTime: '2026-01-02T00:00:00Z',
        },
      ],
    });
    expect(boundSchemaStatus(refused, { crd: undefined, answer: undefined }, now + 60_000)).toBe(refused);
    expect(boundSchemaStatus(refused, { crd: undefined, answer }, now + 60_000)).toEqual(refused);
  });

  it('does not change when nothing has', () => {
    const status = boundSchemaStatus(undefined, { crd, answer: undefined }, now);
    expect(boundSchemaStatus(status, { crd, answer: undefined }, now + 60_000)).toEqual(status);
  });
});
