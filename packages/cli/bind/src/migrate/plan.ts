import type { Binding, RelatedResource } from '@hawser/core-kbind';
import { recordedKinds, type RelatedKind } from '@hawser/kbind-binding';
import { hawserAnnotations, type APIServiceBinding } from '@hawser/kube-bind';

import type { BindStep } from '../bind-step.js';
import { planCoreKbind } from '../core-kbind/plan.js';
import type { Refusal } from '../refusal.js';
import { claimSwapOf } from './claim-pairs.js';
import { foundOf, textOf } from './claim-refusals.js';
import { coreWish, withoutForeign } from './core-wish.js';
import type { MigratedAPI, MigrationObserved, MigrationWish } from './observe.js';
import { rulesOf } from './observe-claims.js';
import { ruleInWords } from './related-of-claim.js';
import { type Generation, type MarkTerms, isCopyOf, pinnedUid, swapOf } from './pair-swap.js';
import { isPause } from './pause-reason.js';
import { refusalsOf } from './refusals.js';

/** One step of a migration, in its order. Each step is repeatable. */
export type MigrationStep =
  /** Makes a Secret, a Connection or a ClusterBinding. */
  | { readonly kind: 'make'; readonly step: BindStep }
  /** Waits until the Connection names this cluster. */
  | { readonly kind: 'awaitConnection'; readonly name: string }
  /** Pauses the APIServiceBinding. `awaits`: waits until the konnector reports it, since it may be writing. */
  | { readonly kind: 'pause'; readonly binding: APIServiceBinding; readonly awaits: boolean }
  | { readonly kind: 'pauseCore'; readonly binding: Binding }
  /** Removes the pause that an aborted way back has left. */
  | { readonly kind: 'resumeCore'; readonly binding: Binding }
  | {
      readonly kind: 'swap';
      readonly api: MigratedAPI;
      readonly to: Generation;
      readonly objects: number;
      readonly copies: number;
    }
  | {
      readonly kind: 'giveCRD';
      readonly api: MigratedAPI;
      readonly to: Generation;
      readonly binding: APIServiceBinding;
      readonly connection: string;
    }
  | {
      readonly kind: 'swapClaims';
      readonly of: RelatedKind;
      readonly to: Generation;
      readonly originals: number;
      readonly copies: number;
    }
  /** Gives the ClusterBinding the rules that say the same as the claims. */
  | { readonly kind: 'relate'; readonly name: string; readonly rules: readonly RelatedResource[] }
  | { readonly kind: 'awaitReady'; readonly name: string }
  /** Deletes the ClusterBinding, and nothing along with it. */
  | { readonly kind: 'releaseCore'; readonly binding: Binding }
  | { readonly kind: 'resume'; readonly binding: APIServiceBinding };

export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
  readonly refusals: readonly Refusal[];
  /** What stays as it is, and why; one line each. */
  readonly remarks: readonly string[];
}

/** Annotations by which an operator limits a konnector; both generations read them. */
const policies: readonly string[] = [
  hawserAnnotations.unbindPolicy,
  hawserAnnotations.driftPolicy,
  hawserAnnotations.driftIgnore,
  hawserAnnotations.schemaUpdate,
  hawserAnnotations.formerConsumerIdentity,
];

/** Plans the migration of one binding. hawser never carries out a plan with a refusal. Pure. */
export function planMigration(wish: MigrationWish, observed: MigrationObserved): MigrationPlan {
  const { binding } = observed;
  if (binding === undefined)
    return refused({
      reason: 'BindingNotFound',
      actor: 'operator',
      remedy: 'names one that is there, or binds with hawser bind',
      message: `There is no APIServiceBinding "${wish.name}".`,
    });
  const refusals = refusalsOf(binding, wish, observed);
  if (refusals.length > 0) return { steps: [], refusals, remarks: [] };
  return wish.to === 'v2' ? planToV2(wish, binding, observed) : planToV1(binding, observed);
}

