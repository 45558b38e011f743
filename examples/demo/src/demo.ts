import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedNames } from '@hawser/kube-bind';
import { startReaper } from '@hawser/testenv';
import { cleanUp } from './cleanup.js';
import { type Cluster, reasonOf } from './cluster.js';
import { type Opening, findKubectl, findPrograms, openGiven, startCluster } from './clusters.js';
import { DemoError } from './demo-error.js';
import { startEmbedded } from './embedded.js';
import { hawserAlias, showBothSides, showCommands } from './look.js';
import { names } from './names.js';
import type { Operator } from './operator.js';
import type { DemoOptions } from './options.js';
import { mayBeUsed } from './preflight.js';
import {
  bindApi,
  conditionsAreTrue,
  keepInStep,
  offerApi,
  onboard,
  prepareConsumer,
  prepareProvider,
} from './story.js';
import { type RoleProcess, startRole } from './supervisor.js';
import { showCoreKbind } from './core-kbind/core-kbind-demo.js';
import { showGateway } from './gateway/gateway-demo.js';
import { showPortal } from './portal/portal-demo.js';
import { showSchemas } from './schema/schema-demo.js';
import { showSyncagent } from './syncagent/syncagent-demo.js';
import type { Side, Timeline } from './timeline.js';

export interface DemoContext {
  /** The module of the `hawser` command. */
  readonly hawser: string;
  readonly timeline: Timeline;
  /** Aborts when the user ends the demo. */
  readonly interrupted: AbortSignal;
}

/**
 * Shows everything, stays up unless it runs once, and ends with nothing left behind. Rejects if a step was not seen or
 * something remained.
 */
export async function demo(options: DemoOptions, context: DemoContext): Promise<void> {
  const { hawser, timeline, interrupted } = context;
  const folder = await mkdtemp(join(tmpdir(), 'hawser-demo-'));
  const reaper = startReaper(folder);
  const broken = new AbortController();
  const signal = AbortSignal.any([interrupted, broken.signal]);
  const stage: Stage = { openings: [], roles: [], operator: undefined, used: undefined, tidy: undefined, owned: [] };
  try {
    const scene: Scene = {
      ...context,
      signal,
      folder,
      stage,
      startRole: (name, command, env) => {
        const [program, ...args] = command;
        const role = startRole({
          name,
          hawser,
          args: [...subcommands[program], ...args],
          addressFlag: program === 'hawser-syncagent' ? '--health-address' : '--server-address',
          env,
          logFile: join(folder, `${name}.log`),
          reaper,
          onDeath: (error) => {
            broken.abort(error);
          },
        });
        stage.roles.push(role);
        timeline.doing(undefined, command.join(' '));
      },
    };
    switch (options.play) {
      case 'konnector':
        await show(options, scene);
        break;
      case 'syncagent':
        await showInWorkspaces(options, scene);
        break;
      case 'schema':
        await showChanges(options, scene);
        break;
      case 'portal':
        await showPages(options, scene);
        break;
      case 'gateway':
        await showViews(options, scene);
        break;
      case 'v2':
        await showConnections(options, scene);
        break;
    }
  } catch (error) {
    if (!interrupted.aborted)
      for (const role of stage.roles) timeline.plain(`\nthe last lines of the ${role.name}:\n${role.lastWords()}`);
    // A process that died is the reason; failures that follow from it are not.
    throw signal.aborted ? reasonOf(signal) : error;
  } finally {
    // Ends pending waits.
    broken.abort();
    const left = await end(stage, timeline);
    if (options.keepLogs) timeline.plain(stage.roles.map((role) => `${role.name}:\n${role.lastWords()}`).join('\n'));
    await reaper.close();
    if (left.length > 0) throw new DemoError('failed', `not everything could be removed:\n  ${left.join('\n  ')}`);
  }
}

/** State to clean up. */
interface Stage {
  readonly openings: Opening[];
  readonly roles: RoleProcess[];
  operator: Operator | undefined;
  /** Given clusters, once they may be changed. */
  used: { readonly consumer: Cluster; readonly provider: Cluster } | undefined;
  /** Runs at the end, before the roles stop; returns what remains. */
  tidy: ((stopRoles: () => Promise<void>) => Promise<readonly string[]>) | undefined;
  /** Cleanups of everything else; run last to first. */
  readonly owned: (() => Promise<void>)[];
}

interface Scene extends DemoContext {
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly stage: Stage;
  readonly startRole: (
    name: string,
    command: readonly [keyof typeof subcommands, ...string[]],
    env: Readonly<Record<string, string>>,
  ) => void;
}

