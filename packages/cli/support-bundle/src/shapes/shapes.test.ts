import { describe, expect, it } from '@jest/globals';

import { metadata } from './metadata.js';
import { openAPISchema } from './schema.js';
import { coreKbindShapes } from './core-kbind.js';
import { kubeBindShapes } from './kube-bind.js';

describe('metadata', () => {
  it('has values of our own keys alone', () => {
    expect(
      metadata({
        name: 'databases',
        labels: { team: 'hunter2', 'kube-bind.io/owner': 'provider' },
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '{"password":"hunter2"}',
          'hawser.dev/paused': 'the password is hunter2',
          'backend.kube-bind.io/author': 'jane@example.com',
        },
        managedFields: [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:hunter2': {} } }],
      }),
    ).toEqual({
      name: 'databases',
      labels: { 'kube-bind.io/owner': 'provider' },
      annotations: {
        'hawser.dev/paused': 'the password is [redacted]',
        'backend.kube-bind.io/author': '[left out]',
      },
      managedFields: [{ manager: 'kubectl', operation: 'Apply' }],
      otherLabelsAndAnnotations: ['team', 'kubectl.kubernetes.io/last-applied-configuration'],
    });
  });
});

describe('openAPISchema', () => {
  it('keeps what a schema does, and drops what it says', () => {
    expect(
      openAPISchema({
        openAPIV3Schema: {
          description: 'hunter2',
          properties: {
            password: { type: 'string', default: 'hunter2' },
            size: { type: 'string', default: 'small', enum: ['small', 'large'] },
            description: { type: 'string', example: 'hunter2' },
            free: { type: 'object', default: { a: { password: 'hunter2' } } },
          },
        },
      }),
    ).toEqual({
      openAPIV3Schema: {
        properties: {
          password: { type: 'string', default: '[left out]' },
          size: { type: 'string', default: 'small', enum: ['small', 'large'] },
          description: { type: 'string' },
          free: { type: 'object', default: '[left out]' },
        },
      },
    });
  });

  it('says how large one is that is too large', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`field${index}`, { type: 'string' }]),
    );
    expect(openAPISchema({ properties })).toMatch(/^\[left out\]: \d+ bytes$/u);
  });
});

describe('shapes of our kinds', () => {
  it.each([kubeBindShapes, coreKbindShapes].flatMap((shapes) => Object.entries(shapes)))(
    'of %s take over no field that is not on their list',
    (_plural, shape) => {
      const text = JSON.stringify(
        shape({
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'Kind',
          metadata: { name: 'one', more: 'hunter2' },
          data: { a: 'hunter2' },
          spec: {
            more: 'hunter2',
            parameters: { a: 'hunter2' },
            serviceProviderSpec: { a: 'hunter2' },
            author: 'hunter2',
            clusterIdentity: { identity: 'hunter2' },
            konnector: { overrides: { env: ['hunter2'] } },
            conversion: { webhook: { clientConfig: { url: 'https://hunter2', caBundle: 'hunter2' } } },
            kubeconfigSecretRef: { name: 'one', more: 'hunter2' },
          },
          status: { more: 'hunter2', conditions: [{ type: 'Ready', more: 'hunter2' }] },
        }),
      );
      expect(text).toContain('"one"');
      expect(text).not.toContain('hunter2');
    },
  );
});
