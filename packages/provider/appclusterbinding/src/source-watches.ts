import { type KubeObject, objectKey } from '@hawser/client';
import type { InformerHandle, SharedInformers, Subscription } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';

export interface SecretReference {
  readonly namespace: string;
  readonly name: string;
}

/** Detects changes of Secrets that AppClusterBindings name. Watches each by name, and keeps only metadata. */
export interface SourceWatches {
  /** Reports changes of only this Secret to `key` from now on. Undefined: of none. */
  follow(key: string, secret: SecretReference | undefined): void;
  close(): void;
}

interface Watched {
  readonly handle: InformerHandle<KubeObject>;
  readonly subscription: Subscription;
  readonly followers: Set<string>;
}

export function createSourceWatches(informers: SharedInformers, changed: (key: string) => void): SourceWatches {
  const watched = new Map<string, Watched>();
  const followed = new Map<string, string>();
  const end = ({ handle, subscription }: Watched): void => {
    subscription.close();
    handle.release();
  };
  const open = ({ namespace, name }: SecretReference): Watched => {
    const handle = informers.acquire<KubeObject>({
      resource: resources.secrets,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      projection: 'metadata',
    });
    const followers = new Set<string>();
    const notify = (): void => {
      followers.forEach(changed);
    };
    return {
      handle,
      followers,
      subscription: handle.addHandler({ onAdd: notify, onUpdate: notify, onDelete: notify }),
    };
  };
  return {
    follow(key, secret) {
      const before = followed.get(key);
      const after = secret === undefined ? undefined : objectKey({ namespace: secret.namespace, name: secret.name });
      if (before === after) return;
      if (before !== undefined) {
        followed.delete(key);
        const old = watched.get(before);
        old?.followers.delete(key);
        if (old?.followers.size === 0) {
          watched.delete(before);
          end(old);
        }
      }
      if (secret === undefined || after === undefined) return;
      followed.set(key, after);
      const one = watched.get(after) ?? open(secret);
      watched.set(after, one);
      one.followers.add(key);
    },
    close() {
      watched.forEach(end);
      watched.clear();
      followed.clear();
    },
  };
}
