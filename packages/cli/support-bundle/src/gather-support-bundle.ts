import type { Client } from '@hawser/client';
import { messageOf } from '@hawser/client';

import { type Bundle, type FileEntry, createBundle, segment } from './bundle.js';
import { readServed } from './discovery.js';
import { gatherCRDs, gatherEvents, gatherLeases, gatherNamespaces } from './gather-cluster.js';
import { type ConsumerContext, gatherConsumer } from './gather-consumer.js';
import { gatherKinds } from './gather-kinds.js';
import { type WorkloadOptions, gatherWorkloads } from './gather-workloads.js';
import { neverHeld } from './never-held.js';
import { createReader } from './reader.js';
import { readmeText } from './readme-text.js';
import { address } from './shape.js';
import type { TarFile } from './tar.js';
import { withoutSecrets } from './without-secrets.js';

/** A cluster to read. Its roles follow from the APIs that it serves, and from its workloads. */
export interface ClusterToRead {
  /** `consumer`, `provider`, …; also the folder in the bundle. */
  readonly name: string;
  readonly server: string;
  /** Client in the server's terms, whatever dialect it speaks. */
  readonly client: Client;
  /** The namespace of its kubeconfig, and other known ones. */
  readonly namespaces: readonly string[];
  /** Secrets of its kubeconfig, to keep out of the bundle. */
  readonly secrets: readonly string[];
  /** For `hawser doctor`, if the cluster serves bindings. Rejects if that is unclear. */
  readonly consumerContext: (signal: AbortSignal) => Promise<ConsumerContext>;
}

export interface SupportBundleOptions extends WorkloadOptions {
  readonly clusters: readonly ClusterToRead[];
  /** Version of hawser. */
  readonly version: string;
  /** Names of the given flags. */
  readonly flags: readonly string[];
  /** Contents of the given config file, without secrets. */
  readonly config?: unknown;
  /** Limit of all files together, uncompressed. */
  readonly maxBytes: number;
  /** Limit for each read. */
  readonly timeoutMs: number;
  /** Limit for the whole of `hawser doctor`. */
  readonly doctorTimeoutMs: number;
  /** Called with the current read. */
  readonly progress: (text: string) => void;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** A bundle, ready to be written. */
export interface SupportBundle {
  /** The first is README.txt, the second manifest.json. */
  readonly files: readonly TarFile[];
  /** Clusters that answered. */
  readonly reached: readonly string[];
  /** Number of failed reads. */
  readonly unread: number;
  /** Number of files without a place. */
  readonly dropped: number;
}

/** Reserved for README, manifest and other required files. */
const RESERVED_BYTES = 512 * 1_024;

/**
 * Reads the clusters and makes a bundle. Notes failed reads in the manifest, and continues. Writes nothing. Rejects
 * only if `signal` aborts.
 */
export async function gatherSupportBundle(options: SupportBundleOptions): Promise<SupportBundle> {
  const { clusters, version, flags, config, maxBytes, progress, nowMs } = options;
  const bundle = createBundle(Math.max(maxBytes - RESERVED_BYTES, 0));
  for (const { secrets } of clusters) for (const secret of secrets) bundle.addSecret(secret);
  const made = new Date(nowMs).toISOString();
  bundle.addJson('about.json', 'versions, and how the bundle was made', {
    made,
    hawser: version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    flags,
    bounds: { maxBytes, timeoutMs: options.timeoutMs, logLines: options.logLines },
  });
  if (config !== undefined)
    bundle.addJson('config.json', 'the config file of --config: effective, without secrets', config);
  const reached: string[] = [];
  for (const cluster of clusters) {
    progress(`${cluster.name}: ${String(address(cluster.server))}`);
    if (await gatherCluster(bundle, cluster, options)) reached.push(cluster.name);
  }
  const { unread, dropped } = bundle.contents;
  return {
    files: [...headFiles(bundle, made, options, reached), ...bundle.finish()],
    reached,
    unread: unread.length,
    dropped: dropped.length,
  };
}

function headFiles(
  bundle: Bundle,
  made: string,
  { clusters, version }: SupportBundleOptions,
  reached: readonly string[],
): readonly TarFile[] {
  const { files, unread, dropped } = bundle.contents;
  const head = createBundle(Infinity);
  for (const secret of bundle.secrets) head.addSecret(secret);
  const readme: FileEntry = { path: 'README.txt', bytes: 0, about: 'how to read this' };
  const text = readmeText(made, version);
  head.add(readme.path, readme.about, text);
  head.addJson('manifest.json', 'this', {
    made,
    hawser: version,
    clusters: clusters.map(({ name, server }) => ({
      name,
      server: address(server),
      reached: reached.includes(name),
    })),
    files: [{ ...readme, bytes: Buffer.byteLength(text) }, ...files],
    unread,
    dropped,
    neverHeld,
  });
  return head.finish();
}

type Step = readonly [what: string, gather: () => Promise<void>];

async function gatherCluster(bundle: Bundle, cluster: ClusterToRead, options: SupportBundleOptions): Promise<boolean> {
  const { timeoutMs, doctorTimeoutMs, signal, progress } = options;
  const { name, client, namespaces } = cluster;
  const reader = createReader(name, client, { bundle, timeoutMs, signal, namespaces });
  const folder = segment(name);
  const served = await readServed(reader, folder);
  if (served === undefined) {
    progress(`${name}: cannot be read: ${bundle.contents.unread.at(-1)?.reason ?? ''}`);
    return false;
  }
  const doctor: Step = [
    'what hawser doctor finds',
    async () => {
      const within = AbortSignal.any([signal, AbortSignal.timeout(doctorTimeoutMs)]);
      await gatherConsumer(reader, `${folder}/konnector`, await cluster.consumerContext(within));
    },
  ];
  const workloads: Step = ['Deployments, Pods, logs', () => gatherWorkloads(reader, `${folder}/workloads`, options)];
  const steps: readonly Step[] = [
    [
      'objects of Hawser, CRDs',
      async () => {
        await gatherCRDs(reader, folder, await gatherKinds(reader, folder, served));
      },
    ],
    [
      'Events, Leases, namespaces',
      async () => {
        await gatherEvents(reader, folder);
        await gatherLeases(reader, folder);
        await gatherNamespaces(reader, folder);
      },
    ],
    ...(served.findsBindings ? [doctor] : []),
    ...(served.runsWorkloads ? [workloads] : []),
  ];
  for (const [what, gather] of steps) {
    progress(`${name}: ${what}`);
    try {
      await gather();
    } catch (error) {
      // Covers unforeseen errors too: half a bundle is better than none.
      reader.failed(what, error);
      progress(`${name}: ${what}: ${withoutSecrets(messageOf(error))}`);
    }
  }
  return true;
}