/** Subcommands that the executables put before their arguments. */
const subcommands = { hawser: [], 'hawser-konnector': ['konnector'], 'hawser-syncagent': ['syncagent'] } as const;

async function showInWorkspaces(
  { once, clusters }: DemoOptions,
  { timeline, signal, interrupted, folder, stage, startRole: start }: Scene,
): Promise<void> {
  const given = clusters.kind === 'givenKcp' ? clusters : undefined;
  const commands = await showSyncagent({
    timeline,
    signal,
    folder,
    given,
    atEnd: (tidy) => {
      stage.tidy = tidy;
    },
    own: (close) => {
      stage.owned.push(close);
    },
    startRole: start,
  });
  timeline.plain(`\nAll ${timeline.steps} steps were seen.`);
  if (once) return;
  timeline.plain(
    `\nEverything stays up. In another terminal:\n\n${commands}\n\nLogs: ${stage.roles.map(({ logFile }) => logFile).join(' ')}\nCtrl-C ends it.`,
  );
  await stayUp(signal, interrupted);
}

async function showChanges({ once }: DemoOptions, scene: Scene): Promise<void> {
  const { timeline, signal, interrupted, folder, stage } = scene;
  await showSchemas({
    hawser: scene.hawser,
    timeline,
    signal,
    folder,
    openings: stage.openings,
    startRole: scene.startRole,
  });
  timeline.plain(`\nAll ${timeline.steps} steps were seen.`);
  if (once) return;
  timeline.plain(
    `\nEverything stays up. In another terminal:\n\n  ${hawserAlias(scene.hawser)}\n\n  hawser schema status --kubeconfig ${join(folder, 'provider.kubeconfig')}\n  hawser bindings --side=provider --kubeconfig ${join(folder, 'provider.kubeconfig')}\n\nLogs: ${stage.roles.map(({ logFile }) => logFile).join(' ')}\nCtrl-C ends it.`,
  );
  await stayUp(signal, interrupted);
}

async function showPages({ once }: DemoOptions, scene: Scene): Promise<void> {
  await showPortal({ ...sceneOf(scene), once });
  await staysUp(once, scene, 'consumer');
}

async function showViews({ once }: DemoOptions, scene: Scene): Promise<void> {
  await showGateway(sceneOf(scene));
  await staysUp(once, scene, 'team-a');
}

async function showConnections({ once }: DemoOptions, scene: Scene): Promise<void> {
  await showCoreKbind({ ...sceneOf(scene), once });
  await staysUp(once, scene, 'consumer');
}

/** Inputs of a play in its own folder. */
function sceneOf({ timeline, signal, folder, stage, startRole: start }: Scene) {
  const own = (close: () => Promise<void>): void => {
    stage.owned.push(close);
  };
  return { timeline, signal, folder, openings: stage.openings, own, startRole: start };
}

/** Prints what to try next, and on which consumer's cluster. */
async function staysUp(once: boolean, scene: Scene, consumer: Side): Promise<void> {
  const { timeline, signal, interrupted, folder, stage } = scene;
  timeline.plain(`\nAll ${timeline.steps} steps were seen.`);
  if (once) return;
  timeline.plain(
    `\nEverything stays up. In another terminal:\n\n  ${hawserAlias(scene.hawser)}\n\n  hawser tree --kubeconfig ${join(folder, `${consumer}.kubeconfig`)}\n  hawser bindings --side=provider --kubeconfig ${join(folder, 'provider.kubeconfig')}\n\nLogs: ${stage.roles.map(({ logFile }) => logFile).join(' ')}\nCtrl-C ends it.`,
  );
  await stayUp(signal, interrupted);
}

