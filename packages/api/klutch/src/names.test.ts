import { describe, expect, it } from '@jest/globals';
import { appClusterBindingRequestName } from './names.js';

describe('appClusterBindingRequestName', () => {
  it('is the same for the same names, and another for others', () => {
    expect(appClusterBindingRequestName('shop', 'databases.example.com')).toBe(
      appClusterBindingRequestName('shop', 'databases.example.com'),
    );
    expect(appClusterBindingRequestName('a', 'b-c')).not.toBe(appClusterBindingRequestName('a-b', 'c'));
  });

  it('is told apart where the names agree as far as they are kept', () => {
    const long = 'n'.repeat(24);
    expect(appClusterBindingRequestName(`${long}a`, 'x')).not.toBe(appClusterBindingRequestName(`${long}b`, 'x'));
  });

  it.each([
    ['shop', 'databases.of-a-long-gro.up.example.com'],
    ['s'.repeat(253), 'd'.repeat(253)],
    [`${'s'.repeat(23)}-tail`, `${'d'.repeat(22)}.-x`],
  ])('is a name that an object can have, for %s and %s', (binding, name) => {
    const made = appClusterBindingRequestName(binding, name);
    expect(made.length).toBeLessThanOrEqual(78);
    expect(made).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u);
  });
});
