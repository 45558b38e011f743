import type { Reason, ReasonSubject } from './reason.js';

const PREAMBLE = `# Conditions and Events

<!-- Generated from packages/api/reasons by \`npm run conditions\`: edit the registry, not this file. -->

This page lists every condition and Event that Hawser writes: what it means, who must act, and what to do. Messages name the object, and quote the API server if it refused a request.
They never contain data of a Secret. Hawser writes an Event when a state begins, not while it lasts. [\`hawser why\`](../how-to/explain.md) reports the same from the live state of both clusters.

The *consumer* uses the API. The *operator* runs the konnector in the consumer cluster, or the agent of kcp in the service cluster. The *provider* runs the service. See the
[glossary](glossary.md#people). To find the reason for a symptom, see [Troubleshoot](../how-to/troubleshoot.md).
`;

/** The whole of `docs/reference/conditions.md`. */
export function conditionsMarkdown(subjects: readonly ReasonSubject[]): string {
  return [PREAMBLE, ...subjects.map(section)].join('\n');
}

function section({ title, intro, groups }: ReasonSubject): string {
  const parts = groups.map(
    ({ condition, meaning, reasons }) =>
      `${condition === undefined ? '' : `### ${condition}\n\n`}${meaning}\n${reasons.length === 0 ? '' : `\n${table(reasons)}`}`,
  );
  return [`## ${title}\n\n${intro}\n`, ...parts].join('\n');
}

function table(reasons: readonly Reason[]): string {
  const rows = reasons.map(
    ({ reason, cause, actor, remedy, event }) =>
      `| \`${reason}\` | ${event ?? ''} | ${cell(cause)} | ${actor} | ${cell(remedy)} |`,
  );
  return `| reason | Event | cause | who acts | remedy |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