async function show(options: DemoOptions, scene: Scene): Promise<void> {
  const { timeline, signal, stage, folder } = scene;
  const open = await openings(options, scene);
  stage.openings.push(open.consumer, open.provider);
  const ready = Promise.all([open.consumer.cluster, open.provider.cluster]);
  if (options.clusters.kind === 'given') {
    const [consumer, provider] = await ready;
    await mayBeUsed(consumer, provider);
    stage.used = { consumer, provider };
  }

  // Each side proceeds as far as it can without the other.
  const providing = open.provider.cluster.then(async (provider) => {
    await prepareProvider(provider, signal);
    signal.throwIfAborted();
    scene.startRole(
      'provider',
      [
        'hawser',
        'run',
        '--roles',
        'provider',
        '--provider-request-admission',
        'Exported',
        '--provider-kubeconfig',
        provider.kubeconfigFile,
      ],
      { POD_NAME: 'demo', POD_NAMESPACE: names.clusterNamespace },
    );
    const [kubeconfig] = await settled(
      onboard(provider, timeline),
      offerApi(provider, timeline, signal).then((started) => (stage.operator = started)),
    );
    return { provider, kubeconfig };
  });
  const consuming = open.consumer.cluster.then(async (consumer) => {
    await prepareConsumer(consumer, signal);
    signal.throwIfAborted();
    scene.startRole(
      'konnector',
      ['hawser-konnector', '--kubeconfig', consumer.kubeconfigFile, '--lease-namespace', fixedNames.konnectorNamespace],
      { POD_NAME: 'demo' },
    );
    return consumer;
  });
  const [{ provider, kubeconfig }, consumer] = await settled(providing, consuming);
  signal.throwIfAborted();

  await bindApi(consumer, provider, kubeconfig, timeline);
  const { firstObjectSeconds } = await keepInStep(consumer, provider, timeline);
  await conditionsAreTrue(consumer, provider, timeline);
  const steps = timeline.steps;
  await showBothSides(consumer, provider, timeline);
  timeline.plain(
    `\nAll ${steps} steps were seen, the first object on both sides after ${firstObjectSeconds.toFixed(1)} s.`,
  );
  if (options.once) return;
  showCommands({
    consumer,
    provider,
    kubectl: open.kubectl ?? (await findKubectl()),
    hawser: scene.hawser,
    folder,
    logs: stage.roles.map(({ logFile }) => logFile),
    timeline,
  });
  await stayUp(signal, scene.interrupted);
}

/** Both clusters being opened, and the kubectl for them, if any. */
interface Openings extends Readonly<Record<'consumer' | 'provider', Opening>> {
  readonly kubectl: string | undefined;
}

async function openings({ clusters, once }: DemoOptions, { timeline, folder, signal }: Scene): Promise<Openings> {
  const bothReady = (open: (side: Side) => Opening, kubectl?: string): Openings => {
    const opened = { consumer: open('consumer'), provider: open('provider'), kubectl };
    for (const side of ['consumer', 'provider'] as const)
      opened[side].cluster.then(
        ({ connection }) => {
          timeline.seen(side, `API server ${connection.server} is ready`);
        },
        () => undefined,
      );
    return opened;
  };
  switch (clusters.kind) {
    case 'embedded':
      return bothReady((side) => startEmbedded(side, { folder, signal }));
    case 'real': {
      const binaries = await findPrograms(timeline);
      // Deleting namespaces, and collecting a CRD without its binding, needs the controllers of a real cluster: for
      // users who stay to try things.
      const controllerManager = !once && binaries.paths['kube-controller-manager'] !== undefined;
      signal.throwIfAborted();
      timeline.doing(undefined, `two control planes are started, Kubernetes ${binaries.kubernetesVersion}`);
      return bothReady(
        (side) => startCluster(side, binaries, controllerManager, { folder, signal }),
        binaries.paths.kubectl,
      );
    }
    // The konnector's play has no kcp.
    case 'givenKcp':
      throw new DemoError('usage', '--kcp and --service are for the demo of the syncagent');
    case 'given': {
      const kubectl = await findKubectl();
      if (kubectl === undefined)
        throw new DemoError('unavailable', 'There is no kubectl on the PATH: install it first.');
      return {
        consumer: openGiven('consumer', clusters.consumer, kubectl, { folder, signal }),
        provider: openGiven('provider', clusters.provider, kubectl, { folder, signal }),
        kubectl,
      };
    }
  }
}

/** Waits for all, then returns them or throws the first failure. */
async function settled<T extends readonly unknown[]>(...work: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(work);
  return Promise.all(work) as Promise<unknown> as Promise<T>;
}

/** Waits until the user ends the demo; rejects if something breaks before. */
async function stayUp(signal: AbortSignal, interrupted: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
  if (!interrupted.aborted) throw reasonOf(signal);
}

async function end(
  { openings: opened, roles, operator, used, tidy, owned }: Stage,
  timeline: Timeline,
): Promise<readonly string[]> {
  const stopRoles = async (): Promise<void> => {
    await Promise.all(roles.map((role) => role.stop()));
  };
  const left = [
    ...(used === undefined ? [] : await cleanUp({ ...used, timeline, stopRoles })),
    ...((await tidy?.(stopRoles)) ?? []),
  ];
  await stopRoles();
  await operator?.close();
  for (const close of owned.toReversed()) await close();
  await Promise.all(opened.map((opening) => opening.close()));
  timeline.doing(undefined, 'everything has ended');
  return left;
}
