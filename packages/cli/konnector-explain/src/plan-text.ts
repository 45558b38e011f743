import { objectKey } from '@hawser/client';
import { type JsonObject, stringify } from '@hawser/json';
import { resources } from '@hawser/kube-bind';
import { changeLines, writeHeadline, writeJson } from '@hawser/preview';

import type { PlannedWrite } from './preview-client.js';
import { type BindingReport, titleOf, withObjects } from './report.js';

/** A write together with its binding. */
export interface PlanStep extends PlannedWrite {
  readonly binding: string;
  /** Why the API server would refuse it, or another obstacle after it. */
  readonly obstacle?: string | undefined;
}

/** All writes of a konnector, in order: CRDs and conditions, then objects, then claimed objects. */
export function stepsOf(reports: readonly BindingReport[]): readonly PlanStep[] {
  const steps = reports.flatMap(({ writes, ...report }) =>
    [...writes, ...withObjects(report).flatMap(({ objects }) => objects.flatMap((object) => object.writes))].map(
      (write) => ({ ...write, binding: report.name }),
    ),
  );
  const seen = new Set<string>();
  // All objects of a namespace wait for the same request.
  return steps.filter(({ side, verb, resource, key, binding }) => {
    if (resource.resource !== resources.apiServiceNamespaces.resource) return true;
    const id = [side, verb, resource.group, objectKey(key), binding].join(' ');
    const isFirst = !seen.has(id);
    seen.add(id);
    return isFirst;
  });
}

/** Obstacles of a plan, one line each: they explain what is missing from it. */
export function heldLines(reports: readonly BindingReport[]): readonly string[] {
  return reports.flatMap(({ kind, name, findings, ...report }) => [
    ...findings.map(({ reason, message }) => `${titleOf({ kind, name })}: ${reason}: ${message}`),
    ...withObjects(report).flatMap((resource) => [
      ...(resource.finding === undefined || resource.finding.actor === 'nobody'
        ? []
        : [`${resource.name}: ${resource.finding.reason}: ${resource.finding.message}`]),
      ...resource.objects.flatMap(({ kind, object, standing, finding }) =>
        (standing === 'held' || standing === 'unknown') && finding !== undefined && finding.reason !== 'KonnectorSilent'
          ? [`${kind} ${object}: ${finding.reason}: ${finding.message}`]
          : [],
      ),
    ]),
  ]);
}

export function planText(reports: readonly BindingReport[], { values }: { readonly values: boolean }): string {
  const steps = stepsOf(reports);
  const held = heldLines(reports);
  const lines = steps.flatMap((step) => [
    writeHeadline(step, `on the ${step.side}`),
    ...(values ? changeLines(step) : []),
  ]);
  const count = (side: PlannedWrite['side']): number =>
    steps.filter((step) => step.side === side && step.withheld === undefined).length;
  const withheld = steps.filter((step) => step.withheld === true).length;
  return [
    ...lines,
    ...(held.length === 0 ? [] : [...(lines.length === 0 ? [] : ['']), 'Held:', ...held.map((line) => `  ${line}`)]),
    ...(lines.length + held.length === 0 ? [] : ['']),
    steps.length === 0
      ? 'Nothing to write.'
      : `${count('consumer')} to write on the consumer, ${count('provider')} on the provider${withheld === 0 ? '' : `, ${withheld} held back`}.`,
  ].join('\n');
}

/** For programs: one entry per write. Never holds contents of Secrets. */
export function planJson(reports: readonly BindingReport[]): string {
  const steps = stepsOf(reports).map((step): JsonObject => ({
    binding: step.binding,
    cluster: step.side,
    ...writeJson(step),
  }));
  return stringify({ writes: steps, held: [...heldLines(reports)] });
}
