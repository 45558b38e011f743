import {
  type Awaited,
  type BindPlan,
  type CoreKbindWish,
  bind,
  coreBindingResource,
  observeCoreKbind,
  planCoreKbind,
  refusalText,
  untilReady,
} from '@hawser/bind';
import type { Client } from '@hawser/client';
import { resourceGroupName } from '@hawser/kube-bind';

import { ConfigError, type ParsedFlags } from '@hawser/config';
import { type Working, printResult } from './bind-all.js';
import { printPlan } from './bind-print.js';
import { type AskedBinding, defaultName } from './bind-wishes.js';
import { document } from './output.js';

/** Reads the flags for a binding of `core.kbind.io`. @throws ConfigError for a flag that does not apply */
export function readCoreKbindWish(
  { values }: ParsedFlags,
  { offer, name, secretName }: AskedBinding,
  kubeconfig: string,
): CoreKbindWish {
  if (offer.kind === 'template')
    throw new ConfigError('--template: core.kbind.io has none; name CRDs of the provider by --resource');
  const versioned = offer.resources.find(({ versions = [] }) => versions.length > 0);
  if (versioned !== undefined)
    throw new ConfigError(
      `--resource: the provider chooses the version; name ${resourceGroupName(versioned)} without one`,
    );
  return {
    name: name ?? defaultName(offer),
    namespace: values.get('namespace'),
    apis: offer.resources.map(resourceGroupName),
    kubeconfig,
    connection: values.get('connection'),
    secretName,
  };
}

/** Makes a Secret, a Connection and a ClusterBinding or Binding, or prints what it would make. */
export async function bindCoreKbind(working: Working, provider: Client, wish: CoreKbindWish): Promise<number> {
  const { command, terminal, settings, print } = working;
  const { client: consumer, context } = command;
  const { signal } = terminal;
  const plan = planCoreKbind(wish, await observeCoreKbind({ consumer, provider, signal }, wish));
  for (const refusal of plan.refusals) terminal.err(refusalText(refusal));
  const name = wish.namespace === undefined ? wish.name : `${wish.namespace}/${wish.name}`;
  if (settings.dryRun) {
    printPlan(terminal, name, plan, settings);
    return plan.refusals.length === 0 ? 0 : 1;
  }
  if (plan.refusals.length > 0) {
    if (settings.output !== 'table')
      terminal.out(document({ ...planSummary(name, plan), result: 'refused' }, settings.output));
    return 1;
  }
  if (plan.steps.length === 0) print('Everything is there already.');
  const options = { consumer, provider, clock: context.clock, print, timeoutMs: settings.timeoutMs, signal };
  const made = await bind(options, { clusterNamespace: '' }, plan);
  const result = made.kind === 'bound' && settings.wait ? await untilReady(options, awaitedOf(wish)) : made;
  printResult(working, name, 1, plan, result);
  return result.kind === 'bound' ? 0 : 1;
}

function planSummary(name: string, { secret, resources, refusals }: BindPlan): object {
  return { name, secret, resources, refusals };
}

function awaitedOf({ name, namespace }: CoreKbindWish): Awaited {
  const key = { name, namespace };
  const title = namespace === undefined ? `ClusterBinding "${name}"` : `Binding "${namespace}/${name}"`;
  return { resource: coreBindingResource(key), key, title };
}
