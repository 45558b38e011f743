import { createHash } from 'node:crypto';
import type { Api } from './api.js';

export interface CaseOptions {
  /** Keep managedFields in the transcript; elsewhere they are left out. Default false. */
  readonly managedFields?: boolean;
  /**
   * `plain` (default) runs beside other cases; `controllers` needs garbage collection and the end of namespaces;
   * `alone` changes the server for everybody.
   */
  readonly server?: 'plain' | 'controllers' | 'alone';
}

/** A small story of requests whose transcript must be the same everywhere. */
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

/** The same story told of several things: one case for each. */
export function table<Row>(
  rows: Readonly<Record<string, Row>>,
  story: (api: Api, row: Row) => Promise<void>,
  prefix = '',
): Readonly<Record<string, (api: Api) => Promise<void>>> {
  return Object.fromEntries(
    Object.entries(rows).map(([title, row]) => [`${prefix}${title}`, (api: Api) => story(api, row)]),
  );
}

/** Eight characters from group and title: stable, so that transcripts of different runs can be compared. */
export function caseId({ group, title }: Pick<Case, 'group' | 'title'>): string {
  return `c${createHash('sha256').update(`${group}/${title}`).digest('hex').slice(0, 7)}`;
}
