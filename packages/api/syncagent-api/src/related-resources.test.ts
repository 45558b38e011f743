import { describe, expect, it } from '@jest/globals';
import { relatedResourcesOf } from './related-resources.js';

const certificates = { group: 'cert-manager.io', version: 'v1', resource: 'certificates' };

describe('relatedResourcesOf', () => {
  it('the deprecated kind goes first', () => {
    expect(relatedResourcesOf({ origin: 'kcp', kind: 'Secret', version: 'v9', resource: 'things' }).origin).toEqual({
      group: '',
      version: 'v1',
      resource: 'secrets',
    });
    expect(relatedResourcesOf({ origin: 'kcp', kind: 'ConfigMap' }).service).toEqual({
      group: '',
      version: 'v1',
      resource: 'configmaps',
    });
  });

  it('without a projection, all four are one', () => {
    for (const origin of ['kcp', 'service'] as const) {
      expect(relatedResourcesOf({ origin, ...certificates })).toEqual({
        origin: certificates,
        destination: certificates,
        kcp: certificates,
        service: certificates,
      });
    }
  });

  it('a projection is about the other side; what is empty in it stays', () => {
    const projection = { group: 'certs.example.com', version: '', resource: 'certs' };
    const projected = { group: 'certs.example.com', version: 'v1', resource: 'certs' };
    expect(relatedResourcesOf({ origin: 'kcp', ...certificates, projection })).toEqual({
      origin: certificates,
      destination: projected,
      kcp: certificates,
      service: projected,
    });
    expect(relatedResourcesOf({ origin: 'service', ...certificates, projection })).toEqual({
      origin: certificates,
      destination: projected,
      kcp: projected,
      service: certificates,
    });
  });

  it('the core API has no group', () => {
    expect(relatedResourcesOf({ origin: 'kcp', version: 'v1', resource: 'services' }).kcp).toEqual({
      group: '',
      version: 'v1',
      resource: 'services',
    });
  });
});
