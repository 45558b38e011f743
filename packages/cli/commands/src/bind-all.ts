import {
  type BindPlan,
  type BindResult,
  type BindingWish,
  type CarryOutOptions,
  type Refusal,
  bind,
  observe,
  planBinding,
  refusalText,
  stepText,
  stepsOnProvider,
  untilReady,
} from '@hawser/bind';
import type { Client } from '@hawser/client';
import { type ConsentBy, consentsTo, consentsWithoutAsking } from './bind-consents.js';
import { printPlan } from './bind-print.js';
import { type AskedBinding, type WishedConnection, wishesFor } from './bind-wishes.js';
import type { ConsumerCommand } from './consumer-command.js';
import { document, type outputs } from './output.js';
import type { Terminal } from './task.js';

export function refused({ err }: Terminal, refusal: Refusal): number {
  err(refusalText(refusal));
  return 1;
}

export interface Working {
  readonly command: ConsumerCommand;
  readonly terminal: Terminal;
  readonly settings: Settings;
  readonly print: (line: string) => void;
}

export interface Settings {
  readonly timeoutMs: number;
  readonly output: (typeof outputs)[number];
  readonly dryRun: boolean;
  readonly credentials: boolean;
  readonly wait: boolean;
  readonly claims: ConsentBy;
}

/** Makes all requested bindings, one after the other. @param provider speaks the dialect of the consumer */
export async function bindAll(
  working: Working,
  provider: Client,
  asked: AskedBinding,
  connection: WishedConnection,
): Promise<number> {
  const { command, terminal } = working;
  const wishes = await wishesFor(command.spoken.dialect, asked, connection, provider, terminal.signal);
  return 'refusal' in wishes ? refused(terminal, wishes.refusal) : bindWishes(working, provider, wishes);
}

/** As {@link bindAll}. Under `dryRun`, `provider` may be absent: no credential for it exists yet. */
export async function bindWishes(
  working: Working,
  provider: Client | undefined,
  wishes: readonly BindingWish[],
): Promise<number> {
  const {
    command: { client: consumer, context },
    terminal,
    settings,
    print,
  } = working;
  const { signal } = terminal;
  const planned = async (wish: BindingWish): Promise<BindPlan> =>
    planBinding(wish, await observe({ consumer, provider, signal }, wish));
  const plans: BindPlan[] = [];
  for (const wish of wishes) {
    const plan = await planned(wish);
    const consents = consentsWithoutAsking(plan, settings.claims);
    plans.push(consents.size === 0 ? plan : await planned({ ...wish, consents }));
  }
  const whole = together(plans);
  for (const refusal of whole.refusals) terminal.err(refusalText(refusal));
  const name = wishes.map((wish) => wish.name).join(', ');
  if (settings.dryRun || provider === undefined) {
    printPlan(terminal, name, whole, settings);
    return whole.refusals.length === 0 ? 0 : 1;
  }
  if (whole.refusals.length > 0) {
    if (settings.output !== 'table')
      terminal.out(
        document(
          { name, secret: whole.secret, resources: whole.resources, result: 'refused', refusals: whole.refusals },
          settings.output,
        ),
      );
    return 1;
  }
  if (whole.steps.length === 0) print('Everything is there already.');
  const options = { consumer, provider, clock: context.clock, print, timeoutMs: settings.timeoutMs, signal };
  const result = await inTurn(
    wishes,
    (wish) => bindOne(working, options, planned, wish),
    settings.wait ? (wish) => untilReady(options, wish.name) : undefined,
  );
  printResult(working, name, wishes.length, whole, result);
  return result.kind === 'bound' ? 0 : 1;
}

export function printResult(
  { terminal, settings: { wait, output }, print }: Working,
  name: string,
  count: number,
  { secret, resources }: BindPlan,
  result: BindResult,
): void {
  switch (result.kind) {
    case 'bound':
      print(`${name} ${count === 1 ? 'is' : 'are'} bound${wait ? ' and ready' : ''}: ${resources.join(', ')}.`);
      break;
    case 'refused':
      terminal.err(refusalText(result.refusal));
      break;
    case 'waiting':
      terminal.err(`Gave up waiting for ${result.what}. What was made stays; the same command goes on from there.`);
      break;
  }
  if (output !== 'table') terminal.out(document({ name, secret, resources, result: result.kind }, output));
}

/** Makes all bindings, then waits for all; ends at the first failure. */

async function inTurn(
  wishes: readonly BindingWish[],
  ...works: readonly (((wish: BindingWish) => Promise<BindResult>) | undefined)[]
): Promise<BindResult> {
  for (const work of works) {
    if (work === undefined) continue;
    for (const wish of wishes) {
      const result = await work(wish);
      if (result.kind !== 'bound') return result;
    }
  }
  return { kind: 'bound' };
}

/**
 * Considers what an earlier binding has made. If the binding records consent, it asks the provider first, and then the
 * user.
 */

async function bindOne(
  { terminal, settings }: Working,
  options: CarryOutOptions,
  planned: (wish: BindingWish) => Promise<BindPlan>,
  wish: BindingWish,
): Promise<BindResult> {
  let plan = await planned(wish);
  if (plan.refusals.length === 0 && plan.undecided === undefined) {
    const asked = await bind(options, wish, { ...plan, steps: stepsOnProvider(plan) });
    if (asked.kind !== 'bound') return asked;
    plan = await planned(wish);
  }
  const [refusal] = plan.refusals;
  if (refusal !== undefined) return { kind: 'refused', refusal };
  if (plan.undecided === undefined)
    return { kind: 'waiting', what: `the APIServiceExport "${wish.name}" of the provider` };
  if (plan.undecided.length === 0) return await bind(options, wish, plan);
  const consents = await consentsTo(wish.name, plan.undecided, settings.claims, terminal);
  if ('reason' in consents) return { kind: 'refused', refusal: consents };
  const consented = { ...wish, consents };
  return await bind(options, consented, await planned(consented));
}

/** Joins several plans; a step that several plans share appears once. */
function together(plans: readonly BindPlan[]): BindPlan {
  const unique = <T>(all: readonly T[], text: (one: T) => string): readonly T[] => [
    ...new Map(all.map((one) => [text(one), one])).values(),
  ];
  return {
    secret: plans[0]?.secret ?? '',
    resources: plans.flatMap(({ resources }) => resources),
    steps: unique(
      plans.flatMap(({ steps }) => steps),
      stepText,
    ),
    refusals: unique(
      plans.flatMap(({ refusals }) => refusals),
      refusalText,
    ),
    undecided: plans.some(({ undecided }) => undecided === undefined)
      ? undefined
      : plans.flatMap(({ undecided = [] }) => undecided),
  };
}
