import type { UnstructuredObject } from '@hawser/client';
import type { FunctionMap } from '@hawser/gotemplate';
import type { JsonObject, JsonValue } from '@hawser/json';
import type { ResourceMutation, ResourceMutationSpec } from '@hawser/syncagent-api';
import { celStep } from './cel-step.js';
import { type Compilation, Findings } from '../compilation.js';
import { deleteStep } from './delete-step.js';
import { isIdentity, keepIdentity } from './identity.js';
import { MutationError } from './mutation-error.js';
import { regexStep } from './regex-step.js';
import type { Step } from './step.js';
import { templateStep } from './template-step.js';

/**
 * Applies all steps of a list to an object, in order. `other` is the object on the other side, or its future content.
 * Changes neither. The result shares untouched parts with the object, and is the object itself without steps.
 *
 * @throws {MutationError} if a step cannot be applied
 */
export type Mutate = (self: UnstructuredObject, other: UnstructuredObject | undefined) => UnstructuredObject;

/** The compiled steps of a `ResourceMutationSpec`. Deterministic, so an object in step stays in step. */
export interface Mutations {
  /** Converts the source for the other side. */
  readonly spec: Mutate;
  /** Converts the copy before its status is read. */
  readonly status: Mutate;
}

export interface MutationOptions {
  /** Functions for templates besides Go's own: those of sprig, and the agent's. */
  readonly functions: FunctionMap;
  /** The field of the rules. Default `spec.mutation`. */
  readonly path?: string | undefined;
}

/**
 * Compiles the rewriting rules of a PublishedResource, or of one of its related entries (spec/api-syncagent.md §13),
 * once for all objects. Reports all problems at once, each with the path of its field.
 */
export function compileMutations(
  rules: ResourceMutationSpec | undefined,
  { functions, path = 'spec.mutation' }: MutationOptions,
): Compilation<Mutations> {
  const findings = new Findings();
  const mutateBy = (part: 'spec' | 'status'): Mutate => {
    const field = `${path}.${part}`;
    const steps = (rules?.[part] ?? []).flatMap(
      (step, index) => compileStep(step, `${field}[${index}]`, findings, functions) ?? [],
    );
    return steps.length === 0 ? (self) => self : (self, other) => applyAll(steps, self, other, field);
  };
  return findings.conclude({ spec: mutateBy('spec'), status: mutateBy('status') });
}

/** The first mechanism wins, in this order (spec/api-syncagent.md §2.6). */
function compileStep(
  { delete: remove, regex, template, cel }: ResourceMutation,
  field: string,
  findings: Findings,
  functions: FunctionMap,
): Step | undefined {
  findings.exactlyOne(field, { delete: remove, regex, template, cel });
  const target = (remove ?? regex ?? template ?? cel)?.path;
  if (target !== undefined && isIdentity(target))
    findings.warning(field, `has no effect: ${target} says which object it is, and stays`);
  if (remove !== undefined) return deleteStep(remove, `${field}.delete`, findings);
  if (regex !== undefined) return regexStep(regex, `${field}.regex`, findings);
  if (template !== undefined) return templateStep(template, `${field}.template`, findings, functions);
  return cel === undefined ? undefined : celStep(cel, `${field}.cel`, findings);
}

function applyAll(
  steps: readonly Step[],
  original: UnstructuredObject,
  otherObject: UnstructuredObject | undefined,
  field: string,
): UnstructuredObject {
  // Content from a server, or from its cache, is JSON.
  const start = original as unknown as JsonObject;
  const other = otherObject as unknown as JsonObject | undefined;
  let self = start;
  for (const step of steps) self = objectOf(step({ self, other }), field);
  return keepIdentity(self, start, field) as unknown as UnstructuredObject;
}

function objectOf(value: JsonValue, field: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MutationError(field, 'the steps leave no object');
  return value as JsonObject;
}
