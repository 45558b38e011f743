import { describe, expect, it } from '@jest/globals';
import { problemEvent } from './problem.js';

describe('problemEvent', () => {
  it('says how long a name may be', () => {
    const namespace = `kube-bind-acme-${'n'.repeat(50)}`;
    expect(problemEvent({ kind: 'nameTooLong', namespace, prefix: 'kube-bind-acme-' })).toEqual({
      type: 'Warning',
      reason: 'NamespaceNameTooLong',
      message: `"${namespace}" has 65 characters; a namespace can have 63. The consumer has to use a namespace with a name of at most 48 characters, or the provider a shorter prefix for its cluster namespaces.`,
    });
  });

  it('does not ask the consumer for what only the provider can do', () => {
    const { message } = problemEvent({
      kind: 'nameTooLong',
      namespace: `${'c'.repeat(63)}-a`,
      prefix: `${'c'.repeat(63)}-`,
    });
    expect(message).toContain('The provider has to use a shorter prefix');
    expect(message).not.toContain('consumer');
  });

  it('names both sides of a conflict', () => {
    const { reason, message } = problemEvent({
      kind: 'conflict',
      namespace: 'kube-bind-acme-team-a',
      owner: 'kube-bind/acme-team-a',
      assigned: false,
    });
    expect(reason).toBe('NamespaceConflict');
    expect(message).toContain('"kube-bind-acme-team-a"');
    expect(message).toContain('"kube-bind/acme-team-a"');
    expect(message).toContain('not taken over');
  });
});
