import { classification } from './classification.js';
import { severities } from './severity.js';

/** The table of all changes, the worst last, for the docs. */
export function classificationMarkdown(): string {
  return severities
    .map((severity) => {
      const rows = Object.entries(classification).filter(([, row]) => row.severity === severity);
      return [
        `### ${severity}`,
        '',
        '| change | what | why | what to do |',
        '| --- | --- | --- | --- |',
        ...rows.map(([kind, { title, reason, remedy }]) => `| \`${kind}\` | ${title} | ${reason} | ${remedy} |`),
      ].join('\n');
    })
    .join('\n\n');
}
