import { describe, expect, it } from '@jest/globals';
import { falseCondition, trueCondition } from '@hawser/kube-bind';
import { type ResourceResult, conclude, concludeWithoutExport } from './conclude.js';
import type { ProblemReason } from './problem.js';

const good: ResourceResult = { kind: 'inStep', name: 'zones.example.com' };
const bad = (reason: ProblemReason, message: string = reason): ResourceResult => ({
  kind: 'problem',
  name: 'tests.example.com',
  problem: { reason, message },
});

describe('conclude', () => {
  it('is connected and in step when every CRD is', () => {
    expect(conclude([good, good])).toEqual({
      set: [trueCondition('Connected'), trueCondition('SchemaInSync')],
      remove: [],
    });
  });

  it.each<ProblemReason>(['ForeignCustomResourceDefinition', 'ProtectedAPIGroup'])(
    'says nothing of the schema when the CRD is refused: %s',
    (reason) => {
      expect(conclude([good, bad(reason, 'tests.example.com is foreign')])).toEqual({
        set: [falseCondition('Connected', reason, 'Error', 'tests.example.com is foreign')],
        remove: ['SchemaInSync'],
      });
    },
  );

  it.each<ProblemReason>([
    'BoundSchemaFetchFailed',
    'BoundSchemaInvalid',
    'CustomResourceDefinitionCreateFailed',
    'CustomResourceDefinitionUpdateFailed',
    'CustomResourceDefinitionReadFailed',
  ])('is neither connected nor in step: %s', (reason) => {
    expect(conclude([bad(reason), good])).toEqual({
      set: [
        falseCondition('Connected', reason, 'Error', reason),
        falseCondition('SchemaInSync', reason, 'Error', reason),
      ],
      remove: [],
    });
  });

  it('stays connected while a CRD is on its way out', () => {
    expect(conclude([bad('CustomResourceDefinitionTerminating')])).toEqual({
      set: [
        trueCondition('Connected'),
        falseCondition(
          'SchemaInSync',
          'CustomResourceDefinitionTerminating',
          'Warning',
          'CustomResourceDefinitionTerminating',
        ),
      ],
      remove: [],
    });
  });

  it('takes the reason from the first problem and the words from all', () => {
    expect(conclude([bad('ForeignCustomResourceDefinition', 'one.'), bad('BoundSchemaFetchFailed', 'two.')])).toEqual({
      set: [
        falseCondition('Connected', 'ForeignCustomResourceDefinition', 'Error', 'one. two.'),
        falseCondition('SchemaInSync', 'BoundSchemaFetchFailed', 'Error', 'two.'),
      ],
      remove: [],
    });
  });

  it('is not connected, though every CRD is in step, where the provider does not serve the export', () => {
    expect(
      conclude([good, bad('BoundSchemaFetchFailed', 'two.')], { reason: 'ExportWithdrawn', message: 'withdrawn.' })
        .set[0],
    ).toEqual(falseCondition('Connected', 'ExportWithdrawn', 'Error', 'withdrawn. two.'));
    expect(conclude([good], { reason: 'RightsMissing', message: 'no rights.' })).toEqual({
      set: [falseCondition('Connected', 'RightsMissing', 'Error', 'no rights.'), trueCondition('SchemaInSync')],
      remove: [],
    });
  });

  it('speaks only of the connection when there is no export', () => {
    expect(concludeWithoutExport({ reason: 'APIServiceExportNotFound', message: 'gone' })).toEqual({
      set: [falseCondition('Connected', 'APIServiceExportNotFound', 'Error', 'gone')],
      remove: [],
    });
  });
});
