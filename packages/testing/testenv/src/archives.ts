import { type Program, defaultEtcdVersion } from './platform.js';

export interface Checksum {
  readonly algorithm: 'sha256' | 'sha512';
  /** Hexadecimal, of the whole archive. */
  readonly value: string;
}

/** A published archive with its required checksum. */
export interface Archive {
  readonly url: string;
  readonly checksum: Checksum;
  /** Path of each program inside. */
  readonly members: Readonly<Partial<Record<Program, string>>>;
}

/**
 * Checksums of the Kubernetes server archives by version and platform, from the release's change log
 * (https://github.com/kubernetes/kubernetes, `CHANGELOG/CHANGELOG-<minor>.md`).
 *
 * A checksum downloaded beside the file proves nothing, so a version that is not listed here is not downloaded.
 */
const kubernetesServer: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '1.36.0': {
    'linux/amd64':
      '1c64da92575451c2c7ff97c79b772e603995f8e76da1371a6b0746aaa27b65dce81c4d734cbb50f40e71486a8e08df36f14e12974f97d4d29e41f23a172a6a25',
    'linux/arm64':
      '7f95e451baedd9368a2fa637afa84c9ed1b958736540ca27a379e5e292e1a10c5d9a29539f833047574bf5d3b6f907f32dee5735acecc11aa4686f078108dcf8',
  },
};

/** The same for etcd: SHA-256 of the release archives, as kubespray pins them (https://github.com/kubernetes-sigs/kubespray, `roles/kubespray_defaults/vars/main/checksums.yml`). */
const etcd: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '3.6.8': {
    'linux/amd64': 'cf9cfe91a4856cb90eed9c99e6aee4b708db2c7888b88a6f116281f04b0ea693',
    'linux/arm64': '438f56a700d17ce761510a3e63e6fa5c1d587b2dd4d7a22c179c09a649366760',
  },
};

/** Known archives for a Kubernetes version, with its etcd. */
export function knownArchives(kubernetesVersion: string, platform: string): readonly Archive[] {
  const known: Archive[] = [];
  const [system, processor] = platform.split('/');
  const server = kubernetesServer[kubernetesVersion]?.[platform];
  if (server !== undefined) {
    known.push({
      url: `https://dl.k8s.io/v${kubernetesVersion}/kubernetes-server-${system ?? ''}-${processor ?? ''}.tar.gz`,
      checksum: { algorithm: 'sha512', value: server },
      members: {
        'kube-apiserver': 'kubernetes/server/bin/kube-apiserver',
        'kube-controller-manager': 'kubernetes/server/bin/kube-controller-manager',
        kubectl: 'kubernetes/server/bin/kubectl',
      },
    });
  }
  const store = etcd[defaultEtcdVersion]?.[platform];
  if (store !== undefined) {
    const name = `etcd-v${defaultEtcdVersion}-${system ?? ''}-${processor ?? ''}`;
    known.push({
      url: `https://github.com/etcd-io/etcd/releases/download/v${defaultEtcdVersion}/${name}.tar.gz`,
      checksum: { algorithm: 'sha256', value: store },
      members: { etcd: `${name}/etcd` },
    });
  }
  return known;
}
