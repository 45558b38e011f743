import { describe, expect, it } from '@jest/globals';
import { FaultList } from './fault-list.js';

const get = (url: string, watch = false) => ({ method: 'GET', url, watch });

describe('the list of faults', () => {
  it('hits as many requests as it was told to, and then none', () => {
    const list = new FaultList();
    const injected = list.add({ times: 2, fault: { kind: 'hang' } });
    expect([1, 2, 3].map(() => list.take(get('/a')).fault?.kind)).toEqual(['hang', 'hang', undefined]);
    expect(injected.hits).toBe(2);
  });

  it('matches by method, path and watch together', () => {
    const list = new FaultList();
    list.add({ match: { method: 'get', path: /\/secrets\b/gu, watch: true }, fault: { kind: 'hang' } });
    expect(list.take(get('/api/v1/secrets?watch=1', true)).fault?.kind).toBe('hang');
    expect(list.take(get('/api/v1/secrets?watch=1', true)).fault?.kind).toBe('hang');
    expect(list.take(get('/api/v1/secrets')).fault).toBeUndefined();
    expect(list.take(get('/api/v1/configmaps?watch=1', true)).fault).toBeUndefined();
    expect(list.take({ method: 'POST', url: '/api/v1/secrets', watch: true }).fault).toBeUndefined();
  });

  it('adds latencies up and takes the oldest of the other faults, without using up the younger', () => {
    const list = new FaultList();
    list.add({ fault: { kind: 'latency', ms: 10 } });
    list.add({ times: 1, fault: { kind: 'status', code: 500 } });
    const younger = list.add({ times: 1, fault: { kind: 'hang' } });
    list.add({ fault: { kind: 'latency', ms: 5 } });
    expect(list.take(get('/'))).toEqual({ latencyMs: 15, fault: { kind: 'status', code: 500 } });
    expect(younger.hits).toBe(0);
    expect(list.take(get('/'))).toEqual({ latencyMs: 15, fault: { kind: 'hang' } });
  });

  it('forgets a fault that is taken back, and all of them when cleared', () => {
    const list = new FaultList();
    const one = list.add({ fault: { kind: 'hang' } });
    list.add({ fault: { kind: 'reset' } });
    one.remove();
    expect(list.take(get('/')).fault?.kind).toBe('reset');
    list.clear();
    expect(list.take(get('/')).fault).toBeUndefined();
  });
});
