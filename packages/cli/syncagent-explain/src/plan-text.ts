import { type JsonObject, stringify } from '@hawser/json';
import { changeLines, writeHeadline, writeJson } from '@hawser/preview';

import { targetText, workspaceName } from './request-target.js';
import type { AgentReport, ObjectReport } from './report.js';

/** The due writes, a line each, and held ones. With `values`: what each write changes. */
export function planText(reports: readonly AgentReport[], { values }: { readonly values: boolean }): string {
  return reports.map((report) => agentText(report, values)).join('\n\n');
}

function agentText(report: AgentReport, values: boolean): string {
  const { writes, workspaces } = report;
  const held = heldLines(report);
  const lines = writes.flatMap((write) => [
    writeHeadline(write, targetText(write.side, workspaces)),
    ...(values ? changeLines(write) : []),
  ]);
  const count = (kind: 'service' | 'kcp'): number =>
    writes.filter(({ side, withheld }) => side.kind === kind && withheld === undefined).length;
  const withheld = writes.filter((write) => write.withheld === true).length;
  return [
    `Agent ${report.agent}, APIExport ${report.export.name} in workspace ${report.export.workspace.path ?? report.export.workspace.cluster}.`,
    ...(lines.length + held.length === 0 ? [] : ['']),
    ...lines,
    ...(held.length === 0 ? [] : [...(lines.length === 0 ? [] : ['']), 'Held:', ...held.map((line) => `  ${line}`)]),
    '',
    writes.length === 0
      ? 'Nothing to write.'
      : `${count('service')} to write on the service cluster, ${count('kcp')} in kcp${withheld === 0 ? '' : `, ${withheld} held back`}.`,
  ].join('\n');
}

/** For programs: an entry for each write. Never holds contents of Secrets. */
export function planJson(reports: readonly AgentReport[]): string {
  const writes = reports.flatMap(({ agent, writes: own, workspaces }) =>
    own.map((write): JsonObject => ({
      agent,
      publishedResource: write.purpose?.publishedResource,
      object: write.purpose?.object,
      cluster: write.side.kind,
      ...(write.side.kind === 'kcp' ? { workspace: workspaceName(write.side.workspace, workspaces) } : {}),
      ...writeJson(write),
    })),
  );
  return stringify({ writes, held: reports.flatMap(heldLines) });
}

/** `Database root:team default/orders`. */
export function objectName({ kind, workspace: { path, cluster }, object }: ObjectReport): string {
  return `${kind} ${path ?? cluster} ${object}`;
}

/** Obstacles of a plan, one line each: they explain what is missing from it. */
export function heldLines({ findings, publications }: AgentReport): readonly string[] {
  return [
    ...findings.filter(({ reason }) => reason !== 'AgentSilent').map(({ reason, message }) => `${reason}: ${message}`),
    ...publications.flatMap((publication) => [
      ...publication.findings
        .filter(({ actor }) => actor !== 'nobody')
        .map(({ reason, message }) => `PublishedResource ${publication.name}: ${reason}: ${message}`),
      ...publication.objects.flatMap((object) =>
        (object.standing === 'held' || object.standing === 'unknown') && object.finding !== undefined
          ? [`${objectName(object)}: ${object.finding.reason}: ${object.finding.message}`]
          : [],
      ),
    ]),
  ];
}
