import { type BindPlan, manifestsOf, stepText } from '@hawser/bind';
import type { KubeObject } from '@hawser/client';
import { stringify } from 'yaml';
import type { Settings } from './bind-all.js';
import { document } from './output.js';
import type { Terminal } from './task.js';

export function printPlan(
  { out, err }: Terminal,
  name: string,
  plan: BindPlan,
  { output, credentials }: Settings,
): void {
  if (plan.undecided === undefined)
    err(
      'What the provider claims is known once it has answered; the binding then says yes or no to each claim (--claims).',
    );
  else if (plan.undecided.length > 0)
    err(`The provider claims ${plan.undecided.join('; ')}. The binding says yes or no to each (--claims).`);
  switch (output) {
    case 'table':
      if (plan.refusals.length > 0) out('Nothing would be done: see what is refused.');
      else
        out(
          plan.steps.length === 0
            ? 'Nothing to do.'
            : `This would be done:\n${plan.steps.map((step) => `  ${stepText(step)}`).join('\n')}`,
        );
      return;
    case 'json':
      out(
        document(
          {
            name,
            secret: plan.secret,
            resources: plan.resources,
            steps: plan.steps.map(stepText),
            refusals: plan.refusals,
          },
          'json',
        ),
      );
      return;
    case 'yaml': {
      const { provider, consumer } = manifestsOf(plan, { credentials });
      const file = (side: string, objects: readonly object[]): readonly string[] =>
        objects.map(
          (object, at) =>
            `---\n${at === 0 ? `# on the ${side}\n` : ''}${stringify(object, { lineWidth: 0 }).trimEnd()}`,
        );
      out([...file('provider', provider), ...file('consumer', consumer)].join('\n'));
    }
  }
}

/** Prints the first step, and all that is known before the provider answers it. */
export function printOnboarding({ out, err }: Terminal, request: KubeObject, output: Settings['output']): void {
  const step = `create BindableResourcesRequest ${request.metadata.namespace ?? ''}/${request.metadata.name} on the provider`;
  const rest = 'What follows is known once it is answered.';
  if (output === 'table') {
    out(`This would be done first: ${step}. ${rest}`);
    return;
  }
  err(rest);
  out(
    output === 'json'
      ? document({ steps: [step] }, 'json')
      : `---\n# on the provider\n${stringify(request, { lineWidth: 0 }).trimEnd()}`,
  );
}
