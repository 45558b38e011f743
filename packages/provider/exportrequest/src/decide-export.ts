import { annotations, resourceGroupName } from '@hawser/kube-bind';
import type { ExportAction, ExportDecision, ExportOutcome, ObservedExport } from './export-decision.js';
import { withExportOutcome } from './export-outcome.js';
import { withdrawalChange } from './withdrawal.js';
import { combinedHash } from './wanted-export.js';

/** Whether nothing but an admission keeps an export that was withdrawn from coming back. Pure. */
export function wantsRestoring({ export: found, request }: ObservedExport): boolean {
  return found !== undefined && found.metadata.deletionTimestamp === undefined && withdrawalChange(found, request, true).turn?.kind === 'restored';
}

/** What to do for one APIServiceExport (spec/kube-bind-backend.md §8.5, §10.4). Pure; `now` only dates conditions. */
export function decideExport(observed: ObservedExport, now: number): ExportDecision {
  const found = observed.export;
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return { actions: [], verdict: { kind: 'absent' } };
  const actions: ExportAction[] = [];
  const hash = combinedHash(found.spec.resources, observed.boundSchemas);
  const change = withdrawalChange(found, observed.request, observed.readmission?.kind === 'admitted');
  const changed = { ...(hash !== undefined && found.metadata.annotations?.[annotations.sourceSpecHash] !== hash ? { [annotations.sourceSpecHash]: hash } : {}), ...change.annotations };
  if (Object.keys(changed).length > 0) actions.push({ type: 'annotate', export: found, annotations: changed, turn: change.turn });
  const names = found.spec.resources.map(resourceGroupName).filter((name) => observed.boundSchemas.get(name)?.spec === undefined);
  const outcome: ExportOutcome = names.length === 0 ? { kind: 'inSync' } : { kind: 'boundSchemasMissing', names: [...new Set(names)] };
  if (withExportOutcome(found.status, outcome, now).conditions !== found.status?.conditions) actions.push({ type: 'writeStatus', export: found, outcome });
  return { actions, verdict: outcome };
}
