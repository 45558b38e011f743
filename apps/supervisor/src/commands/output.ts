import { stringify as json } from '@hawser/json';
import { stringify as yaml } from 'yaml';
import { printableLine } from '../printable.js';

/** For people, or for programs. */
export const outputs = ['table', 'json', 'yaml'] as const;
export type Output = (typeof outputs)[number];

/** Rows under a headline, in columns as kubectl has them. */
export function table(headline: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headline, ...rows.map((row) => row.map(printableLine))];
  const widths = headline.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines.map((line) => line.map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3))).join('').trimEnd()).join('\n');
}

/** A value for programs. */
export function document(value: unknown, output: Exclude<Output, 'table'>): string {
  return output === 'json' ? json(value) : yaml(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}

/** How long ago, in the unit that fits; `never` for what has not been. */
export function ago(time: string | undefined, nowMs: number): string {
  if (time === undefined) return 'never';
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
