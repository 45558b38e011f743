import { sha1Short } from '@hawser/syncagent-api';
import type { Identity } from './identity.js';

/** The old form of naming rules: words for parts of an identity (`spec/api-syncagent.md §11.3`). */
const PLACEHOLDER = /\$remoteClusterName|\$remoteNamespaceHash|\$remoteNamespace|\$remoteNameHash|\$remoteName/gu;

/** Replaces the words; keeps everything else, white space included. */
export function fillPlaceholders(rule: string, { cluster, namespace, name }: Identity): string {
  return rule.replace(PLACEHOLDER, (placeholder) => {
    switch (placeholder) {
      case '$remoteClusterName':
        return cluster;
      case '$remoteNamespaceHash':
        return sha1Short(namespace);
      case '$remoteNamespace':
        return namespace;
      case '$remoteNameHash':
        return sha1Short(name);
      default:
        return name;
    }
  });
}

/** The part of a rule that is not replaced. */
export function literalPart(rule: string): string {
  return rule.replace(PLACEHOLDER, '');
}

/** Whether a rule has such a word. */
export function hasPlaceholders(rule: string): boolean {
  return literalPart(rule) !== rule;
}