function planToV2(wish: MigrationWish, binding: APIServiceBinding, observed: MigrationObserved): MigrationPlan {
  const plan = planCoreKbind(coreWish(wish, observed), withoutForeign(observed));
  const made = plan.steps.filter(({ kind }) => kind !== 'coreBinding');
  const connection = connectionName(wish, observed);
  const swaps = swapSteps(observed, 'v2');
  const gives = observed.apis.filter(({ owner }) => owner === 'v1');
  const bind = plan.steps.filter(({ kind }) => kind === 'coreBinding').map((step) => withPolicies(step, binding));
  const { clusterBinding } = observed;
  const halted = clusterBinding !== undefined && isHalted(clusterBinding) ? [clusterBinding] : [];
  const claims = claimSteps(wish.name, observed);
  const isHeld = isPause(binding.metadata.annotations?.[hawserAnnotations.paused]);
  if (made.length + swaps.length + gives.length + bind.length + halted.length + claims.length === 0)
    return { steps: [], refusals: [], remarks: [] };
  return {
    refusals: [],
    steps: [
      ...made.map((step) => ({ kind: 'make', step }) as const),
      { kind: 'awaitConnection', name: connection },
      ...(gives.length > 0 || (claims.length > 0 && !isHeld)
        ? [{ kind: 'pause', binding, awaits: true } as const]
        : []),
      ...swaps,
      ...gives.map((api) => ({ kind: 'giveCRD', api, to: 'v2', binding, connection }) as const),
      ...bind.map((step) => ({ kind: 'make', step }) as const),
      ...claims,
      ...halted.map((one) => ({ kind: 'resumeCore', binding: one }) as const),
      { kind: 'awaitReady', name: wish.name },
    ],
    remarks: [
      ...strangers(observed),
      ...claimRemarks(observed),
      `APIServiceBinding ${wish.name} stays, paused: hawser migrate ${wish.name} --to v1 goes back. Delete it when you need no way back, and before you unbind: it would install the CRD again.`,
    ],
  };
}

function planToV1(binding: APIServiceBinding, observed: MigrationObserved): MigrationPlan {
  const { clusterBinding } = observed;
  const connection = clusterBinding?.spec.connectionRef.name ?? '';
  const swaps = swapSteps(observed, 'v1');
  const gives = observed.apis.filter(({ owner }) => owner === 'v2');
  const awaits = observed.apis.some(({ owner }) => owner === 'v1');
  const isPaused = isPause(binding.metadata.annotations?.[hawserAnnotations.paused]);
  const claims = claimSwaps(observed, 'v1');
  if (clusterBinding === undefined && swaps.length + gives.length + claims.length === 0 && !isPaused)
    return { steps: [], refusals: [], remarks: [] };
  return {
    refusals: [],
    steps: [
      ...(isPaused ? [] : [{ kind: 'pause', binding, awaits } as const]),
      ...(clusterBinding === undefined ? [] : [{ kind: 'pauseCore', binding: clusterBinding } as const]),
      ...gives.map((api) => ({ kind: 'giveCRD', api, to: 'v1', binding, connection }) as const),
      ...(clusterBinding === undefined ? [] : [{ kind: 'releaseCore', binding: clusterBinding } as const]),
      ...swaps,
      ...claims,
      { kind: 'resume', binding },
    ],
    remarks: ['The Connection and its Secret stay: hawser migrate --to v2 uses them again.'],
  };
}

/** Objects in the place of a copy, without the marks of its object: a conflict in either generation. */
function strangers(observed: MigrationObserved): readonly string[] {
  const terms = termsOf(observed);
  return observed.apis.flatMap(({ name, pairs }) => {
    const found = pairs.filter(
      (pair) => pair.copy !== undefined && !isCopyOf(pair, 'v1', terms) && !isCopyOf(pair, 'v2', terms),
    );
    return found.length === 0
      ? []
      : [
          `${found.length} objects of ${name} find an object on the provider that is not their copy. It stays as it is, and the object is told as a conflict.`,
        ];
  });
}

/** Halted by this command: its konnector writes nothing, or is about to let it go. */
function isHalted({ metadata: { annotations = {} } }: Binding): boolean {
  return [hawserAnnotations.paused, hawserAnnotations.release].some((key) => isPause(annotations[key]));
}

function swapSteps(observed: MigrationObserved, to: Generation): readonly MigrationStep[] {
  const terms = termsOf(observed);
  return observed.apis.flatMap((api): readonly MigrationStep[] => {
    const patches = api.pairs.map((pair) => swapOf(pair, to, terms));
    const objects = patches.filter(({ object }) => object !== undefined).length;
    const copies = patches.filter(({ copy }) => copy !== undefined).length;
    return objects + copies === 0 ? [] : [{ kind: 'swap', api, to, objects, copies }];
  });
}

function claimSteps(name: string, observed: MigrationObserved): readonly MigrationStep[] {
  const { claims, clusterBinding } = observed;
  const there = clusterBinding?.spec.relatedResources ?? [];
  const known = new Set(there.map(textOf));
  const rules = rulesOf(claims.accepted);
  const swaps = claimSwaps(observed, 'v2');
  const relate: readonly MigrationStep[] = rules.every((rule) => known.has(textOf(rule)))
    ? []
    : [{ kind: 'relate', name, rules }];
  // A konnector at work for related objects collects copies that no rule selects, so the rules come first then. Else
  // they come last: it would report the copies as foreign until then.
  const isServed = clusterBinding !== undefined && there.length + recordedKinds(clusterBinding).length > 0;
  return isServed ? [...relate, ...swaps] : [...swaps, ...relate];
}

