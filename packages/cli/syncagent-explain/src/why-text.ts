import { type JsonObject, stringify } from '@hawser/json';
import {
  type Finding,
  type Judged,
  type Paint,
  type Standing,
  findingJson,
  plain,
  whyParagraph,
  whyTable,
  worst,
} from '@hawser/preview';

import { objectName } from './plan-text.js';
import type { AgentReport, ObjectReport, PublicationReport } from './report.js';

/** Something that is not in step, or that a person asked about. */
export interface Subject extends Judged {
  readonly agent: string;
  readonly publishedResource?: string | undefined;
  readonly workspace?: string | undefined;
  readonly copy?: string | undefined;
}

/**
 * The requested object, in all workspaces or in `workspace` (path or logical cluster), with all that holds its whole
 * publication: that holds the object too.
 */
export function subjectsOf(
  report: AgentReport,
  publication: PublicationReport,
  object: string,
  workspace: string | undefined,
): readonly Subject[] {
  const found = publication.objects.filter(
    (one) =>
      one.object === object &&
      (workspace === undefined || one.workspace.path === workspace || one.workspace.cluster === workspace),
  );
  const kind = publication.names[0]?.kind ?? publication.name;
  const name = `${kind} ${workspace === undefined ? '' : `${workspace} `}${object}`;
  const above = [...report.findings, ...publication.findings];
  const held = above.map((finding): Subject => ({
    name,
    agent: report.agent,
    publishedResource: publication.name,
    standing: standingOf(finding),
    finding,
  }));
  const missing: Finding = {
    reason: 'NoSuchObject',
    message: `There is no ${kind} ${object} in ${workspace === undefined ? 'any workspace that has bound the APIExport' : `workspace ${workspace}, or that has not bound the APIExport`}, and no copy of it on the service cluster.`,
    actor: 'nobody',
  };
  if (found.length === 0)
    return held.length > 0
      ? held
      : [{ name, agent: report.agent, publishedResource: publication.name, standing: 'unknown', finding: missing }];
  return [...held, ...found.map((one) => subjectOf(report, one))];
}

/** A PublishedResource as a whole, without its objects. */
export function publicationSubjects(report: AgentReport, publication: PublicationReport): readonly Subject[] {
  const base = {
    name: `PublishedResource ${publication.name}`,
    agent: report.agent,
    publishedResource: publication.name,
  };
  const findings = [...report.findings, ...publication.findings];
  if (findings.length > 0) return findings.map((finding) => ({ ...base, standing: standingOf(finding), finding }));
  const due = report.writes.filter(
    ({ purpose, resource, key }) =>
      purpose?.publishedResource === publication.name ||
      (resource.resource === 'publishedresources' && key.name === publication.name),
  ).length;
  if (due === 0) return [{ ...base, standing: 'inStep' }];
  return [
    {
      ...base,
      standing: 'underWay',
      finding: {
        reason: 'UnderWay',
        message: `${due} ${due === 1 ? 'write is' : 'writes are'} due for it and its objects, which the agent does by itself.`,
        actor: 'nobody',
      },
    },
  ];
}

/** Everything that is not in step. */
export function notInStep(reports: readonly AgentReport[]): readonly Subject[] {
  return reports.flatMap((report) => [
    ...report.findings.map((finding): Subject => ({
      name: `Agent ${report.agent}`,
      agent: report.agent,
      standing: standingOf(finding),
      finding,
    })),
    ...report.publications.flatMap((publication) => [
      ...publication.findings.map((finding): Subject => ({
        name: `PublishedResource ${publication.name}`,
        agent: report.agent,
        publishedResource: publication.name,
        standing: standingOf(finding),
        finding,
      })),
      ...publication.objects.filter(({ standing }) => standing !== 'inStep').map((object) => subjectOf(report, object)),
    ]),
  ]);
}

function standingOf({ actor, reason }: Finding): Standing {
  return actor !== 'nobody' ? 'held' : reason === 'NotKnown' ? 'unknown' : 'underWay';
}

function subjectOf({ agent }: AgentReport, object: ObjectReport): Subject {
  const {
    publishedResource,
    workspace: { path, cluster },
    standing,
    finding,
    copy,
  } = object;
  return { name: objectName(object), agent, publishedResource, workspace: path ?? cluster, standing, finding, copy };
}

/** All that is known, in sentences. */
export function whyText(subjects: readonly Subject[], paint: Paint = plain): string {
  return subjects.map((subject) => whyParagraph(subject, whereOf(subject), paint)).join('\n\n');
}

function whereOf({ publishedResource, copy, workspace }: Subject): string | undefined {
  if (publishedResource === undefined || workspace === undefined) return undefined;
  return `published by ${publishedResource}${copy === undefined ? '' : `, copy ${copy} on the service cluster`}`;
}

/** One line each: name, reason, actor, since when. */
export function whyAllText(reports: readonly AgentReport[], paint: Paint = plain): string {
  const objects = reports.flatMap(({ publications }) => publications).flatMap((publication) => publication.objects);
  return whyTable(
    notInStep(reports),
    objects.filter(({ standing }) => standing === 'inStep').length,
    objects.length,
    paint,
  );
}

/** JSON for programs. */
export function whyJson(subjects: readonly Subject[]): string {
  return stringify({
    standing: worst(subjects.map(({ standing }) => standing)),
    subjects: subjects.map(({ name, agent, publishedResource, workspace, standing, finding, copy }): JsonObject => ({
      name,
      agent,
      publishedResource,
      workspace,
      standing,
      copy,
      ...findingJson(finding),
    })),
  });
}
