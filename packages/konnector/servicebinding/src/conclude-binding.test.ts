import { done } from '@hawser/controller';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  type PermissionClaim,
  falseCondition,
  trueCondition,
} from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import type { ResourceResult } from './conclude.js';
import { concludeBinding, nextLook } from './conclude-binding.js';
import type { ResourceAction } from './resource-action.js';

const binding: APIServiceBinding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'databases' },
};

const spec: CustomResourceDefinition['spec'] = {
  group: 'example.com',
  scope: 'Namespaced',
  names: { plural: 'tests', kind: 'Test' },
  versions: [],
};

const action = (dropped: readonly string[] = []): ResourceAction => ({
  kind: 'inStep',
  name: 'tests.example.com',
  live: 'c-1/1',
  wanted: { name: 'tests.example.com', hash: 'h', spec, dropped },
});

const inStep: ResourceResult = { kind: 'inStep', name: 'tests.example.com' };

const held: ResourceResult = {
  kind: 'held',
  name: 'tests.example.com',
  hold: { reason: 'BreakingSchemaChange', message: 'v1: spec.size: goes.' },
};

const refused: ResourceResult = {
  kind: 'problem',
  name: 'tests.example.com',
  problem: { reason: 'ProtectedAPIGroup', message: 'The group is protected.' },
};

const claim: PermissionClaim = { group: '', resource: 'secrets', selector: { labelSelector: {} } };

describe('concludeBinding', () => {
  it('says that all is well, and nothing of what is not the case', () => {
    expect(concludeBinding(binding, { resources: [action()], heldClaims: [], serving: undefined }, [inStep])).toEqual({
      set: [trueCondition('Connected'), trueCondition('SchemaInSync')],
      remove: ['SchemaUpdateHeld'],
    });
  });

  it('tells of held schemas, dropped names and claims that nobody has agreed to', () => {
    const { set, remove } = concludeBinding(
      binding,
      { resources: [action(['short name po'])], heldClaims: [claim], serving: undefined },
      [held],
    );
    expect(set.map(({ type, status }) => [type, status])).toEqual([
      ['Connected', 'True'],
      ['SchemaInSync', 'True'],
      ['ClaimsAccepted', 'False'],
      ['NamesAccepted', 'False'],
      ['SchemaUpdateHeld', 'True'],
    ]);
    expect(remove).toEqual([]);
  });

  it('takes back what was said of a schema that is refused now, and of an update of it', () => {
    expect(concludeBinding(binding, { resources: [], heldClaims: [], serving: undefined }, [refused])).toEqual({
      set: [falseCondition('Connected', 'ProtectedAPIGroup', 'Error', 'The group is protected.')],
      remove: ['SchemaInSync', 'SchemaUpdateHeld'],
    });
  });

  it('says that the provider does not serve the export', () => {
    expect(
      concludeBinding(
        binding,
        { resources: [action()], heldClaims: [], serving: { reason: 'ExportWithdrawn', message: 'Withdrawn.' } },
        [inStep],
      ).set[0],
    ).toMatchObject({ type: 'Connected', status: 'False', message: 'Withdrawn.' });
  });
});

describe('nextLook', () => {
  it.each([
    ['is left to events while all is in step', [inStep], true, done],
    [
      'comes by itself where something is held',
      [inStep, held],
      true,
      { kind: 'requeue', afterMs: 600_000, priority: 'background' },
    ],
    [
      'comes by itself where something is refused',
      [refused],
      true,
      { kind: 'requeue', afterMs: 600_000, priority: 'background' },
    ],
    [
      'comes each minute where no event tells of schemas',
      [inStep],
      false,
      { kind: 'requeue', afterMs: 60_000, priority: 'background' },
    ],
    [
      'comes each minute, whatever is refused',
      [refused],
      false,
      { kind: 'requeue', afterMs: 60_000, priority: 'background' },
    ],
  ])('%s', (_, results, watched, expected) => {
    expect(nextLook(results, watched)).toEqual(expected);
  });
});
