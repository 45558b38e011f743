import { type JsonObject, stringify } from '@hawser/json';
import {
  type Finding,
  type Judged,
  type Paint,
  findingJson,
  plain,
  whyParagraph,
  whyTable,
  worst,
} from '@hawser/preview';

import { type ShardOwner, ownerText } from './shard-owners.js';
import { type BindingReport, type ObjectReport, type ResourceReport, titleOf, withObjects } from './report.js';

/** An item that is not in step, or that a person asked about. */
export interface Subject extends Judged {
  readonly binding: string;
  readonly copy?: string | undefined;
  /** For a binding: the konnector that serves it, if several share the work. */
  readonly owner?: ShardOwner | undefined;
}

/** One requested object, after whatever holds its whole binding or resource: that holds the object too. */
export function subjectsOf(binding: BindingReport, resource: ResourceReport, object: string): readonly Subject[] {
  const report = resource.objects.find((one) => one.object === object);
  const name = `${resource.names?.kind ?? resource.name} ${object}`;
  const above = [...binding.findings, ...(resource.finding === undefined ? [] : [resource.finding])];
  const [first] = above;
  if (report === undefined) {
    if (first === undefined) return [{ name, binding: binding.name, standing: 'unknown', finding: missing(name) }];
    return above.map((finding) => ({ name, binding: binding.name, standing: 'held' as const, finding }));
  }
  return [
    ...above.map((finding) => ({ name, binding: binding.name, standing: 'held' as const, finding })),
    subjectOf(binding, report),
  ];
}

function missing(name: string): Finding {
  return {
    reason: 'NoSuchObject',
    message: `There is no ${name} on the consumer, and no copy of it on the provider.`,
    actor: 'nobody',
  };
}

/** A binding as a whole, with its objects that are not in step. */
export function bindingSubjects(report: BindingReport): readonly Subject[] {
  const { name: binding, writes, owner } = report;
  const name = titleOf(report);
  const held = notInStep([report]);
  if (held.length > 0) return held;
  if (writes.length === 0) return [{ name, binding, standing: 'inStep', owner }];
  return [
    {
      name,
      binding,
      standing: 'underWay',
      owner,
      finding: {
        reason: 'UnderWay',
        message: `${writes.length} ${writes.length === 1 ? 'write is' : 'writes are'} due, which the konnector does by itself.`,
        actor: 'nobody',
      },
    },
  ];
}

/** All items that are not in step. */
export function notInStep(reports: readonly BindingReport[]): readonly Subject[] {
  return reports.flatMap((binding) => [
    ...binding.findings.map((finding): Subject => ({
      name: titleOf(binding),
      binding: binding.name,
      standing: 'held',
      finding,
      owner: binding.owner,
    })),
    ...withObjects(binding).flatMap((resource) => [
      ...(resource.finding === undefined
        ? []
        : [
            {
              name: `Resource ${resource.name}`,
              binding: binding.name,
              standing: resource.standing,
              finding: resource.finding,
            },
          ]),
      ...resource.objects.filter(({ standing }) => standing !== 'inStep').map((object) => subjectOf(binding, object)),
    ]),
  ]);
}

function subjectOf({ name: binding }: BindingReport, { kind, object, standing, finding, copy }: ObjectReport): Subject {
  return { name: `${kind} ${object}`, binding, standing, finding, copy };
}

/** An object has a kind, too, but a name with a namespace. */
function isBinding(name: string, binding: string): boolean {
  return kinds.some((kind) => name === titleOf({ kind, name: binding }));
}

const kinds = ['APIServiceBinding', 'Connection', 'ClusterBinding', 'Binding'] as const;

/** All that is known, in sentences. */
export function whyText(subjects: readonly Subject[], paint: Paint = plain): string {
  return subjects
    .map((subject) => {
      const { name, binding, copy, owner } = subject;
      const where = copy === undefined ? `bound by ${binding}` : `bound by ${binding}, copy ${copy} on the provider`;
      const konnector = owner === undefined ? undefined : ownerText(owner);
      return whyParagraph(subject, isBinding(name, binding) ? konnector : where, paint);
    })
    .join('\n\n');
}

/** One line each: name, reason, actor, since when. */
export function whyAllText(reports: readonly BindingReport[], paint: Paint = plain): string {
  const objects = reports.flatMap(withObjects).flatMap((resource) => resource.objects);
  return whyTable(
    notInStep(reports),
    objects.filter(({ standing }) => standing === 'inStep').length,
    objects.length,
    paint,
  );
}

export function whyJson(subjects: readonly Subject[]): string {
  return stringify({
    standing: worst(subjects.map(({ standing }) => standing)),
    subjects: subjects.map(({ name, binding, standing, finding, copy, owner }): JsonObject => ({
      name,
      binding,
      standing,
      copy,
      ...(owner === undefined ? {} : { shard: owner.shard, konnector: owner.konnector }),
      ...findingJson(finding),
    })),
  });
}
