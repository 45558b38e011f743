import {
  type ConditionSeverity,
  type NewCondition,
  conditionTypes,
  falseCondition,
  trueCondition,
} from '@hawser/kube-bind';
import type { NoExportReason } from './decide.js';
import type { Hold } from './hold.js';
import type { Problem, ProblemReason, ServingProblem } from './problem.js';

/** Result for one exported resource, after all actions. */
export type ResourceResult =
  | { readonly kind: 'inStep'; readonly name: string }
  /** A changed schema waits; the installed one works. */
  | { readonly kind: 'held'; readonly name: string; readonly hold: Hold }
  | { readonly kind: 'problem'; readonly name: string; readonly problem: Problem };

/** The wanted conditions of this controller; conditions in neither list stay. */
export interface WantedConditions {
  readonly set: readonly NewCondition[];
  /** Types without a known state. */
  readonly remove: readonly string[];
}

/** The conditions of a binding without a readable export. Those about its schemas stay. */
export function concludeWithoutExport(problem: {
  readonly reason: NoExportReason;
  readonly message: string;
}): WantedConditions {
  return { set: [falseCondition(conditionTypes.connected, problem.reason, 'Error', problem.message)], remove: [] };
}

/**
 * The conditions of a binding whose export was handled, computed once from the results: no condition takes an
 * intermediate value (spec/konnector.md §17.4, R19). The first problem in the order of the export gives the reason, all
 * give the message. An export that the provider does not serve is not connected: `Ready` must not be True while nothing
 * syncs.
 */
export function conclude(results: readonly ResourceResult[], serving?: ServingProblem): WantedConditions {
  const problems = results.flatMap((result) => (result.kind === 'problem' ? [result.problem] : []));
  const connected = condition(conditionTypes.connected, [
    ...(serving === undefined ? [] : [serving]),
    ...problems.filter(breaksConnection),
  ]);
  const outOfStep = problems.filter((problem) => !isRefusal(problem.reason));
  // A schema that we must not install is neither in step nor out of it (spec/konnector.md §18.1, TestEnsureCRDs).
  if (outOfStep.length === 0 && problems.length > 0) return { set: [connected], remove: [conditionTypes.schemaInSync] };
  return { set: [connected, condition(conditionTypes.schemaInSync, outOfStep)], remove: [] };
}

function condition(type: string, problems: readonly (Problem | ServingProblem)[]): NewCondition {
  const [first] = problems;
  if (first === undefined) return trueCondition(type);
  return falseCondition(
    type,
    first.reason,
    severityOf(problems),
    [...new Set(problems.map((problem) => problem.message))].join(' '),
  );
}

const severityOf = (problems: readonly (Problem | ServingProblem)[]): ConditionSeverity =>
  problems.every((problem) => problem.reason === 'CustomResourceDefinitionTerminating') ? 'Warning' : 'Error';

/** A terminating CRD is transient: the connection stands. */
const breaksConnection = (problem: Problem): boolean => problem.reason !== 'CustomResourceDefinitionTerminating';

/** Whether we ourselves refuse to install the CRD. */
function isRefusal(reason: ProblemReason): boolean {
  switch (reason) {
    case 'ForeignCustomResourceDefinition':
    case 'ProtectedAPIGroup':
    case 'APIGroupNotAllowed':
    case 'ConversionWebhookRefused':
      return true;
    case 'BoundSchemaFetchFailed':
    case 'BoundSchemaInvalid':
    case 'CustomResourceDefinitionCreateFailed':
    case 'CustomResourceDefinitionUpdateFailed':
    case 'CustomResourceDefinitionReadFailed':
    case 'CustomResourceDefinitionTerminating':
      return false;
  }
}
