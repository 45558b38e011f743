import { createHash } from 'node:crypto';
import type { Api } from './api.js';

export interface CaseOptions {
  /** Keep managedFields in the transcript. Default false. */
  readonly managedFields?: boolean;
  /**
   * `plain` (default) runs beside other cases; `controllers` needs garbage collection and namespace deletion; `alone`
   * changes the server for all others.
   */
  readonly server?: 'plain' | 'controllers' | 'alone';
}

/** A sequence of requests whose transcript must be the same on every server. */
export interface Case extends Required<CaseOptions> {
  readonly group: string;
  /** Unique in its group. */
  readonly title: string;
  readonly run: (api: Api) => Promise<void>;
}

/** Cases by their titles. */
export function cases(
  group: string,
  stories: Readonly<Record<string, (api: Api) => Promise<void>>>,
  options: CaseOptions = {},
): readonly Case[] {
  return Object.entries(stories).map(([title, run]) => ({
    group,
    title,
    run,
    managedFields: options.managedFields ?? false,
    server: options.server ?? 'plain',
  }));
}

/** The same sequence for several rows: one case each. */
export function table<Row>(
  rows: Readonly<Record<string, Row>>,
  story: (api: Api, row: Row) => Promise<void>,
  prefix = '',
): Readonly<Record<string, (api: Api) => Promise<void>>> {
  return Object.fromEntries(
    Object.entries(rows).map(([title, row]) => [`${prefix}${title}`, (api: Api) => story(api, row)]),
  );
}

/** Eight characters from group and title: stable, so transcripts of different runs compare. */
export function caseId({ group, title }: Pick<Case, 'group' | 'title'>): string {
  return `c${createHash('sha256').update(`${group}/${title}`).digest('hex').slice(0, 7)}`;
}
