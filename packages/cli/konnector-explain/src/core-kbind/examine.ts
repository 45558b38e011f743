import type { Client } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import { wrong } from '../examination-words.js';
import type { Examination } from '../examination.js';
import { titleOf } from '../report.js';
import type { CoreKbindView } from './explain.js';

/** The provider of a Connection, with its name in an examination. */
export interface ExaminedConnection {
  readonly subject: string;
  readonly client: Client;
  /** Holds credentials. */
  readonly config: ConnectionConfig;
}

export function connectionsOf({ providers }: CoreKbindView): readonly ExaminedConnection[] {
  return [...providers].map(([name, { client, config }]) => ({
    subject: `provider ${config.server}, Connection ${name}`,
    client,
    config,
  }));
}

const OF_SECRET: ReadonlySet<string> = new Set(['SecretValid']);

/** State of the kubeconfigs, in the terms of the conditions. */
export function connectionSecrets({ reports }: CoreKbindView): readonly Examination[] {
  return reports
    .filter(({ kind }) => kind === 'Connection')
    .flatMap(({ secret, findings }) => {
      const subject = `Secret ${secret ?? ''}`;
      const found = findings.filter(({ condition = '' }) => OF_SECRET.has(condition));
      return found.length > 0
        ? found.map((finding) => wrong('secret', subject, finding))
        : [{ area: 'secret', subject, state: 'ok', message: 'It holds a kubeconfig that may be used.' } as const];
    });
}

/** State of the Connections apart from their kubeconfigs. */
export function connectionStates({ reports }: CoreKbindView): readonly Examination[] {
  return reports
    .filter(({ kind }) => kind === 'Connection')
    .flatMap((report): readonly Examination[] => {
      const subject = titleOf(report);
      const { findings } = report;
      const found = findings.filter(({ condition = '' }) => !OF_SECRET.has(condition));
      if (found.length > 0) return found.map((finding) => wrong('connection', subject, finding));
      return findings.length > 0
        ? [{ area: 'connection', subject, state: 'unknown', message: 'Without a kubeconfig there is no way to ask.' }]
        : [{ area: 'connection', subject, state: 'ok', message: 'It answers, and both clusters are the pinned ones.' }];
    });
}
