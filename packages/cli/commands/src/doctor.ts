import { examinationText, examine, isHealthy } from '@hawser/konnector-explain';

import { type CommandDescription, type Flag, choice } from '@hawser/config';
import { explainFlags, explaining, readExplainFlags } from './explain-command.js';
import { document, noColorFlag, outputs, paintOf } from './output.js';
import { readAccount } from './service-account.js';
import type { Task } from './task.js';

const ABOUT = `Looks at everything that bindings rest on, in this order: Secret, connection, clocks, versions, rights on both sides, CRDs, namespaces, objects, and what the provider
says; and who must act on what is not in order.`;

const flags: readonly Flag[] = [
  ...explainFlags,
  {
    name: 'service-account',
    kind: 'string',
    help: 'NAMESPACE/NAME of the konnector on the consumer, whose rights are looked at; empty: the user of the kubeconfig',
  },
  { name: 'output', short: 'o', kind: 'string', help: 'table, json or yaml', default: 'table' },
  noColorFlag,
];

/** Help text. */
export const doctorCommand: CommandDescription = {
  name: 'doctor',
  about: ABOUT,
  usage: ['hawser doctor [flags]'],
  examples: [
    { purpose: 'is everything in order that bindings need?', line: 'hawser doctor' },
    { purpose: 'only for one binding', line: 'hawser doctor --binding databases' },
    {
      purpose: 'with the rights of the konnector instead of yours',
      line: 'hawser doctor --service-account kube-bind/konnector',
    },
  ],
  flags,
};

/** Reads the flags of `hawser doctor`. */
export function readDoctor(args: readonly string[]): Task | string {
  const parsed = readExplainFlags(doctorCommand, 0, args);
  if (typeof parsed === 'string') return parsed;
  const output = choice(parsed, 'output', outputs);
  const given = parsed.values.get('service-account');
  const serviceAccount = given === undefined ? undefined : readAccount(given);
  return (terminal) =>
    explaining(parsed, terminal, async ({ context, binding }) => {
      const examinations = await examine(context, {
        binding,
        serviceAccount,
        namespace: serviceAccount?.namespace ?? context.dialect.names.konnectorNamespace,
      });
      terminal.out(
        output === 'table'
          ? examinationText(examinations, paintOf(parsed, terminal))
          : document({ healthy: isHealthy(examinations), examinations }, output),
      );
      return isHealthy(examinations) ? 0 : 1;
    });
}
