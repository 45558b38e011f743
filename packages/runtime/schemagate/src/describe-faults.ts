import type { StoredCheck, StoredObjectFaults } from './check-stored.js';

/** Describes faults of stored objects for a condition; undefined: none. */
export function describeFaults({ checked, invalid, losing, unsupported }: StoredCheck): string | undefined {
  const sentences = [
    ...(invalid.count === 0
      ? []
      : [`${invalid.count} of ${checked} stored objects could not be created under it: ${named(invalid)}.`]),
    ...(losing.count === 0
      ? []
      : [`${losing.count} of ${checked} stored objects would lose fields: ${named(losing)}.`]),
    ...(unsupported === undefined
      ? []
      : [`Whether stored objects meet its rules cannot be said here: ${unsupported}.`]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

function named({ count, first }: StoredObjectFaults): string {
  const names = first.map(
    ({ namespace, name, message }) => `${namespace === '' ? name : `${namespace}/${name}`} (${message})`,
  );
  return `${names.join('; ')}${count > first.length ? `; and ${count - first.length} more` : ''}`;
}
