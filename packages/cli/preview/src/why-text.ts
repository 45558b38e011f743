import type { JsonObject } from '@hawser/json';

import type { Finding, Judged } from './finding.js';
import { type Paint, type Tone, plain, toneOf } from './paint.js';
import { type Standing, worst } from './standing.js';

/** All that is known of one item, in sentences. `where`: place of the item and its copy; absent if its name says it. */
export function whyParagraph(
  { name, standing, finding }: Judged,
  where: string | undefined,
  paint: Paint = plain,
): string {
  const tone = toneOf(standing);
  const lines = [`${name} ${paint(tone, WORDS[standing])}.`, ...(where === undefined ? [] : [`  ${where}`])];
  if (finding === undefined) return lines.join('\n');
  lines.push(`  ${paint(tone, finding.reason)}: ${finding.message}`);
  if (finding.since !== undefined) lines.push(`  since ${finding.since}`);
  if (finding.actor !== 'nobody')
    lines.push(`  who acts: the ${finding.actor}${finding.remedy === undefined ? '' : ` (${finding.remedy})`}`);
  else if (standing !== 'inStep') lines.push('  who acts: nobody has to');
  return lines.join('\n');
}

const WORDS: Readonly<Record<Standing, string>> = {
  inStep: 'is in step',
  underWay: 'is not in step yet',
  held: 'is not in step',
  unknown: 'cannot be told about',
};

/** One line each: name, reason, actor, since when. Then each message once, and the number of items in step. */
export function whyTable(subjects: readonly Judged[], inStep: number, objects: number, paint: Paint = plain): string {
  const total = paint(worstTone(subjects), `${inStep} of ${objects} ${objects === 1 ? 'object' : 'objects'} in step.`);
  if (subjects.length === 0) return total;
  const rows = [
    ['WHAT', 'REASON', 'WHO ACTS', 'SINCE'],
    ...subjects.map(({ name, finding }) => [name, finding?.reason ?? '', finding?.actor ?? '', finding?.since ?? '']),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const REASON = 1;
  const table = rows.map((row, at) => {
    const cells = row.map((text, column) => ({ text, fill: ' '.repeat((widths[column] ?? 0) - text.length) }));
    const subject = subjects[at - 1];
    return cells
      .map(
        ({ text, fill }, column) =>
          `${column === REASON && subject !== undefined && text !== '' ? paint(toneOf(subject.standing), text) : text}${fill}`,
      )
      .join('  ')
      .trimEnd();
  });
  const words = [
    ...new Set(subjects.flatMap(({ name, finding }) => (finding === undefined ? [] : [`${name}: ${finding.message}`]))),
  ];
  return [...table, '', ...words, '', total].join('\n');
}

function worstTone(subjects: readonly Judged[]): Tone {
  return toneOf(worst(subjects.map(({ standing }) => standing)));
}

/** A finding for programs. */
export function findingJson(finding: Finding | undefined): JsonObject {
  return finding === undefined
    ? {}
    : {
        reason: finding.reason,
        message: finding.message,
        actor: finding.actor,
        remedy: finding.remedy,
        since: finding.since,
      };
}
