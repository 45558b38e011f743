import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must, run } from '../../tools/run.ts';
import { root } from '../../tools/workspace.ts';

/** A cluster of kind. */
export interface KindCluster {
  readonly name: string;
  readonly kubeconfigFile: string;
  /** Its API server, at the address for pods of other clusters. */
  readonly podServer: string;
}

export interface Kind {
  create(name: string): Promise<KindCluster>;
  /** Loads the image of an archive into the cluster. */
  load(cluster: KindCluster, archive: string): Promise<void>;
  delete(name: string): Promise<void>;
}

export interface KindOptions {
  /** The executable. */
  readonly kind: string;
  /** Image of the nodes. */
  readonly nodeImage: string;
  /** A configuration file of kind's, for machines that need one. */
  readonly config: string | undefined;
}

const folder = join(root, 'tmp', 'kind');

export function createKind({ kind, nodeImage, config }: KindOptions): Kind {
  const options = ['--image', nodeImage, ...(config === undefined ? [] : ['--config', config])];
  return {
    async create(name) {
      mkdirSync(folder, { recursive: true });
      const kubeconfigFile = join(folder, `${name}.kubeconfig`);
      // Left behind by an interrupted run.
      await must(kind, ['delete', 'cluster', '--name', name, '--kubeconfig', kubeconfigFile]);
      await must(
        kind,
        ['create', 'cluster', '--name', name, '--kubeconfig', kubeconfigFile, '--wait', '180s', ...options],
        { timeoutMs: 10 * 60_000 },
      );
      const internal = await must(kind, ['get', 'kubeconfig', '--name', name, '--internal']);
      writeFileSync(kubeconfigFile, await must(kind, ['get', 'kubeconfig', '--name', name]), { mode: 0o600 });
      // A node is ready before cluster DNS is.
      await must(
        'kubectl',
        [
          '--kubeconfig',
          kubeconfigFile,
          '-n',
          'kube-system',
          'rollout',
          'status',
          'deployment/coredns',
          '--timeout=180s',
        ],
        { timeoutMs: 4 * 60_000 },
      );
      return { name, kubeconfigFile, podServer: /server: (\S+)/u.exec(internal)?.[1] ?? '' };
    },
    async load({ name }, archive) {
      await must(kind, ['load', 'image-archive', archive, '--name', name], { timeoutMs: 5 * 60_000 });
    },
    async delete(name) {
      await run(kind, ['delete', 'cluster', '--name', name, '--kubeconfig', join(folder, `${name}.kubeconfig`)], {
        capture: true,
        timeoutMs: 2 * 60_000,
      });
    },
  };
}
