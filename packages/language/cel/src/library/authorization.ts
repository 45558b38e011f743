import { type Library, method } from '../check/declarations.js';
import { opaque, type Type, types } from '../check/type.js';
import { noSuchOverload } from '../values/error.js';

const kind = (name: string): Type => opaque(`kubernetes.authorization.${name}`);
const [authorizer, path, group, resource, decision] = [
  'Authorizer',
  'PathCheck',
  'GroupCheck',
  'ResourceCheck',
  'Decision',
].map(kind) as [Type, Type, Type, Type, Type];
const { bool, string } = types;

const declare = (name: string, args: readonly Type[], result: Type): Library[number] =>
  method(name, args, result, () => {
    throw noSuchOverload();
  });

/**
 * Declared for every expression, though only admission policies have an authorizer to call: here they only affect
 * errors.
 */
export const authorization: Library = [
  declare('path', [authorizer, string], path),
  declare('group', [authorizer, string], group),
  declare('serviceAccount', [authorizer, string, string], authorizer),
  declare('resource', [group, string], resource),
  ...['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'].map((name) =>
    declare(name, [resource, string], resource),
  ),
  declare('check', [path, string], decision),
  declare('check', [resource, string], decision),
  declare('errored', [decision], bool),
  declare('error', [decision], string),
  declare('allowed', [decision], bool),
  declare('reason', [decision], string),
];