/** Plans no swap of pairs that are in the words of `to` already. */
function claimSwaps({ claims }: MigrationObserved, to: Generation): readonly MigrationStep[] {
  return foundOf(claims).flatMap(({ kind, pairs }): readonly MigrationStep[] => {
    const patches = pairs.map((pair) => claimSwapOf(pair, to, claims.terms));
    const originals = patches.filter(({ original }) => original !== undefined).length;
    const copies = patches.filter(({ copy }) => copy !== undefined).length;
    return originals + copies === 0 ? [] : [{ kind: 'swapClaims', of: kind, to, originals, copies }];
  });
}

function claimRemarks({ claims }: MigrationObserved): readonly string[] {
  const found = foundOf(claims);
  return [
    ...found.flatMap(({ kind, undecided }) =>
      undecided.length === 0
        ? []
        : [
            `${undecided.length} claimed ${kind} are on both sides, and neither is the copy of the other. They stay as they are, and are told as a conflict.`,
          ],
    ),
    ...(claims.accepted.length === 0
      ? []
      : [
          'The rules of spec.relatedResources select objects in every namespace that the kubeconfig reaches. Copies of objects that lose their labels go; a claim kept them.',
        ]),
  ];
}

/** Values for the marks. */
function termsOf({ clusterNamespace, clusterNamespaceUid, core }: MigrationObserved): MarkTerms {
  return { clusterNamespace, clusterNamespaceUid, clusterUid: pinnedUid(core.connections) };
}

/** Name from the ClusterBinding or from the plan. */
function connectionName(wish: MigrationWish, observed: MigrationObserved): string {
  const plan = planCoreKbind(coreWish(wish, observed), { ...withoutForeign(observed), binding: undefined });
  const made = plan.steps.find((step) => step.kind === 'coreBinding')?.object;
  return observed.clusterBinding?.spec.connectionRef.name ?? made?.spec.connectionRef.name ?? wish.name;
}

/** Gives the ClusterBinding the policies of the APIServiceBinding; without any, copies outlive it. */
function withPolicies(step: BindStep, { metadata }: APIServiceBinding): BindStep {
  if (step.kind !== 'coreBinding') return step;
  const found = metadata.annotations ?? {};
  const carried = Object.fromEntries(policies.filter((key) => key in found).map((key) => [key, found[key] ?? '']));
  const annotations = { [hawserAnnotations.unbindPolicy]: 'Orphan', ...carried };
  const conflictPolicy = found[hawserAnnotations.conflictPolicy] === 'Adopt' ? 'Adopt' : undefined;
  const { object } = step;
  return {
    ...step,
    object: {
      ...object,
      metadata: { ...object.metadata, annotations },
      spec: { ...object.spec, ...(conflictPolicy === undefined ? {} : { conflictPolicy }) },
    },
  };
}

function refused(one: Refusal): MigrationPlan {
  return { steps: [], refusals: [one], remarks: [] };
}

/** One line that describes a step. */
export function migrationStepText(step: MigrationStep, makeText: (step: BindStep) => string): string {
  switch (step.kind) {
    case 'make':
      return makeText(step.step);
    case 'awaitConnection':
      return `wait until Connection ${step.name} is Ready`;
    case 'pause':
      return `pause APIServiceBinding ${step.binding.metadata.name}${step.awaits ? ', and wait until its konnector has stopped writing' : ''}`;
    case 'pauseCore':
      return `pause ClusterBinding ${step.binding.metadata.name}`;
    case 'resumeCore':
      return `resume ClusterBinding ${step.binding.metadata.name}`;
    case 'swap':
      return `mark ${step.objects} objects and ${step.copies} copies of ${step.api.name} in the words of ${step.to === 'v2' ? 'core.kbind.io' : 'kube-bind.io'}, one write each`;
    case 'giveCRD':
      return step.to === 'v2'
        ? `give CRD ${step.api.name} to Connection ${step.connection}`
        : `give CRD ${step.api.name} back to APIServiceBinding ${step.binding.metadata.name}`;
    case 'swapClaims':
      return `mark ${step.originals} claimed ${step.of} and ${step.copies} copies of them in the words of ${step.to === 'v2' ? 'core.kbind.io' : 'kube-bind.io'}, one write each`;
    case 'relate':
      return `give ClusterBinding ${step.name} the claims as related resources: ${step.rules.map(ruleInWords).join('; ')}`;
    case 'awaitReady':
      return `wait until ClusterBinding ${step.name} is Ready`;
    case 'releaseCore':
      return `delete ClusterBinding ${step.binding.metadata.name}; objects, copies and CRDs stay`;
    case 'resume':
      return `resume APIServiceBinding ${step.binding.metadata.name}`;
  }
}
