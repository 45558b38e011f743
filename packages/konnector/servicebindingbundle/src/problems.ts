import { sentence } from '@hawser/client';
import {
  type APIServiceBinding,
  type ConditionSeverity,
  type NewCondition,
  apiGroup,
  conditionTypes,
  falseCondition,
  hawserAnnotations,
  trueCondition,
} from '@hawser/kube-bind';
import type { Hold } from './observed.js';

/** Why a bundle is out of sync. The first two are of the contract (spec/kube-bind-api.md §10.2), unlike the rest. */
export type BundleReason =
  | 'ListExportsFailed'
  | 'SyncErrors'
  | 'DeletionsHeld'
  | 'ForeignAPIServiceBinding'
  | 'BindingsKept'
  | 'APIServiceBindingTerminating';

export interface BundleProblem {
  readonly reason: BundleReason;
  /** Whole sentences: what is wrong, who must act, and how. */
  readonly message: string;
}

/** Problems that need an action come first. */
const severities = {
  ListExportsFailed: 'Error',
  SyncErrors: 'Warning',
  DeletionsHeld: 'Warning',
  ForeignAPIServiceBinding: 'Warning',
  BindingsKept: 'Warning',
  APIServiceBindingTerminating: 'Info',
} as const satisfies Record<BundleReason, ConditionSeverity>;
const ranks = Object.keys(severities);

/** Maximum number of problems that a message describes in full. */
const TOLD = 5;

/** Computes the condition `Synced` from the problems in one step: no intermediate value is written. */
export function synced(problems: readonly BundleProblem[]): NewCondition {
  const ranked = problems.toSorted((a, b) => ranks.indexOf(a.reason) - ranks.indexOf(b.reason));
  const [first] = ranked;
  if (first === undefined) return trueCondition(conditionTypes.synced);
  const rest = ranked.length > TOLD ? ` And ${ranked.length - TOLD} more.` : '';
  return falseCondition(
    conditionTypes.synced,
    first.reason,
    severities[first.reason],
    ranked
      .slice(0, TOLD)
      .map(({ message }) => message)
      .join(' ') + rest,
  );
}

export function listFailed(error: string): BundleProblem {
  return {
    reason: 'ListExportsFailed',
    message: `What the provider exports cannot be read: ${sentence(error)} The bindings of this bundle stay as they are; this is tried again by itself.`,
  };
}

export function writeFailed(verb: 'create' | 'delete', name: string, error: string): BundleProblem {
  return {
    reason: 'SyncErrors',
    message: `APIServiceBinding ${name} could not be ${verb === 'create' ? 'created' : 'deleted'}: ${sentence(error)} This is tried again by itself.`,
  };
}

export function foreign(binding: APIServiceBinding): BundleProblem {
  const { name } = binding.metadata;
  return {
    reason: 'ForeignAPIServiceBinding',
    message: `Export ${name} is not bound by this bundle: there is an APIServiceBinding of that name, and it ${describeOwner(binding)}. Delete it to have the export bound by this bundle.`,
  };
}

export function otherSecret({ metadata: { name } }: APIServiceBinding): BundleProblem {
  return {
    reason: 'ForeignAPIServiceBinding',
    message: `APIServiceBinding ${name} belongs to this bundle and names another Secret. Delete it to have it made again.`,
  };
}

export function kept(name: string, why: string): BundleProblem {
  return {
    reason: 'BindingsKept',
    message: `APIServiceBinding ${name} is kept although its export is missing, since that proves nothing: ${sentence(why)} Delete the binding if the export is not to come back.`,
  };
}

export function deletionHeld(name: string, bundle: string, { why, count, token }: Hold): BundleProblem {
  const cause =
    why === 'unseen'
      ? 'its export is missing, and was not seen to be deleted, as after a restore of the provider from a backup'
      : 'more exports are withdrawn at once than may be';
  const all = count === 1 ? 'it' : `it and ${count - 1} more`;
  return {
    reason: 'DeletionsHeld',
    message: `APIServiceBinding ${name} is kept with its CRD and objects: ${cause}. If the export comes back, this goes on by itself. To delete ${all}, with all objects: kubectl annotate apiservicebindingbundles ${bundle} --overwrite ${hawserAnnotations.approveDeletions}=${token}`,
  };
}

export function terminating({ metadata: { name } }: APIServiceBinding): BundleProblem {
  return {
    reason: 'APIServiceBindingTerminating',
    message: `APIServiceBinding ${name} is being deleted; it is made again when it is gone. To unbind, delete the bundle.`,
  };
}

function describeOwner({ metadata: { ownerReferences = [] } }: APIServiceBinding): string {
  const owner = ownerReferences.find(
    ({ apiVersion, kind }) => kind === 'APIServiceBindingBundle' && apiVersion.split('/', 1)[0] === apiGroup,
  );
  return owner === undefined
    ? 'was not made by a bundle'
    : `belongs to APIServiceBindingBundle ${owner.name} (uid ${owner.uid})`;
}
