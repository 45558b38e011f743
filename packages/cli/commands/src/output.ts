import { stringify as json } from '@hawser/json';
import { type Paint, type Tone, plain } from '@hawser/preview';
import { stringify as yaml } from 'yaml';

import type { Flag, ParsedFlags } from '@hawser/config';
import { printableLine } from './printable.js';
import type { Terminal } from './task.js';

/** `table` is for people, the others for programs. */
export const outputs = ['table', 'json', 'yaml'] as const;
export type Output = (typeof outputs)[number];

/** Flag of every command with colours. */
export const noColorFlag: Flag = {
  name: 'no-color',
  kind: 'boolean',
  help: 'no colours, as with NO_COLOR=1; FORCE_COLOR=1 shows them in a pipe, too',
};

/** The colours that a command may use. */
export function paintOf({ values }: ParsedFlags, { paint }: Terminal): Paint {
  return values.get('no-color') === 'true' ? plain : (paint ?? plain);
}

/** A cell of a table. */
export type Cell = string | { readonly text: string; readonly tone: Tone };

/** Rows under a headline, in columns as kubectl has them. */
export function table(headline: readonly string[], rows: readonly (readonly Cell[])[], paint: Paint = plain): string {
  const lines = [headline, ...rows].map((row) =>
    row.map((cell) =>
      typeof cell === 'string'
        ? { text: printableLine(cell), tone: undefined }
        : { text: printableLine(cell.text), tone: cell.tone },
    ),
  );
  const widths = headline.map((_, column) => Math.max(...lines.map((line) => line[column]?.text.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map(({ text, tone }, column) => {
          const fill = column === line.length - 1 ? '' : ' '.repeat((widths[column] ?? 0) + 3 - text.length);
          return `${tone === undefined ? text : paint(tone, text)}${fill}`;
        })
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** A value for programs. */
export function document(value: unknown, output: Exclude<Output, 'table'>): string {
  return output === 'json' ? json(value) : yaml(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}

/** Age in the unit that fits; `never` for an absent time. */
export function ago(time: string | undefined, nowMs: number): string {
  if (time === undefined) return 'never';
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
