import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@hawser/json';
import { decodeObjectMeta, salvageObjectMeta } from './object-meta.js';

describe('metadata', () => {
  it('loses what is unknown or empty', () => {
    expect(
      decodeObjectMeta({
        name: 'x',
        namespace: '',
        labels: {},
        annotations: { a: null },
        foo: 1,
        generation: 0,
        deletionGracePeriodSeconds: 0,
        creationTimestamp: null,
        ownerReferences: [{ name: 'o', bar: 1, controller: false }],
        managedFields: [{ manager: 'm', time: '2020-01-01T01:00:00.9+01:00', fieldsV1: { 'f:a': {} } }],
      }),
    ).toEqual({
      ok: true,
      metadata: {
        name: 'x',
        annotations: { a: '' },
        deletionGracePeriodSeconds: 0,
        ownerReferences: [{ apiVersion: '', kind: '', name: 'o', uid: '', controller: false }],
        managedFields: [{ manager: 'm', time: '2020-01-01T00:00:00Z', fieldsV1: { 'f:a': {} } }],
      },
      unknownFields: ['foo', 'ownerReferences[0].bar'],
    });
  });

  it.each<[JsonValue, string]>([
    ['x', 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [{ name: 5 }, 'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string'],
    [{ generation: 1.5 }, 'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64'],
    [{ labels: [] }, 'json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string'],
    [
      { ownerReferences: [{ uid: 4 }] },
      'json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.uid of type types.UID',
    ],
    [
      { ownerReferences: [5] },
      'json: cannot unmarshal number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference',
    ],
    [
      { creationTimestamp: 'abc', annotations: 5 },
      'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
    ],
    [{ creationTimestamp: '2021-02-29T00:00:00Z' }, 'parsing time "2021-02-29T00:00:00Z": day out of range'],
  ])('%j is refused as Go refuses it', (metadata, error) => {
    expect(decodeObjectMeta(metadata)).toEqual({ ok: false, error });
  });

  it('can be salvaged field by field', () => {
    expect(salvageObjectMeta({ name: 'x', labels: 5, foo: 1 })).toEqual({
      metadata: { name: 'x' },
      unknownFields: ['foo'],
    });
    expect(salvageObjectMeta('x')).toBeUndefined();
  });
});
