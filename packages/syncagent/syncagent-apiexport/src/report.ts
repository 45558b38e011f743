import { messageOf, sentence } from '@hawser/client';
import { type StatusChange, publicationConditions } from '@hawser/publication';
import { type NewCondition, removeCondition, setCondition } from '@hawser/syncagent-api';
import type { Contribution } from './contribution.js';
import type { Decision, Outcome } from './decide.js';

/** The report on a PublishedResource: its {@link Outcome}, or a problem of the export itself. */
export type Report =
  | Outcome
  | {
      readonly kind: 'failed';
      readonly reason: 'APIExportNotFound' | 'APIExportUnreadable' | 'APIExportRefused';
      readonly message: string;
    };

/** By uid of the PublishedResource. */
export type Reports = ReadonlyMap<string, Report>;

/** The same report on all. */
export function everywhere(contributions: readonly Contribution[], report: Report): Reports {
  return new Map(contributions.map(({ uid }) => [uid, report]));
}

/** The decided outcomes; `refusalOf`: kcp's message about one, which wins. */
export function withRefusals(
  { outcomes }: Pick<Decision, 'outcomes'>,
  contributions: readonly Contribution[],
  refusalOf: (contribution: Contribution) => string | undefined,
): Reports {
  return new Map(
    contributions.flatMap((contribution): [string, Report][] => {
      const message = refusalOf(contribution);
      if (message !== undefined) return [[contribution.uid, { kind: 'failed', reason: 'APIExportRefused', message }]];
      const outcome = outcomes.get(contribution.uid);
      return outcome === undefined ? [] : [[contribution.uid, outcome]];
    }),
  );
}

export function notFound(exportName: string): Report {
  return {
    kind: 'failed',
    reason: 'APIExportNotFound',
    message: `APIExport ${exportName} is not in the provider workspace. The operator must create it, or name another.`,
  };
}

export function unreadable(exportName: string, error: Error): Report {
  return {
    kind: 'failed',
    reason: 'APIExportUnreadable',
    message: `APIExport ${exportName} cannot be read: ${error.message}. The operator must correct it.`,
  };
}

export function refusalMessage(exportName: string, error: unknown): string {
  return `kcp does not take the change of APIExport ${exportName}: ${sentence(messageOf(error))} The provider must correct the PublishedResource, or the operator the rights of the agent.`;
}

/** Undefined: there is nothing to report. */
export function conditionOf(report: Report): NewCondition | undefined {
  const { exported: type } = publicationConditions;
  switch (report.kind) {
    case 'exported':
      return { type, status: 'True', reason: 'Exported', message: '' };
    case 'pending':
      return undefined;
    case 'problem':
    case 'failed':
      return { type, status: 'False', reason: report.reason, message: report.message };
  }
}

/** Writes the report into a status. */
export function statusChange(report: Report, now: number): StatusChange {
  const condition = conditionOf(report);
  return (status) => ({
    ...status,
    conditions:
      condition === undefined
        ? removeCondition(status.conditions, publicationConditions.exported)
        : setCondition(status.conditions, condition, now),
  });
}
