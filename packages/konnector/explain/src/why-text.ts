import { type JsonObject, stringify } from '@hawser/json';
import { type Standing, worst } from '@hawser/preview';

import type { Finding } from './finding.js';
import { type BindingReport, type ObjectReport, type ResourceReport, withObjects } from './report.js';

/** Something that is not in step, or that was asked about. */
export interface Subject {
  /** `Database team-a/orders`. */
  readonly name: string;
  readonly binding: string;
  readonly standing: Standing;
  readonly finding?: Finding | undefined;
  readonly copy?: string | undefined;
}

/** One object that was asked about, and whatever holds its binding or its resource as a whole: that comes first, since it holds the object too. */
export function subjectsOf(binding: BindingReport, resource: ResourceReport, object: string): readonly Subject[] {
  const report = resource.objects.find((one) => one.object === object);
  const name = `${resource.names?.kind ?? resource.name} ${object}`;
  const above = [...binding.findings, ...(resource.finding === undefined ? [] : [resource.finding])];
  const [first] = above;
  if (report === undefined) {
    if (first === undefined) return [{ name, binding: binding.name, standing: 'unknown', finding: missing(name) }];
    return above.map((finding) => ({ name, binding: binding.name, standing: 'held' as const, finding }));
  }
  return [...above.map((finding) => ({ name, binding: binding.name, standing: 'held' as const, finding })), subjectOf(binding, report)];
}

function missing(name: string): Finding {
  return { reason: 'NoSuchObject', message: `There is no ${name} on the consumer, and no copy of it on the provider.`, actor: 'nobody' };
}

/** A binding as a whole, without its objects. */
export function bindingSubjects({ name: binding, findings, resources, writes }: BindingReport): readonly Subject[] {
  const name = `APIServiceBinding ${binding}`;
  const held = [...findings, ...resources.flatMap(({ finding }) => (finding === undefined ? [] : [finding]))];
  if (held.length > 0) return held.map((finding) => ({ name, binding, standing: 'held' as const, finding }));
  if (writes.length === 0) return [{ name, binding, standing: 'inStep' }];
  return [{ name, binding, standing: 'underWay', finding: { reason: 'UnderWay', message: `${writes.length} ${writes.length === 1 ? 'write is' : 'writes are'} due, which the konnector does by itself.`, actor: 'nobody' } }];
}

/** Everything that is not in step. */
export function notInStep(reports: readonly BindingReport[]): readonly Subject[] {
  return reports.flatMap((binding) => [
    ...binding.findings.map((finding): Subject => ({ name: `APIServiceBinding ${binding.name}`, binding: binding.name, standing: 'held', finding })),
    ...withObjects(binding).flatMap((resource) => [
      ...(resource.finding === undefined ? [] : [{ name: `Resource ${resource.name}`, binding: binding.name, standing: resource.standing, finding: resource.finding }]),
      ...resource.objects.filter(({ standing }) => standing !== 'inStep').map((object) => subjectOf(binding, object)),
    ]),
  ]);
}

function subjectOf({ name: binding }: BindingReport, { kind, object, standing, finding, copy }: ObjectReport): Subject {
  return { name: `${kind} ${object}`, binding, standing, finding, copy };
}

/** All that is known, in sentences. */
export function whyText(subjects: readonly Subject[]): string {
  return subjects.map(paragraph).join('\n\n');
}

function paragraph({ name, standing, finding, copy, binding }: Subject): string {
  const where = copy === undefined ? `  bound by ${binding}` : `  bound by ${binding}, copy ${copy} on the provider`;
  const lines = [`${name} ${WORDS[standing]}.`, ...(name === `APIServiceBinding ${binding}` ? [] : [where])];
  if (finding === undefined) return lines.join('\n');
  lines.push(`  ${finding.reason}: ${finding.message}`);
  if (finding.since !== undefined) lines.push(`  since ${finding.since}`);
  if (finding.actor !== 'nobody') lines.push(`  who acts: the ${finding.actor}${finding.remedy === undefined ? '' : ` (${finding.remedy})`}`);
  else if (standing !== 'inStep') lines.push('  who acts: nobody has to');
  return lines.join('\n');
}

const WORDS: Readonly<Record<Standing, string>> = {
  inStep: 'is in step', underWay: 'is not in step yet', held: 'is not in step', unknown: 'cannot be told about',
};

/** One line each: what, reason, who, since when. */
export function whyAllText(reports: readonly BindingReport[]): string {
  const subjects = notInStep(reports);
  const objects = reports.flatMap(withObjects).flatMap((resource) => resource.objects);
  const inStep = objects.filter(({ standing }) => standing === 'inStep').length;
  const total = `${inStep} of ${objects.length} ${objects.length === 1 ? 'object' : 'objects'} in step.`;
  if (subjects.length === 0) return total;
  const rows = [['WHAT', 'REASON', 'WHO ACTS', 'SINCE'], ...subjects.map(({ name, finding }) => [name, finding?.reason ?? '', finding?.actor ?? '', finding?.since ?? ''])];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ').trimEnd());
  const words = [...new Set(subjects.flatMap(({ name, finding }) => (finding === undefined ? [] : [`${name}: ${finding.message}`])))];
  return [...table, '', ...words, '', total].join('\n');
}

export function whyJson(subjects: readonly Subject[]): string {
  return stringify({
    standing: worst(subjects.map(({ standing }) => standing)),
    subjects: subjects.map(({ name, binding, standing, finding, copy }): JsonObject => ({
      name, binding, standing, copy,
      ...(finding === undefined ? {} : { reason: finding.reason, message: finding.message, actor: finding.actor, remedy: finding.remedy, since: finding.since }),
    })),
  });
}
