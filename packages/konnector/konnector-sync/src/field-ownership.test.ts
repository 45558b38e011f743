import { expect, it } from '@jest/globals';

import { ownedByOthers, ownedOnlyByUs } from './field-ownership.js';

const entry = (
  manager: string,
  fieldsV1: unknown,
  subresource?: string,
): { manager: string; fieldsV1: unknown; subresource?: string } => ({
  manager,
  fieldsV1,
  ...(subresource === undefined ? {} : { subresource }),
});

it.each<[string, readonly ReturnType<typeof entry>[], boolean]>([
  ['a field of the Go konnector', [entry('konnector', { 'f:spec': { 'f:x': {} } })], true],
  ['a field of ours', [entry('kube-bind.io', { 'f:spec': { 'f:x': {} } })], true],
  [
    'a field shared with an operator',
    [entry('kube-bind.io', { 'f:spec': { 'f:x': {} } }), entry('operator', { 'f:spec': { 'f:x': {} } })],
    false,
  ],
  [
    'a field of an operator',
    [entry('kube-bind.io', { 'f:spec': { 'f:y': {} } }), entry('operator', { 'f:spec': { 'f:x': {} } })],
    false,
  ],
  ['a field that nobody claims', [entry('kube-bind.io', { 'f:spec': { 'f:y': {} } })], false],
  ['a field below an atomic one of ours', [entry('kube-bind.io', { 'f:spec': {} })], true],
  ['a claim through a subresource', [entry('kube-bind.io', { 'f:spec': { 'f:x': {} } }, 'status')], false],
])('%s', (_, managedFields, owned) => {
  expect(ownedOnlyByUs([['spec', 'x']], managedFields)).toEqual(owned ? [['spec', 'x']] : []);
});

it.each<[string, readonly ReturnType<typeof entry>[], boolean]>([
  [
    'a field that an operator took over',
    [entry('kube-bind.io', { 'f:spec': { 'f:y': {} } }), entry('operator', { 'f:spec': { 'f:x': {} } })],
    true,
  ],
  [
    'a field shared with an operator',
    [entry('kube-bind.io', { 'f:spec': { 'f:x': {} } }), entry('operator', { 'f:spec': { 'f:x': {} } })],
    false,
  ],
  ['a field of ours', [entry('kube-bind.io', { 'f:spec': { 'f:x': {} } })], false],
  ['a field that was removed', [entry('operator', { 'f:spec': { 'f:y': {} } })], false],
])('whether somebody else wrote it last: %s', (_, managedFields, theirs) => {
  expect(ownedByOthers([['spec', 'x']], managedFields)).toEqual(theirs ? [['spec', 'x']] : []);
});
