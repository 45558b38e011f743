import { annotations, isWithdrawn, resourceGroupName } from '@hawser/kube-bind';
import { refusedEvent } from './act-export.js';
import type {
  ExportAction,
  ExportDecision,
  ExportOutcome,
  ExportRound,
  ObservedExport,
  RoundDecision,
} from './export-decision.js';
import { withExportOutcome } from './export-outcome.js';
import { reportProblem } from './request-problem.js';
import { restorePacedEvent } from './restore-pace.js';
import { admissionProblem } from './validate-request.js';
import { combinedHash } from './wanted-export.js';
import { withdrawalChange } from './withdrawal.js';

/** Whether only an admission is missing to restore a withdrawn export. Pure. */
export function wantsRestoring({ export: found, request }: ObservedExport): boolean {
  return (
    found !== undefined &&
    found.metadata.deletionTimestamp === undefined &&
    withdrawalChange(found, request, true).turn?.kind === 'restored'
  );
}

/** Decides about one APIServiceExport (spec/kube-bind-backend.md §8.5, §10.4). Pure; `now` only dates conditions. */
export function decideExport(observed: ObservedExport, now: number): ExportDecision {
  const found = observed.export;
  if (found === undefined || found.metadata.deletionTimestamp !== undefined)
    return { actions: [], verdict: { kind: 'absent' } };
  const actions: ExportAction[] = [];
  const hash = combinedHash(found.spec.resources, observed.boundSchemas);
  const change = withdrawalChange(found, observed.request, observed.readmission?.kind === 'admitted');
  const changed = {
    ...(hash !== undefined && found.metadata.annotations?.[annotations.sourceSpecHash] !== hash
      ? { [annotations.sourceSpecHash]: hash }
      : {}),
    ...change.annotations,
  };
  if (Object.keys(changed).length > 0)
    actions.push({ type: 'annotate', export: found, annotations: changed, turn: change.turn });
  const names = found.spec.resources
    .map(resourceGroupName)
    .filter((name) => observed.boundSchemas.get(name)?.spec === undefined);
  const outcome: ExportOutcome =
    names.length === 0 ? { kind: 'inSync' } : { kind: 'boundSchemasMissing', names: [...new Set(names)] };
  if (withExportOutcome(found.status, outcome, now).conditions !== found.status?.conditions)
    actions.push({ type: 'writeStatus', export: found, outcome });
  return { actions, verdict: outcome };
}

/** The next step for an export, or what it waits for. Pure. */
export function decideRound(observed: ExportRound): RoundDecision {
  const { asked, readmission, restoreInMs, reviewInMs, now } = observed;
  const { actions, verdict } = decideExport(observed, now);
  const problem = asked === undefined ? undefined : admissionProblem(asked, readmission);
  const isRefused = problem !== undefined;
  const [action] = actions;
  if (action?.type === 'annotate' && action.turn?.kind === 'restored' && restoreInMs > 0) {
    return { actions: [], isRefused, event: restorePacedEvent, requeueAfterMs: restoreInMs, requeuePriority: 'normal' };
  }
  if (action !== undefined) return { actions, isRefused };
  if (problem === undefined) {
    // While it is withdrawn, its way back is reported once, however often the consumer changes its mind.
    const lasts = observed.export !== undefined && isWithdrawn(observed.export.metadata);
    return { actions, isRefused, lasts, waits: verdict.kind === 'boundSchemasMissing' };
  }
  return {
    actions,
    isRefused,
    event: refusedEvent(reportProblem(problem).message),
    requeueAfterMs: problem.kind === 'bindForbidden' ? reviewInMs : undefined,
  };
}
